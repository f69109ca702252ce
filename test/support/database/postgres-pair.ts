import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { testPackage } from '../../../scripts/test/postgres-versions.mjs';
import { type Cluster, prepareCluster } from '../../../src/platform/database/postgres-cluster.js';
import { until } from '../until.js';
import type { TestConnection } from './database.js';

const user = 'gatehouse';
const database = 'gatehouse';
const usualPort = 5432;

/** A PostgreSQL server that a test can kill. */
export class PostgresServer {
  private process: ChildProcess | undefined;

  constructor(
    private readonly cluster: Cluster,
    private readonly port = usualPort,
  ) {}

  get connection(): TestConnection {
    return { host: this.cluster.socketDir, port: this.port, user, database };
  }

  /** Resolves when it accepts connections. */
  async start(settings: Record<string, string>): Promise<void> {
    const { dir, socketDir, binaries, identity } = this.cluster;
    const options = {
      port: String(this.port),
      listen_addresses: '',
      unix_socket_directories: socketDir,
      fsync: 'off',
      ...settings,
    };
    const [command = '', ...args] = [
      ...identity.prefix,
      join(binaries, 'postgres'),
      ...['-D', dir],
      ...Object.entries(options).flatMap(([key, value]) => ['-c', `${key}=${value}`]),
    ];
    const env = { ...process.env, LC_ALL: 'C' };
    this.process = spawn(command, args, { ...identity.ids, cwd: '/', stdio: 'ignore', env });
    await until(() =>
      this.query('SELECT 1').then(
        () => true,
        () => false,
      ),
    );
  }

  /** Queries `at`, by default the initial database. */
  async query<Row extends pg.QueryResultRow>(sql: string, at = 'postgres'): Promise<Row[]> {
    const client = new pg.Client({ ...this.connection, database: at });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query<Row>(sql)).rows;
    } finally {
      await client.end();
    }
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    const { process } = this;
    if (!process || process.exitCode !== null || process.signalCode !== null) return;
    const exit = once(process, 'exit');
    process.kill(signal);
    await exit;
  }
}

/** A server that can be stopped immediately (as by `pg_ctl stop -m immediate`) and started again. */
export class RestartablePostgres {
  private constructor(
    private readonly folder: string,
    private readonly server: PostgresServer,
  ) {}

  static async start(): Promise<RestartablePostgres> {
    const folder = await mkdtemp(join(tmpdir(), 'gh-mortal-'));
    const server = new PostgresServer(await prepareCluster(join(folder, 'one'), user, false, testPackage()));
    await server.start({});
    await server.query(`CREATE DATABASE ${database}`);
    return new RestartablePostgres(folder, server);
  }

  get connection(): TestConnection {
    return this.server.connection;
  }

  query<Row extends pg.QueryResultRow>(sql: string): Promise<Row[]> {
    return this.server.query<Row>(sql, database);
  }

  async restart(): Promise<void> {
    await this.server.end('SIGQUIT');
    await this.server.start({});
  }

  async remove(): Promise<void> {
    await this.server.end('SIGQUIT');
    await rm(this.folder, { recursive: true, force: true, maxRetries: 20 });
  }
}

/** Two PostgreSQL servers: nothing is committed on the primary before it can be read on the standby. */
export class PostgresPair {
  private constructor(
    private readonly folder: string,
    readonly primary: PostgresServer,
    readonly standby: PostgresServer,
  ) {}

  static async start(): Promise<PostgresPair> {
    const folder = await mkdtemp(join(tmpdir(), 'gh-pair-'));
    const first = await prepareCluster(join(folder, 'one'), user, false, testPackage());
    // The package has no pg_basebackup; the folder of a server that has never run can be copied.
    await mkdir(join(folder, 'two'));
    await promisify(execFile)('cp', ['-a', first.dir, join(folder, 'two')]);
    const second = await prepareCluster(join(folder, 'two'), user, false, testPackage());
    await writeFile(join(second.dir, 'standby.signal'), '');
    const pair = new PostgresPair(folder, new PostgresServer(first), new PostgresServer(second));
    await pair.primary.start({
      synchronous_standby_names: 'standby',
      synchronous_commit: 'remote_apply',
      wal_keep_size: '1GB',
    });
    await pair.standby.start({
      primary_conninfo: `host=${first.socketDir} port=${usualPort} user=${user} application_name=standby`,
    });
    await until(
      async () => (await pair.primary.query("SELECT FROM pg_stat_replication WHERE sync_state = 'sync'")).length === 1,
    );
    await pair.primary.query(`CREATE DATABASE ${database}`);
    return pair;
  }

  async remove(): Promise<void> {
    await this.standby.end('SIGQUIT');
    await this.primary.end('SIGQUIT');
    await rm(this.folder, { recursive: true, force: true, maxRetries: 20 });
  }
}
