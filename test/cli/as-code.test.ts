import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { stringify } from 'yaml';
import { addressOf, createDatabase } from '../support/database/database.js';
import { callGatehouse, configured, runGatehouse } from '../support/portal/command-line.js';
import { freePorts } from '../support/portal/portal.js';
import { spawnBuilt } from '../support/portal/portal-process.js';
import { until } from '../support/until.js';

const secret = 'typed-secret-of-a-service';
const app = (name: string) => ({
  clientId: name,
  clientName: name,
  clientType: 'StandaloneApp',
  requireClientSecret: false,
  redirectUris: [`https://${name}.example/cb`],
});
const feed = {
  clientId: 'lab-feed',
  clientName: 'Lab feed',
  clientType: 'BackendService',
  clientSecrets: [{ secretType: 'SharedSecret', secret: 'env:FEED_SECRET' }],
};

describe('npx gatehouse export, plan, apply and release', () => {
  let folder: string;
  let env: NodeJS.ProcessEnv;
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let pool: pg.Pool;

  /** One command is started as a process, with its exit code and its two outputs; the others run in this one. */
  const started = (...args: string[]) => runGatehouse(env, ...args);
  const gatehouse = (...args: string[]) => callGatehouse(env, ...args);
  const write = async (content: unknown) => {
    const file = join(folder, 'portal.yaml');
    await writeFile(file, stringify(content));
    return file;
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-as-code-'));
    database = await createDatabase();
    pool = new pg.Pool({ ...database.connection, max: 2 });
    pool.on('error', () => undefined);
    const [port] = await freePorts(1);
    const commands = await configured(folder, {
      server: { issuer: `http://localhost:${port}`, port },
      database: { url: addressOf(database.connection) },
      keys: { masterKey: 'ab'.repeat(32) },
      logging: { level: 'error' },
    });
    env = { ...commands, FEED_SECRET: secret };
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  it('tell by their exit codes whether something differs, and print no secret', async () => {
    const file = await write({ version: 1, clients: [app('heart'), feed] });
    const planned = await started('plan', file);
    expect([planned.code, planned.err]).toEqual([2, '']);
    expect(planned.out).toMatch(/^\+ client heart\n[\s\S]*\nPlan [0-9a-f]{16}: 2 to create\.\n$/);
    const applied = await gatehouse('apply', file);
    expect([applied.code, applied.err]).toEqual([0, '']);
    expect(applied.out).toMatch(/Plan [0-9a-f]{16}: 2 to create\.\nThe file was applied\.\n$/);
    expect(await gatehouse('plan', file)).toEqual({ code: 0, out: 'No changes.\n', err: '' });

    const exported = await gatehouse('export');
    expect([exported.code, exported.err]).toEqual([0, '']);
    await writeFile(join(folder, 'exported.yaml'), exported.out);
    expect(await gatehouse('plan', join(folder, 'exported.yaml'))).toEqual({ code: 0, out: 'No changes.\n', err: '' });
    expect([planned, applied, exported].map(({ out }) => out).join()).not.toContain(secret);

    const released = await gatehouse('release', 'client', 'heart');
    expect(released).toEqual({ code: 0, out: 'The client heart is managed by hand again.\n', err: '' });
    expect((await gatehouse('plan', file)).code).toBe(2);
    expect((await gatehouse('plan', file, '--adapt')).code).toBe(64);
    expect((await gatehouse('plan', file, '--adopt')).out).toContain('~ client heart (taken over');
    expect((await gatehouse('apply', file, '--adopt')).code).toBe(0);
    expect((await gatehouse('release', 'all')).out).toBe('2 objects are managed by hand again.\n');
  });

  it('name each wrong key with its line and column on standard error, and end with 1', async () => {
    const file = await write({ version: 1, clients: [{ ...app('right') }, { ...app('wrong'), redirectUri: 'x' }] });
    const refused = await gatehouse('apply', file);
    expect([refused.code, refused.out]).toEqual([1, '']);
    expect(refused.err).toBe(
      `${file} has 1 problem. Nothing was changed.\n  ${file}:15:5  clients.1.redirectUri: There is no such key. Did you mean redirectUris?\n`,
    );
    expect((await pool.query("SELECT FROM client WHERE client_id = 'right'")).rowCount).toBe(0);
  });

  it.each([
    ['does not exist', () => join(folder, 'none.yaml'), 'The file cannot be read: ENOENT: no such file or directory'],
    ['is a folder', () => folder, 'The file cannot be read: EISDIR: illegal operation on a directory'],
    ['has no end', () => '/dev/zero', 'The file is larger than 8 MB.'],
  ])('say in one line why a file cannot be read that %s', async (_, path, reason) => {
    for (const command of ['plan', 'apply']) {
      const { code, out, err } = await gatehouse(command, path());
      expect([code, out, err.split('\n')]).toEqual([
        1,
        '',
        [`${path()} has 1 problem. Nothing was changed.`, expect.stringContaining(`${path()}:1:1  ${reason}`), ''],
      ]);
    }
  });

  it('say of garbage of megabytes in one line that it is no file of theirs, with 256 MB of memory for values', async () => {
    const garbage: [text: string | Buffer, problem: string, call?: typeof runGatehouse][] = [
      ['['.repeat(5_000_000), '1:103  It is nested too deeply.'],
      [`a:\n${' a: 1\n'.repeat(1_100_000)}`, 'It has more than 1,500,000 words and signs.'],
      [Buffer.alloc(5_000_000), 'The file is not UTF-8.', callGatehouse],
      [Buffer.from('version: 1\n', 'utf16le'), 'The file is not UTF-8.', callGatehouse],
    ];
    const file = join(folder, 'garbage.yaml');
    const limited = { ...env, NODE_OPTIONS: '--max-old-space-size=256' };
    for (const [text, problem, call = runGatehouse] of garbage) {
      await writeFile(file, text);
      const { code, out, err } = await call(limited, 'apply', file);
      expect([code, out, err.split('\n').slice(0, 2)]).toEqual([
        1,
        '',
        [`${file} has 1 problem. Nothing was changed.`, expect.stringContaining(problem)],
      ]);
    }
  });

  it('change nothing when the process is killed in the middle of apply, and everything when it is repeated', async () => {
    const before = { version: 1, clients: [app('first'), app('last')] };
    expect((await gatehouse('apply', await write(before))).code).toBe(0);
    const renamed = before.clients.map((client) => ({ ...client, clientName: 'Renamed' }));
    const file = await write({ version: 1, tags: [{ value: 'New', color: '#1D6FB8' }], clients: renamed });
    const holder = await pool.connect();
    await holder.query("BEGIN; SELECT FROM client WHERE client_id = 'last' FOR UPDATE");
    const process: ChildProcess = await spawnBuilt('cli.js', ['apply', file], env);
    const ended = new Promise((resolve) => process.once('close', resolve));
    const waiting = "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";
    await until(async () => (await pool.query(waiting)).rowCount === 1);
    process.kill('SIGKILL');
    await ended;
    await holder.query('COMMIT');
    holder.release();
    const stored = async () =>
      (await pool.query('SELECT client_name AS name FROM client UNION ALL SELECT value FROM tag ORDER BY name')).rows;
    const held =
      "SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'";
    await until(async () => (await pool.query(held)).rowCount === 0);
    expect((await stored()).map(({ name }) => name)).not.toContain('Renamed');
    expect((await stored()).map(({ name }) => name)).not.toContain('New');
    expect((await gatehouse('apply', file)).code).toBe(0);
    expect((await stored()).map(({ name }) => name)).toEqual(expect.arrayContaining(['New', 'Renamed', 'Renamed']));
    expect((await gatehouse('plan', file)).code).toBe(0);
  });
});
