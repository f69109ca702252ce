import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { archivedEventFilter } from '../../../src/audit/application/archived-event-filter.js';
import { AuditSeals } from '../../../src/audit/domain/audit-seals.js';
import { ArchiveChain } from '../../../src/audit/infrastructure/archive/archive-chain.js';
import { AuditArchives } from '../../../src/audit/infrastructure/archive/audit-archives.js';
import type { PostgresAuditSeals } from '../../../src/audit/infrastructure/postgres-audit-seals.js';
import { Config } from '../../../src/platform/config/config.js';
import { type FhirBase, fhirBasesOf } from '../../../src/platform/config/fhir-bases.js';
import { createAuditedMonths, monthAgo } from '../../support/database/audited-months.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';

const perMonth = 30;
let bases: FhirBase[];
/** The first two are in the partition of earlier versions. */
const months = [5, 4, 3, 2].map(monthAgo) as [string, string, string, string];

let folder: string;
let portal: TestPortal;

const part = <T>(of: abstract new (...parameters: never[]) => T) => portal.apps[0]?.get(of, { strict: false }) as T;
const fileOf = (month: string) => join(folder, `${month}.ndjson.gz`);
const archive = (month: string, file = fileOf(month)) => part(AuditArchives).archive(month, file);
const verify = async (files: string[], { alone = false } = {}) =>
  (await part(ArchiveChain).verify(files, { alone })).problems.map((text) => text.replaceAll(`${folder}/`, ''));
const count = async (where = 'true') =>
  (await portal.query<{ count: number }>(`SELECT count(*)::int AS count FROM audit_event WHERE ${where}`))[0]?.count;
const within = (month: string) => `to_char(recorded_at AT TIME ZONE 'UTC', 'YYYY-MM') = '${month}'`;
const partitions = async () =>
  (await portal.query<{ name: string }>('SELECT name FROM audit_partition')).map(({ name }) => name);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-archives-'));
  const { masterKey, database } = await createAuditedMonths({ perMonth });
  portal = await startPortal({ filled: { database, masterKey }, config: { audit: { keepMonths: 1 } } });
  bases = fhirBasesOf(part(Config));
  // The seal of each minute would come in the middle of a test on a slow machine.
  await (part(AuditSeals) as PostgresAuditSeals).onModuleDestroy();
});
afterAll(async () => {
  await portal.close();
  await rm(folder, { recursive: true, force: true });
});

describe('A month of the audit record is not archived', () => {
  it.each([
    ['while it is not over', () => monthAgo(0), /is not over: its events can be archived from \d{4}-\d\d-03/],
    ['while events of it are not sealed', () => months[0], / has 28 events without a seal: /],
    ['when it has no events', () => '1999-01', /has no events of 1999-01/],
    ['when it is no month', () => '2026-13', /2026-13 is not a month/],
  ])('%s', async (_what, month, reason) => {
    await expect(archive(month())).rejects.toThrow(reason);
    expect(await readdir(folder)).toEqual([]);
  });

  it('to a file that exists, or in a folder that does not', async () => {
    await part(AuditSeals).seal();
    await writeFile(fileOf('kept'), 'kept');
    await expect(archive(months[3], fileOf('kept'))).rejects.toThrow(
      /kept.ndjson.gz exists already, and is not replaced/,
    );
    expect(await readFile(fileOf('kept'), 'utf8')).toBe('kept');
    await rm(fileOf('kept'));
    await expect(archive(months[3], join(folder, 'none', 'x.gz'))).rejects.toThrow(/cannot be written: ENOENT/);
    expect([await readdir(folder), await count(within(months[3]))]).toEqual([[], perMonth]);
  });

  it('while accesses of it are to be posted to the FHIR server', async () => {
    await portal.query(
      `INSERT INTO job (kind, payload, created_at, due_at) VALUES ('audit-event', '{"eventId":"1"}', '${months[3]}-10', 'infinity')`,
    );
    await expect(archive(months[3])).rejects.toThrow(/^The FHIR server does not have 1 access of .* or before yet/);
    await portal.query('DELETE FROM job');
  });

  it('when a seal of it is broken', async () => {
    const change = (from: string, to: string) =>
      portal.query(`SET session_replication_role = replica;
        UPDATE audit_event SET user_id = '${to}' WHERE user_id = '${from}' AND ${within(months[3])};
        SET session_replication_role = DEFAULT`);
    await change('user-1', 'forged');
    await expect(archive(months[3])).rejects.toThrow(/Seal \d+ is broken/);
    await change('forged', 'user-1');
    expect(await readdir(folder)).toEqual([]);
  });
});

describe('Archived months of the audit record', () => {
  it('leave the table, by partition or row by row, and the chain is proven with their files', async () => {
    for (const month of [months[3], months[1], months[0], months[2]]) {
      expect(await archive(month)).toEqual({ events: perMonth, seals: expect.any(Number) });
      expect([month, await count(within(month))]).toEqual([month, 0]);
      expect(await verify([])).toEqual([]);
      expect(await verify([fileOf(month)], { alone: true })).toEqual([]);
    }
    expect(await verify(months.map(fileOf))).toEqual([]);
    expect(await readdir(folder)).toEqual(months.map((month) => basename(fileOf(month))));
    const left = await partitions();
    expect(left).not.toContain(`audit_event_${months[3].replace('-', '_')}`);
    expect(left).not.toContain('audit_event_carried');
    const recorded = await portal.query(
      "SELECT subject, detail FROM audit_event WHERE type = 'audit.archived' ORDER BY id",
    );
    expect(recorded).toHaveLength(4);
    expect(recorded[0]).toEqual({ subject: months[3], detail: { events: 30, seals: 1, digest: expect.any(String) } });
    await expect(archive(months[3], fileOf('again'))).rejects.toThrow('was archived before, with 30 events');
    await part(AuditSeals).seal();
    expect(await verify(months.map(fileOf))).toEqual([]);
  });

  it('hide no change of other months, also when a seal is given the times of an archived month', async () => {
    const change = (user: string, time: string) =>
      portal.query(`SET session_replication_role = replica;
        UPDATE audit_event SET user_id = ${user} WHERE type = 'audit.archived';
        UPDATE audit_seal SET from_at = ${time}, to_at = ${time} WHERE number = (SELECT max(number) FROM audit_seal);
        SET session_replication_role = DEFAULT`);
    await change("'forged'", `'${months[3]}-10'`);
    expect(await verify([])).toEqual([expect.stringMatching(/^seal \d+ is broken/)]);
    await change('NULL', 'NULL');
    expect(await verify([])).toEqual([]);
  });

  it('cannot be changed in the table of archives, and a changed entry is named', async () => {
    await expect(portal.query('DELETE FROM audit_archive')).rejects.toThrow('append-only');
    await portal.query(`SET session_replication_role = replica; UPDATE audit_archive SET events = 31 WHERE month = '${months[3]}-01';
      SET session_replication_role = DEFAULT`);
    expect(await verify([])).toContain(`the entry of ${months[3]} in audit_archive was changed`);
    await portal.query(`SET session_replication_role = replica; UPDATE audit_archive SET events = 30 WHERE month = '${months[3]}-01';
      SET session_replication_role = DEFAULT`);
    expect(await verify([])).toEqual([]);
  });

  it('can be read without this program', () => {
    const lines = execFileSync('gzip', ['-dc', fileOf(months[3])], { encoding: 'utf8' })
      .trimEnd()
      .split('\n');
    expect(JSON.parse(String(lines[0]))).toMatchObject({
      format: 'gatehouse-audit-archive',
      version: 1,
      month: months[3],
    });
    expect(JSON.parse(String(lines[2]))).toEqual([
      expect.any(Number),
      `${months[3]}-10T00:01:00.000`,
      'record.accessed',
      'success',
      'user-1',
      'app-1',
      null,
      null,
      null,
      { patients: ['p-1'], target: 'Ärzte "1"' },
    ]);
    expect(JSON.parse(String(lines.at(-1)))).toMatchObject({ end: { events: 30, neighbours: 0, seals: 1 } });
  });

  it('carry the events of other months that an old seal covers with theirs', async () => {
    const neighbours = async (month: string) =>
      gunzipSync(await readFile(fileOf(month)))
        .toString()
        .match(/^\{"neighbour".*$/gm)?.length ?? 0;
    expect(await Promise.all(months.map(neighbours))).toEqual([1, 2, 0, 0]);
  });

  it('print the events that a filter names', async () => {
    const read = async (...options: [string, string][]) => {
      const found = [];
      const filter = archivedEventFilter(new Map(options), bases);
      for await (const line of part(ArchiveChain).events(fileOf(months[3]), filter)) found.push(JSON.parse(line));
      return found;
    };
    expect(await read()).toHaveLength(perMonth);
    expect(await read(['--user', 'user-1'], ['--client', 'app-0'], ['--patient', 'p-4'])).toEqual([
      {
        id: expect.any(String),
        recordedAt: `${months[3]}-10T00:04:00.000Z`,
        type: 'record.accessed',
        outcome: 'success',
        userId: 'user-1',
        clientId: 'app-0',
        subject: null,
        address: null,
        correlationId: null,
        detail: { patients: ['p-4'], target: 'Ärzte "4"' },
      },
    ]);
    expect(await read(['--type', 'login'])).toEqual([]);
    expect(await read(['--from', `${months[3]}-10T00:10:00Z`], ['--to', `${months[3]}-10T00:12:00Z`])).toHaveLength(2);
    await expect(read(['--from', 'yesterday'])).rejects.toThrow('--from is a date or time');
  });

  it('print the events of a patient who is named in any form, and refuse a value that has none', async () => {
    const count = async (name: string, value: string) => {
      const filter = archivedEventFilter(new Map([[name, value]]), bases);
      let found = 0;
      for await (const _ of part(ArchiveChain).events(fileOf(months[3]), filter)) found += 1;
      return found;
    };
    for (const form of ['p-4', 'Patient/p-4', 'Patient/p-4/_history/2', `${portal.issuer}/fhir/Patient/p-4`])
      expect([form, await count('--patient', form)]).toEqual([form, 6]);
    await expect(count('--patient', 'Observation/p-4')).rejects.toThrow('--patient: Please enter the id of a patient');
    await expect(count('--patient', 'https://other.example/Patient/p-4')).rejects.toThrow('below no FHIR base');
    await expect(count('--user', 'mira@example.org')).rejects.toThrow('--user is the id of a user');
    expect(await count('--user', '7C1C0F9E-1F0A-4B3C-8F53-0E2F2B1E8D11')).toBe(0);
    await expect(count('--type', 'records.accessed')).rejects.toThrow('Did you mean record.accessed?');
    expect(await count('--type', 'Record.Accessed')).toBe(perMonth);
  });
});

describe('A verification of archives names', () => {
  const damaged = () => join(folder, 'damaged.gz');
  /** Changes lines and compresses them again, as an attacker without the master key can. */
  const forge = (month: string, change: (lines: string[]) => string[]) => async () => {
    const lines = gunzipSync(await readFile(fileOf(month)))
      .toString()
      .trimEnd()
      .split('\n');
    await writeFile(damaged(), gzipSync(`${change(lines).join('\n')}\n`));
  };
  const corrupt = (change: (bytes: Buffer) => Buffer) => async () =>
    writeFile(damaged(), change(await readFile(fileOf(months[3]))));
  const header = (changes: object) => (lines: string[]) => [
    JSON.stringify({ ...JSON.parse(String(lines[0])), ...changes }),
    ...lines.slice(1),
  ];
  const [, , , month] = months;

  it.each<[string, () => Promise<void>, RegExp]>([
    [
      'a changed event',
      forge(month, (lines) => lines.map((line) => line.replace('user-2', 'user-9'))),
      /^damaged.gz: seal \d+ is broken: one of the events \d+ to \d+ was changed/,
    ],
    [
      'a dropped row',
      forge(month, (lines) => lines.filter((_, index) => index !== 7)),
      /seal \d+ covers 30 events, of which the file has 29/,
    ],
    [
      'a dropped seal',
      forge(month, (lines) => [String(lines[0]), String(lines.at(-1))]),
      /has 0 seals, and had 1 when it was written/,
    ],
    [
      'an added event',
      forge(month, (lines) => [...lines.slice(0, 5), String(lines[4]), ...lines.slice(5)]),
      /covers 30 events, of which the file has 31/,
    ],
    [
      'a swapped month',
      forge(month, header({ month: months[2] })),
      new RegExp(`names the month ${months[2]}, and has events of ${month}`),
    ],
    ['a line that no archive has', forge(month, (lines) => [...lines, '{"more":1}']), /has a line that no archive has/],
    [
      'a changed end',
      forge(month, (lines) => lines.map((line) => line.replace(/"hash":"[^"]*"\}$/, '"hash":"x"}'))),
      /seal \d+ is broken|does not fit its end line/,
    ],
    ['a changed header', forge(month, header({ issuer: 'https://forged.example' })), /does not fit its end line/],
    [
      'a file without its end',
      forge(month, (lines) => lines.slice(0, -1)),
      /^damaged.gz was cut off: it has no end line/,
    ],
    ['a file without its header', forge(month, (lines) => lines.slice(1)), /is not an archive of the audit record/],
    ['a cut file', corrupt((bytes) => bytes.subarray(0, bytes.length - 100)), /^damaged.gz was cut off/],
    [
      'a changed byte',
      corrupt((bytes) =>
        Buffer.concat([bytes.subarray(0, 300), Buffer.from([(bytes[300] ?? 0) ^ 1]), bytes.subarray(301)]),
      ),
      /^damaged.gz(:| was)/,
    ],
    [
      'an unknown version',
      forge(month, header({ version: 2 })),
      /has version 2 of the format, and this version of Gatehouse knows version 1 only/,
    ],
    [
      'an archive of another installation',
      forge(month, header({ key: 'zzzzzzzz', issuer: 'https://other.example' })),
      /was written by another installation \(https:\/\/other.example\) or under another master key/,
    ],
    ['a file of another kind', () => writeFile(damaged(), 'no archive'), /is not an archive of the audit record/],
    ['an empty file', () => writeFile(damaged(), ''), /damaged.gz was cut off/],
    ['a file that does not exist', () => rm(damaged(), { force: true }), /cannot be read: ENOENT/],
  ])('%s', async (_what, damage, problem) => {
    await damage();
    for (const alone of [true, false]) {
      const others = alone ? [] : months.slice(0, 3).map(fileOf);
      expect((await verify([...others, damaged()], { alone })).join('\n')).toMatch(problem);
    }
  });

  it('a missing archive, one that is named twice, and one that is not in force', async () => {
    const files = months.map(fileOf);
    expect(await verify(files.slice(1))).toEqual([
      expect.stringMatching(new RegExp(`^The archive of ${months[0]} is missing: it was written on .* with 30 events`)),
    ]);
    expect(await verify([...files, fileOf(months[1])])).toEqual([
      `${months[1]}.ndjson.gz and ${months[1]}.ndjson.gz are both of ${months[1]}.`,
    ]);
  });

  it('an archive whose seals are those of a copy of the installation', async () => {
    await portal.query(`SET session_replication_role = replica; UPDATE audit_seal SET hash = 'x' WHERE number =
      (SELECT lower(seals)::bigint FROM audit_archive WHERE month = '${months[3]}-01'); SET session_replication_role = DEFAULT`);
    const problems = await verify(months.map(fileOf));
    expect(problems.join('\n')).toMatch(
      /ndjson.gz is of another installation or of a copy of this one: 1 of 1 seal in it is not in the database/,
    );
  });
});
