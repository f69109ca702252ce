/**
 * The database of an installation that configures none: a real PostgreSQL in `<dataDir>/postgres`.
 *
 * Lifecycle. There is one server for a data folder and any number of Gatehouse processes that use it; none of them owns
 * it. Each one keeps a connection of its own open that holds a shared advisory lock, and that lock is the register of
 * users: PostgreSQL itself drops the entry of a process that was killed, so there is no pid file of ours to go stale.
 *
 * - Start connects. Whatever answers on the socket of this data folder is adopted, be it another process's server or
 *   one that outlived a `kill -9` of Node. When nothing answers, a server is spawned, and spawned again while the
 *   children of a killed one still hold the shared memory. Two processes may do this at once: the losing server exits
 *   by itself and its process adopts the winner's.
 * - A server that dies under a running Gatehouse is started again.
 * - Stop gives up the lock and asks for it exclusively. Only the last user gets it, and shuts the server down.
 *
 * Access. The server listens on a Unix socket in a folder of mode 0700 and nowhere else, so reaching the socket is the
 * authentication and `trust` adds nothing to it. `peer` cannot be used: inside the user namespace described at
 * `identityFor` the server does not see who connects.
 */

import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { chmod, chown, lstat, mkdir, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';

const run = promisify(execFile);

const USER = 'gatehouse';
const DATABASE = 'gatehouse';
const PORT = 5432;
/** Key of the advisory lock that every process using the server holds in the `postgres` database. */
const USERS_LOCK = 7_402_001;
/** `sun_path` takes 104 bytes on macOS, 108 on Linux; the socket's own name needs 14 of them. */
const LONGEST_SOCKET_DIR = 88;
const START_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 60_000;
/** Spawned servers that may die before the reason is taken to be permanent: about ten seconds of waiting for orphans. */
const ATTEMPTS = 40;
const PAUSE_MS = 250;

const SETTINGS = {
  listen_addresses: '',
  port: PORT,
  max_connections: 100,
  shared_buffers: '128MB',
  timezone: 'UTC',
  unix_socket_permissions: '0700',
  // Life of the server only: failed statements carry personal data, and Gatehouse logs its own errors.
  log_min_messages: 'log',
  log_checkpoints: 'off',
};
/** Tests throw their data away, so nothing has to survive the machine. */
const WITHOUT_DURABILITY = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' };

export interface EmbeddedPostgresOptions {
  /** Gatehouse's data folder; the cluster is its sub-folder `postgres`, the server's log `postgres.log` beside it. */
  dataDir: string;
  log?: { info(message: string): void; error(message: string): void };
  durability?: 'full' | 'test';
}

export interface EmbeddedPostgres {
  socketDir: string;
  /** What `pg` and TypeORM need to connect; the user is a superuser. */
  connection: { host: string; port: number; user: string; database: string };
  /** Shuts the server down unless another process still uses it. */
  stop(): Promise<void>;
}

/** Who the server runs as: PostgreSQL refuses root. */
interface Identity {
  /** Put before the command line. */
  prefix: string[];
  /** Set when the server runs as somebody else, who must then own what it writes. */
  ids?: { uid: number; gid: number };
}

interface Place {
  cluster: string;
  logFile: string;
  socketDir: string;
  binaries: string;
  identity: Identity;
}

export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  if (process.platform === 'win32') {
    throw new Error('The embedded PostgreSQL needs Linux or macOS. Set DATABASE_URL to use a PostgreSQL server.');
  }
  const { log = console, durability = 'full' } = options;
  const place = await prepare(resolve(options.dataDir));
  const settings = durability === 'test' ? { ...SETTINGS, ...WITHOUT_DURABILITY } : SETTINGS;

  let stopping = false;
  let restarting: Promise<void> | undefined;
  let register = await serve(place, settings, log);
  const restartWhenLost = () => {
    register.once('end', () => {
      if (stopping) return;
      log.error('The embedded PostgreSQL has gone away; starting it again');
      restarting = serve(place, settings, log).then(
        (client) => {
          register = client;
          restartWhenLost();
        },
        (error: Error) => log.error(`The embedded PostgreSQL could not be started again: ${error.message}`),
      );
    });
  };
  restartWhenLost();

  return {
    socketDir: place.socketDir,
    connection: { host: place.socketDir, port: PORT, user: USER, database: DATABASE },
    async stop() {
      if (stopping) return;
      stopping = true;
      await restarting;
      await leave(place, register);
    },
  };
}

/** Brings a server up, or finds one, and signs this process in as one of its users. */
async function serve(
  place: Place,
  settings: Record<string, string | number>,
  log: { info(message: string): void },
): Promise<Client> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  let spawned = 0;
  while (Date.now() < deadline) {
    const client = await signIn(place.socketDir);
    if (client) {
      if (spawned === 0) log.info('Using the embedded PostgreSQL that is already running');
      return client;
    }
    if ((await postmaster(place)) === undefined) {
      if (spawned >= ATTEMPTS) break;
      spawned += 1;
      await spawnServer(place, settings);
    }
    await sleep(PAUSE_MS);
  }
  throw new Error(`The embedded PostgreSQL does not start. The end of ${place.logFile}:\n${await tail(place.logFile)}`);
}

async function signIn(socketDir: string): Promise<Client | undefined> {
  const client = new Client({ host: socketDir, port: PORT, user: USER, database: 'postgres' });
  // A connection that breaks later is reported by 'end'; without a listener 'error' would end the process.
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('SELECT pg_advisory_lock_shared($1)', [USERS_LOCK]);
    const existing = await client.query('SELECT FROM pg_database WHERE datname = $1', [DATABASE]);
    if (existing.rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`).catch(ignoreDuplicateDatabase);
    return client;
  } catch (error) {
    await client.end().catch(() => {});
    if (isPassing(error)) return undefined;
    throw error;
  }
}

/** No server yet, one that is starting or stopping (57P03), or one that was stopped meanwhile (57P01, closed socket). */
function isPassing(error: unknown): boolean {
  const { code, message = '' } = error as { code?: string; message?: string };
  const passing = ['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE', '57P01', '57P02', '57P03'];
  return (code !== undefined && passing.includes(code)) || /connection terminated/i.test(message);
}

/** 42P04, or 23505 when another process created it in the same instant. */
function ignoreDuplicateDatabase(error: { code?: string }): void {
  if (error.code !== '42P04' && error.code !== '23505') throw error;
}

/** Starts a server and returns once it has written its pid file or has exited. */
async function spawnServer(place: Place, settings: Record<string, string | number>): Promise<void> {
  const options = Object.entries({ ...settings, unix_socket_directories: place.socketDir });
  const [command = '', ...args] = [
    ...place.identity.prefix,
    join(place.binaries, 'postgres'),
    ...['-D', place.cluster],
    ...options.flatMap(([key, value]) => ['-c', `${key}=${value}`]),
  ];
  const logFile = openSync(place.logFile, 'a', 0o600);
  try {
    // Its own session: a Ctrl-C in the terminal must reach Gatehouse first, which still needs the database to finish.
    const server = spawn(command, args, {
      ...place.identity.ids,
      detached: true,
      stdio: ['ignore', logFile, logFile],
      env: { ...process.env, LC_ALL: 'C' },
    });
    const exited = new Promise<boolean>((done, fail) => {
      server.once('exit', () => done(true));
      server.once('error', fail);
    });
    server.unref();
    while (!(await Promise.race([exited, sleep(PAUSE_MS, false)]))) {
      if ((await postmaster(place)) !== undefined) return;
    }
  } finally {
    closeSync(logFile);
  }
}

async function leave(place: Place, register: Client): Promise<void> {
  try {
    await register.query('SELECT pg_advisory_unlock_shared($1)', [USERS_LOCK]);
    const { rows } = await register.query('SELECT pg_try_advisory_lock($1) AS last', [USERS_LOCK]);
    if (!rows[0].last) return;
  } catch {
    // The server died while we were leaving: there is nothing to shut down.
    return;
  } finally {
    // Until the server is told to stop, the exclusive lock keeps others from adopting it; they then see it gone.
    const pid = await postmaster(place);
    void pid;
  }
}
