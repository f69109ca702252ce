import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { AuditSeals } from '../../../src/audit/domain/audit-seals.js';
import { createAuditedMonths, monthAgo } from '../../support/database/audited-months.js';
import { addressOf } from '../../support/database/database.js';
import { callGatehouse, configured } from '../../support/portal/command-line.js';
import { startPortal } from '../../support/portal/portal.js';
import { spawnBuilt } from '../../support/portal/portal-process.js';
import { inTurn, isLong } from '../../support/runs.js';
import { until } from '../../support/until.js';

/** More than the removal of a month deletes at once. */
const perMonth = isLong ? 20_000 : 6_000;
const kills = isLong ? 40 : 2;
/** In the partition of earlier versions, whose rows are deleted, and in one of its own, which is dropped. */
const months = [5, 2].map(monthAgo) as [string, string];

let folder: string;
let env: NodeJS.ProcessEnv;
let database: Awaited<ReturnType<typeof createAuditedMonths>>['database'];
let client: pg.Client;

const gatehouse = (...args: string[]) => callGatehouse(env, ...args);
const eventsOf = async (month: string) => {
  const { rows } = await client.query(
    "SELECT count(*)::int AS count FROM audit_event WHERE to_char(recorded_at AT TIME ZONE 'UTC', 'YYYY-MM') = $1",
    [month],
  );
  return rows[0].count as number;
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-killed-archive-'));
  const filled = await createAuditedMonths({ perMonth, inBetween: 30 });
  ({ database } = filled);
  const { masterKey } = filled;
  client = new pg.Client(database.connection);
  await client.connect();
  env = await configured(folder, {
    server: { issuer: 'http://localhost:1', port: 1 },
    database: { url: addressOf(database.connection) },
    keys: { masterKey: masterKey.toString('hex') },
  });
  const portal = await startPortal({ filled: { database: { ...database, drop: async () => undefined }, masterKey } });
  await portal.apps[0]?.get(AuditSeals, { strict: false }).seal();
  await portal.close();
});
afterEach(async () => {
  for (const holder of holders.splice(0)) await holder.end();
});
afterAll(async () => {
  await client.end();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

const holders: pg.Client[] = [];
/** A second session of the database holds this lock until it is released, or the test ends. */
async function holding(lock: string, ...values: unknown[]): Promise<() => Promise<void>> {
  const holder = new pg.Client(database.connection);
  holders.push(holder);
  await holder.connect();
  await holder.query('BEGIN');
  await holder.query(lock, values);
  return () => holder.end();
}

/** Begins to archive the month into the file, and kills the command when this has happened, unless it ends before. */
async function killed(month: string, file: string, happened: () => Promise<unknown>): Promise<void> {
  const command = await spawnBuilt('cli.js', ['audit', 'archive', month, file], env);
  const ended = new Promise((resolve) => command.once('close', resolve));
  await Promise.race([happened(), ended]);
  command.kill('SIGKILL');
  await ended;
}

const waitsForLock = () =>
  until(async () => {
    const waiting = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    return (await client.query(waiting)).rows.length > 0;
  });
/** The server may still do what a killed command has sent to it. */
const isAlone = () =>
  until(async () => {
    const others = 'SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()';
    return (await client.query(others)).rows.length === 0;
  });

async function expectProven(file: string, events: number): Promise<void> {
  const proven = await gatehouse('audit', 'verify', '--alone', file);
  expect([proven.err, proven.out]).toEqual(['', expect.stringContaining(`${events.toLocaleString('en-US')} events`)]);
}

describe('R-11 A killed `audit archive`', () => {
  it.each([...months.entries()])(
    'leaves month %i, %s, in the database until a file is proven and recorded, and can be repeated',
    async (number, month) => {
      const all = await eventsOf(month);
      const release = await holding('LOCK TABLE audit_archive IN SHARE MODE');
      // From the moment when it begins to write, ever later, and at last when it is about to record the file.
      const moments = Array.from({ length: kills }, (_, kill) => async (file: string) => {
        await until(async () => (await readdir(folder)).some((name) => name.startsWith(basename(file))));
        await sleep((kill * 1_000) / kills);
      });
      for (const [kill, moment] of [...inTurn(moments, number), waitsForLock].entries()) {
        const file = join(folder, `${month}-${kill}.gz`);
        await killed(month, file, () => moment(file));
        expect(await eventsOf(month)).toBe(all);
        if (existsSync(file)) await expectProven(file, all);
      }
      await release();
      await isAlone();
      expect(await eventsOf(month)).toBe(all);

      const file = join(folder, `${month}.gz`);
      const unlock = await holding(
        "SELECT FROM audit_event WHERE to_char(recorded_at AT TIME ZONE 'UTC', 'YYYY-MM') = $1 ORDER BY id DESC LIMIT 1 FOR UPDATE",
        month,
      );
      await killed(month, file, waitsForLock);
      await unlock();
      await isAlone();
      await expectProven(file, all);
      const left = await eventsOf(month);
      // A month with a partition of its own is recorded and dropped in one transaction.
      const isRecorded = month === months[0];
      if (isRecorded) expect([0, all]).not.toContain(left);
      else expect(left).toBe(all);
      const next = isRecorded ? file : join(folder, `${month}-again.gz`);
      expect((await gatehouse('audit', 'archive', month, next)).err).toBe('');
      expect(await eventsOf(month)).toBe(0);
      const verified = await gatehouse('audit', 'verify');
      expect([verified.code, verified.err]).toEqual([0, '']);
    },
    400_000,
  );
});

describe('npx gatehouse audit', () => {
  it('read prints NDJSON, and ends without an error when the reading process has ended', async () => {
    const [file] = (await readdir(folder)).filter((name) => name.startsWith(months[1]) && name.endsWith('.gz'));
    const path = join(folder, String(file));
    const { code, out, err } = await gatehouse('audit', 'read', path, '--user=user-1', '--patient', 'p-1');
    expect([code, err]).toEqual([0, '']);
    const found = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(found).toHaveLength(Math.ceil(perMonth / 15));
    expect(new Set(found.map(({ userId }) => userId))).toEqual(new Set(['user-1']));
    const reader = await spawnBuilt('cli.js', ['audit', 'read', path], env);
    let said = '';
    reader.stderr.on('data', (chunk) => {
      said += chunk;
    });
    const ended = new Promise((resolve) => reader.once('close', resolve));
    reader.stdout.once('data', () => reader.stdout.destroy());
    expect([await ended, said]).toEqual([0, '']);
  });

  it('verify fails, and names what it has found', async () => {
    const other = env.GATEHOUSE_CONFIG ?? '';
    const refused = await gatehouse('audit', 'verify', '--alone', other);
    expect([refused.code, refused.out, refused.err]).toEqual([
      1,
      '',
      `${other} is not an archive of the audit record.\n`,
    ]);
    const { code, err } = await gatehouse('audit', 'archive', monthAgo(0), join(folder, 'now.gz'));
    expect([code, err]).toEqual([1, expect.stringMatching(/^\d{4}-\d\d is not over: .*\n$/)]);
  });
});
