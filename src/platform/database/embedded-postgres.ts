/**
 * The database of an installation that configures none: a real PostgreSQL in `<dataDir>/postgres`.
 *
 * Lifecycle. A data folder has one server and any number of Gatehouse processes that use it; none of them owns it. Each
 * keeps a connection of its own that holds a shared advisory lock, and that lock is the register of users: PostgreSQL
 * drops the entry of a killed process, so Gatehouse needs no file that could become stale.
 *
 * - Start adopts a server that runs in this folder, started by another process or left by a `kill -9` of Node. Without
 * one it spawns a server, repeatedly while the children of a killed server still hold its shared memory. Two processes
 * may do so at once: the slower server exits by itself, and its process adopts the other.
 * - A server that dies under a running Gatehouse is restarted.
 * - Stop releases the lock and requests it exclusively. Only the last user gets it, and shuts the server down.
 *
 * Access. The server listens only on a Unix socket in a folder of mode 0700, so reaching the socket is the
 * authentication, and `trust` grants nothing more. `peer` cannot be used: inside a user namespace the server does not
 * see the identity of its clients.
 */

import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { connectMarked } from './lost-connections.js';
import { type Cluster, isAlive, prepareCluster } from './postgres-cluster.js';

const USER = 'gatehouse';
const DATABASE = 'gatehouse';
const PORT = 5432;
/** Key of the advisory lock, held in the database `postgres`, that registers the users of the server. */
const USERS_LOCK = 7_402_001;
/** Crash recovery after a `kill -9` replays up to a gigabyte of WAL. */
const START_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 60_000;
/** Failed starts before the cause counts as permanent: eight seconds, within which orphans end. */
const ATTEMPTS = 24;
const PAUSE_MS = 250;
const POLL_MS = 50;

const SETTINGS = {
  listen_addresses: '',
  port: PORT,
  shared_buffers: '128MB',
  timezone: 'UTC',
  unix_socket_permissions: '0700',
  // Server lifecycle messages only: a failed statement carries personal data, and Gatehouse logs its own errors.
  log_min_messages: 'log',
  log_checkpoints: 'off',
};
/** Tests discard their data, so it need not survive a power cut. */
const WITHOUT_DURABILITY = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' };

type Settings = Record<string, string | number>;

interface Log {
  info(message: string): void;
  error(message: string): void;
}

export interface EmbeddedPostgresOptions {
  /** Gatehouse's data folder; the cluster is its sub-folder `postgres`, the server's log is `postgres.log`. */
  dataDir: string;
  log: Log;
  durability?: 'full' | 'test';
  /** The folder of another package with PostgreSQL, for tests with other versions. */
  packageDir?: string;
  /** Applies to a server that this process starts. */
  maxConnections?: number;
  /** Called when a server starts as a process of its own: from then on this process only waits. */
  onSpawn?: () => void;
}

export interface EmbeddedPostgres {
  /** Connection parameters for `pg` and TypeORM; the user is a superuser. */
  connection: { host: string; port: number; user: string; database: string };
  /** Shuts the server down unless another process still uses it. */
  stop(): Promise<void>;
}

export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  if (process.platform === 'win32') {
    throw new Error('The embedded PostgreSQL needs Linux or macOS. Set DATABASE_URL to use a PostgreSQL server.');
  }
  const { log, durability = 'full', maxConnections = 100, onSpawn = () => {}, packageDir } = options;
  const settings = {
    ...SETTINGS,
    max_connections: maxConnections,
    ...(durability === 'full' ? {} : WITHOUT_DURABILITY),
  };
  const cluster = await prepareCluster(resolve(options.dataDir), USER, durability === 'full', packageDir);

  let stopped: Promise<void> | undefined;
  let restarted: Promise<void> | undefined;
  let register = await serve(cluster, settings, log, onSpawn);
  const restartWhenLost = () => {
    register.once('end', () => {
      if (stopped) return;
      log.error('embedded PostgreSQL stopped; restarting');
      restarted = serve(cluster, settings, log).then(
        (client) => {
          register = client;
          restartWhenLost();
        },
        (error: Error) => log.error(error.message),
      );
    });
  };
  restartWhenLost();

  return {
    connection: { host: register.host, port: PORT, user: USER, database: DATABASE },
    stop() {
      stopped ??= Promise.resolve(restarted).then(() => leave(cluster, register));
      return stopped;
    },
  };
}

/** Finds or starts a server, and registers this process as one of its users. */
async function serve(cluster: Cluster, settings: Settings, log: Log, onSpawn = () => {}): Promise<Client> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  let spawned = 0;
  while (Date.now() < deadline && spawned < ATTEMPTS) {
    const server = await runningServer(cluster);
    if (!server) {
      await spawnServer(cluster, settings, onSpawn);
      spawned += 1;
      continue;
    }
    const client = await signIn(server.socketDir);
    if (client) {
      if (spawned === 0) log.info('embedded PostgreSQL already running; using it');
      return client;
    }
    await sleep(POLL_MS);
  }
  const lines = (await readFile(cluster.logFile, 'utf8').catch(() => '')).trimEnd().split('\n');
  throw new Error(`The embedded PostgreSQL does not start. ${cluster.logFile} ends:\n${lines.slice(-5).join('\n')}`);
}

/** Starts a server; returns once it has claimed the cluster, or a while after it has failed to. */
async function spawnServer(cluster: Cluster, settings: Settings, onSpawn: () => void): Promise<void> {
  const { dir, socketDir, binaries, identity } = cluster;
  const options = Object.entries({ ...settings, unix_socket_directories: socketDir });
  const [command = '', ...args] = [
    ...identity.prefix,
    join(binaries, 'postgres'),
    ...['-D', dir],
    ...options.flatMap(([key, value]) => ['-c', `${key}=${value}`]),
  ];
  const logFile = openSync(cluster.logFile, 'a', 0o600);
  try {
    // A session of its own: Ctrl-C is for Gatehouse, which still needs the database to finish its requests.
    const server = spawn(command, args, {
      ...identity.ids,
      cwd: '/',
      detached: true,
      stdio: ['ignore', logFile, logFile],
      env: { ...process.env, LC_ALL: 'C' },
    });
    server.unref();
    let exited = false;
    await new Promise<void>((done, fail) => {
      server.once('spawn', done);
      server.once('error', fail);
      server.once('exit', () => {
        exited = true;
      });
    });
    onSpawn();
    while (!exited && !(await runningServer(cluster))) await sleep(POLL_MS);
    if (exited) await sleep(PAUSE_MS);
  } finally {
    closeSync(logFile);
  }
}

interface Server {
  pid: number;
  socketDir: string;
}

/**
 * The server that has claimed the cluster, from its `postmaster.pid`. PostgreSQL replaces a file left by a killed
 * server, with one exception: when another program has got that process id since, which is usual in containers,
 * PostgreSQL would take that program for itself and refuse to start.
 */
async function runningServer({ dir }: Cluster): Promise<Server | undefined> {
  const pidFile = join(dir, 'postmaster.pid');
  const [pidLine, , , , socketDir] = (await readFile(pidFile, 'utf8').catch(() => '')).split('\n');
  const pid = Number(pidLine);
  if (!pid || !socketDir || !isAlive(pid)) return undefined;
  if (await isServer(pid)) return { pid, socketDir };
  for (const file of [pidFile, join(socketDir, `.s.PGSQL.${PORT}.lock`)]) await rm(file, { force: true });
  return undefined;
}

/** Without /proc the process id is trusted. A zombie is not a server. */
async function isServer(pid: number): Promise<boolean> {
  if (!isAlive(pid)) return false;
  if (process.platform !== 'linux') return true;
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return /^\d+ \(postgres\) [^ZX]/.test(status);
}

/** Registers this process; undefined while the server does not answer yet, or any longer. */
async function signIn(socketDir: string): Promise<Client | undefined> {
  const client = new Client({ host: socketDir, port: PORT, user: USER, database: 'postgres' });
  try {
    // 'end' reports a connection that breaks later.
    await connectMarked(client);
    await client.query('SELECT pg_advisory_lock_shared($1)', [USERS_LOCK]);
    const existing = await client.query('SELECT FROM pg_database WHERE datname = $1', [DATABASE]);
    if (existing.rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`).catch(unlessDuplicate);
    return client;
  } catch (error) {
    await client.end().catch(() => {});
    if (isTransient(error)) return undefined;
    throw error;
  }
}

/**
 * True for a temporary error: no socket yet, a server that is starting or stopping, or one that stopped during the
 * query.
 */
function isTransient(error: unknown): boolean {
  const { code = '' } = error as { code?: string };
  return /^(ENOENT|ECONNREFUSED|ECONNRESET|EPIPE|57P0[123]|0800[36])$/.test(code);
}

/** Rethrows all but 42P04, and 23505 when another process created the database in the same instant. */
function unlessDuplicate(error: { code?: string }): void {
  if (error.code !== '42P04' && error.code !== '23505') throw error;
}

async function leave(cluster: Cluster, register: Client): Promise<void> {
  const server = await runningServer(cluster);
  try {
    await register.query('SELECT pg_advisory_unlock_shared($1)', [USERS_LOCK]);
    const { rows } = await register.query('SELECT pg_try_advisory_lock($1) AS last', [USERS_LOCK]);
    // The lock is held until the server ends: a process that starts meanwhile waits, and then spawns its own.
    if (rows[0].last && server) await shutDown(server.pid);
  } catch (error) {
    // The server died first: no shutdown is needed.
    if (!isTransient(error)) throw error;
  } finally {
    await register.end().catch(() => {});
  }
}

/** Fast shutdown: open transactions are rolled back, and everything is written. */
async function shutDown(pid: number): Promise<void> {
  process.kill(pid, 'SIGINT');
  const deadline = Date.now() + STOP_TIMEOUT_MS;
  while (await isServer(pid)) {
    if (Date.now() > deadline) throw new Error(`The embedded PostgreSQL (process ${pid}) does not stop.`);
    await sleep(POLL_MS);
  }
}
