import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../src/platform/database/embedded-postgres.js';
import { until } from '../../support/until.js';
import { compileLauncher } from './node-process.js';

const isRoot = process.getuid?.() === 0;

describe('the embedded PostgreSQL', () => {
  let launcher: Awaited<ReturnType<typeof compileLauncher>>;
  let dataDir: string;
  /** The folder of a server that was stopped: a copy needs a tenth of the CPU of a new one. */
  let stopped: string;
  const started: EmbeddedPostgres[] = [];
  const messages: string[] = [];
  const log = { info: (message: string) => messages.push(message), error: (message: string) => messages.push(message) };

  beforeAll(async () => {
    launcher = await compileLauncher();
    stopped = newFolder();
    await (await startEmbeddedPostgres({ dataDir: stopped, log, durability: 'test' })).stop();
  });
  afterAll(async () => {
    await launcher.remove();
    rmSync(stopped, { recursive: true, force: true });
  });

  beforeEach(() => {
    dataDir = newFolder();
    execFileSync('cp', ['-a', `${stopped}/.`, dataDir]);
    messages.length = 0;
  });
  afterEach(async () => {
    for (const database of started.splice(0)) await database.stop();
    const pid = serverPid();
    if (pid && isAlive(pid)) process.kill(pid, 'SIGKILL');
    rmSync(dataDir, { recursive: true, force: true });
  });

  const newFolder = () => mkdtempSync(join(tmpdir(), 'gatehouse-test-'));
  const removeCopy = () => {
    for (const name of readdirSync(dataDir)) rmSync(join(dataDir, name), { recursive: true });
  };
  const start = async (dir = dataDir) => {
    const database = await startEmbeddedPostgres({ dataDir: dir, log, durability: 'test' });
    started.push(database);
    return database;
  };
  const pidFile = () => join(dataDir, 'postgres', 'postmaster.pid');
  const serverPid = () => (existsSync(pidFile()) ? Number(readFileSync(pidFile(), 'utf8').split('\n')[0]) : undefined);

  test('starts in an empty folder, is reachable through its socket only, and stops', async () => {
    removeCopy();
    const database = await start();
    const pid = serverPid() as number;
    expect(await ask(database, 'SHOW listen_addresses')).toBe('');
    expect(await ask(database, 'SHOW server_encoding')).toBe('UTF8');
    expect(await ask(database, `SELECT string_agg(x, '' ORDER BY x) FROM unnest('{f,É,d}'::text[]) x`)).toBe('dÉf');

    await database.stop();
    await waitFor(async () => expect(isAlive(pid)).toBe(false));
    expect(existsSync(pidFile())).toBe(false);
  });

  test('keeps its data from one start to the next', async () => {
    const first = await start();
    await ask(first, 'CREATE TABLE kept AS SELECT 42 AS answer');
    await first.stop();
    expect(await ask(await start(), 'SELECT answer FROM kept')).toBe(42);
  });

  test('is found and stopped when it is still running after its process was killed', async () => {
    const killed = await launcher.start(dataDir);
    const pid = serverPid() as number;
    await killed.end('SIGKILL');
    expect(isAlive(pid)).toBe(true);

    const database = await start();
    expect(serverPid()).toBe(pid);
    expect(messages).toContain('embedded PostgreSQL already running; using it');
    // Its server notices the end of the killed process in a moment, which a busy machine makes longer.
    await waitFor(async () => expect(await ask(database, countOfUsers)).toBe(1));
    await database.stop();
    await waitFor(async () => expect(isAlive(pid)).toBe(false));
  });

  test('is stopped by the last of two processes, whichever of them started it', async () => {
    const other = await launcher.start(dataDir);
    const pid = serverPid() as number;
    const database = await start();
    expect(await other.end('SIGTERM')).toBe(0);
    expect(await ask(database, 'SELECT 1')).toBe(1);
    await database.stop();
    await waitFor(async () => expect(isAlive(pid)).toBe(false));
  });

  test('is one server for two processes that start at once in an empty folder', async () => {
    removeCopy();
    const [one, two] = await Promise.all([launcher.start(dataDir), launcher.start(dataDir)]);
    const database = await start();
    expect(await ask(database, countOfUsers)).toBe(3);
    await Promise.all([one.end('SIGTERM'), two.end('SIGTERM')]);
    expect(await ask(database, 'SELECT 1')).toBe(1);
  });

  test('starts again after PostgreSQL and Node were both killed', async () => {
    const killed = await launcher.start(dataDir);
    const pid = serverPid() as number;
    process.kill(pid, 'SIGKILL');
    await killed.end('SIGKILL');

    const database = await start();
    expect(await ask(database, 'SELECT 1')).toBe(1);
    expect(serverPid()).not.toBe(pid);
  });

  test('starts again while a child of the killed server still holds its memory', async () => {
    const killed = await launcher.start(dataDir);
    const pid = serverPid() as number;
    const child = Number(
      execFileSync('pgrep', ['-P', String(pid), '-f', 'walwriter|wal writer'], { encoding: 'utf8' }),
    );
    process.kill(child, 'SIGSTOP');
    process.kill(pid, 'SIGKILL');
    await killed.end('SIGKILL');
    setTimeout(() => process.kill(child, 'SIGCONT'), 1500);

    const begun = Date.now();
    expect(await ask(await start(), 'SELECT 1')).toBe(1);
    expect(Date.now() - begun).toBeGreaterThan(1400);
  });

  test('is restarted when it is killed while its process runs', async () => {
    const database = await start();
    const pid = serverPid() as number;
    process.kill(pid, 'SIGKILL');
    await waitFor(() => ask(database, 'SELECT 1'));
    expect(serverPid()).not.toBe(pid);
    expect(messages).toContain('embedded PostgreSQL stopped; restarting');
  });

  test('starts when the process id in a stale file belongs to another program', async () => {
    await (await start()).stop();
    const socketDir = join(dataDir, 'postgres');
    const stale = `${process.pid}\n${socketDir}\n1700000000\n5432\n${socketDir}\n\n  0  0\nready\n`;
    for (const file of [pidFile(), join(socketDir, '.s.PGSQL.5432.lock')]) {
      writeFileSync(file, stale, { mode: 0o600 });
      if (isRoot) chownSync(file, 0, 0);
    }
    expect(await ask(await start(), 'SELECT 1')).toBe(1);
  });

  test('has its socket in a private folder when the path of the data folder is too long for one', async () => {
    const deep = join(dataDir, 'd'.repeat(60), 'e'.repeat(60));
    const database = await start(deep);
    expect(database.connection.host.startsWith(join(tmpdir(), 'gatehouse-'))).toBe(true);
    expect(await ask(database, 'SELECT 1')).toBe(1);
    await database.stop();

    chmodSync(database.connection.host, 0o777);
    await expect(start(deep)).rejects.toThrow('must be a folder that only the user of the database can enter');
    rmSync(database.connection.host, { recursive: true });
  });

  test('reports the reason when it cannot start', async () => {
    await (await start()).stop();
    writeFileSync(join(dataDir, 'postgres', 'PG_VERSION'), '9\n');
    await expect(start()).rejects.toThrow(/initialized by PostgreSQL version 9/);
  });
});

/** The processes that use the server have an advisory lock each. */
const countOfUsers = `SELECT count(*)::int FROM pg_locks WHERE locktype = 'advisory'`;

async function ask(database: EmbeddedPostgres, sql: string): Promise<unknown> {
  const client = new Client(database.connection);
  client.on('error', () => {});
  await client.connect();
  try {
    const { rows } = await client.query(sql);
    return rows[0] && Object.values(rows[0])[0];
  } finally {
    await client.end();
  }
}

async function waitFor(attempt: () => Promise<unknown>): Promise<void> {
  await until(() =>
    attempt().then(
      () => true,
      () => false,
    ),
  );
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
