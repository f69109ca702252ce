import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { AuditSeals } from '../../../src/platform/audit/audit-seals.js';
import { createAuditedMonths, monthAgo } from '../../support/database/audited-months.js';
import { addressOf } from '../../support/database/database.js';
import { callGatehouse, configured, runGatehouse } from '../../support/portal/command-line.js';
import { startPortal } from '../../support/portal/portal.js';
import { spawnBuilt } from '../../support/portal/portal-process.js';
import { isLong } from '../../support/runs.js';
import { until } from '../../support/until.js';

const perMonth = 20_000;
const kills = isLong ? 40 : 8;
/** In the partition of earlier versions, whose rows are deleted, and in one of its own, which is dropped. */
const months = [5, 2].map(monthAgo) as [string, string];

let folder: string;
let env: NodeJS.ProcessEnv;
let client: pg.Client;
let drop: () => Promise<void>;

const started = (...args: string[]) => runGatehouse(env, ...args);
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
  const { database, masterKey } = await createAuditedMonths({ perMonth });
  ({ drop } = database);
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
afterAll(async () => {
  await client.end();
  await drop();
  await rm(folder, { recursive: true, force: true });
});

describe('R-11 A killed `audit archive`', () => {
  it.each(months)(
    'leaves %s in the database, or in a file that is proven, and can be repeated',
    async (month) => {
      const all = await eventsOf(month);
      let wasRemoved = false;
      for (let kill = 0; kill < kills && !wasRemoved; kill += 1) {
        const file = join(folder, `${month}-${kill}.gz`);
        const command = await spawnBuilt('cli.js', ['audit', 'archive', month, file], env);
        const ended = new Promise((resolve) => command.once('close', resolve));
        // From the moment when it begins to write, ever later.
        await Promise.race([
          until(async () => (await readdir(folder)).some((name) => name.startsWith(`${month}-${kill}.`))),
          ended,
        ]);
        await Promise.race([sleep((kill * 2_000) / kills), ended]);
        command.kill('SIGKILL');
        await ended;
        const left = await eventsOf(month);
        const isThere = (await readdir(folder)).includes(`${month}-${kill}.gz`);
        wasRemoved =
          (await client.query("SELECT FROM audit_archive WHERE to_char(month, 'YYYY-MM') = $1", [month])).rows.length >
          0;
        if (!wasRemoved) expect(left).toBe(all);
        if (!isThere) continue;
        const proven = await gatehouse('audit', 'verify', '--alone', file);
        expect([proven.err, proven.out]).toEqual([
          '',
          expect.stringContaining(`${all.toLocaleString('en-US')} events`),
        ]);
        if (wasRemoved && left > 0) expect((await gatehouse('audit', 'archive', month, file)).err).toBe('');
      }
      if (!wasRemoved) expect((await started('audit', 'archive', month, join(folder, `${month}.gz`))).err).toBe('');
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
    const { code, out, err } = await started('audit', 'read', path, '--user=user-1', '--patient', 'p-1');
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
    expect([refused.code, refused.out, refused.err]).toEqual([1, '', `${other} is no archive of the audit record.\n`]);
    const { code, err } = await started('audit', 'archive', monthAgo(0), join(folder, 'now.gz'));
    expect([code, err]).toEqual([1, expect.stringMatching(/^\d{4}-\d\d is not over: .*\n$/)]);
  });
});
