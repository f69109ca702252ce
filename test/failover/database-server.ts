import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createWriteStream, existsSync, readdirSync, readFileSync } from 'node:fs';
import { chown, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { until } from '../support/until.js';

/** The superuser of the cluster, who creates the portal's role and database. */
const superuser = { user: 'postgres', password: 'superuser-of-the-trial' };
const replication = { user: 'replicator', password: 'replicator-of-the-trial' };
const rewind = { user: 'rewinder', password: 'rewinder-of-the-trial' };

/** PostgreSQL refuses root: as root, the servers run as the user `postgres` of Debian's package. */
export const identity =
  process.getuid?.() === 0
    ? { uid: Number(execFileSync('id', ['-u', 'postgres'])), gid: Number(execFileSync('id', ['-g', 'postgres'])) }
    : {};

const debian = '/usr/lib/postgresql';
const newest = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a))[0] : undefined;
const binaries = newest && join(debian, newest, 'bin');

interface Place {
  folder: string;
  name: string;
  port: number;
  restPort: number;
  etcd: string;
}

/** One of the database machines: Patroni with its PostgreSQL, configured by `deploy/failover/patroni.yml`. */
export class DatabaseServer {
  private patroni: ChildProcess | undefined;

  private constructor(private readonly place: Place) {}

  static async create(place: Place): Promise<DatabaseServer> {
    const server = new DatabaseServer(place);
    for (const folder of [place.folder, server.configFolder]) {
      await mkdir(folder, { recursive: true, mode: 0o755 });
      if (identity.uid !== undefined) await chown(folder, identity.uid, identity.gid);
    }
    await symlink(resolve('deploy/failover/patroni.yml'), join(server.configFolder, '1.yml'));
    // Next to other servers of this machine, and without a folder that only a package creates. JSON is YAML.
    const parameters = { unix_socket_directories: place.folder };
    await writeFile(join(server.configFolder, '2.yml'), JSON.stringify({ postgresql: { parameters } }));
    return server;
  }

  get name(): string {
    return this.place.name;
  }

  get port(): number {
    return this.place.port;
  }

  get restPort(): number {
    return this.place.restPort;
  }

  /** The output of Patroni and PostgreSQL. */
  get log(): string {
    return readFileSync(this.logFile, 'utf8');
  }

  /** For `patronictl -c`. */
  get configFolder(): string {
    return join(this.place.folder, 'config');
  }

  get env(): NodeJS.ProcessEnv {
    const { folder, name, port, restPort, etcd } = this.place;
    return {
      PATH: process.env.PATH,
      LC_ALL: 'C.UTF-8',
      HOME: folder,
      PATRONI_NAME: name,
      PATRONI_ETCD_HOSTS: etcd,
      PATRONI_RESTAPI_LISTEN: `127.0.0.1:${restPort}`,
      PATRONI_RESTAPI_CONNECT_ADDRESS: `127.0.0.1:${restPort}`,
      PATRONI_POSTGRESQL_LISTEN: `127.0.0.1:${port}`,
      PATRONI_POSTGRESQL_CONNECT_ADDRESS: `127.0.0.1:${port}`,
      PATRONI_POSTGRESQL_DATA_DIR: this.dataFolder,
      PATRONI_POSTGRESQL_BIN_DIR: binaries,
      PATRONI_POSTGRESQL_PGPASS: join(folder, 'pgpass'),
      PATRONI_SUPERUSER_USERNAME: superuser.user,
      PATRONI_SUPERUSER_PASSWORD: superuser.password,
      PATRONI_REPLICATION_USERNAME: replication.user,
      PATRONI_REPLICATION_PASSWORD: replication.password,
      PATRONI_REWIND_USERNAME: rewind.user,
      PATRONI_REWIND_PASSWORD: rewind.password,
    };
  }

  /** Starts Patroni, which starts PostgreSQL. */
  startPatroni(): void {
    if (this.patroni && this.patroni.exitCode === null && this.patroni.signalCode === null) return;
    const log = createWriteStream(this.logFile, { flags: 'a' });
    const child = spawn('patroni', [this.configFolder], {
      ...identity,
      cwd: '/',
      env: this.env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr]) stream.pipe(log, { end: false });
    this.patroni = child;
  }

  killPatroni(): void {
    this.patroni?.kill('SIGKILL');
  }

  /** Kills the postmaster and each of its processes, as a power failure does. */
  killPostgres(): void {
    this.signalPostgres('SIGKILL');
  }

  /** Nothing of the machine runs any more, and all of its connections stay open. */
  freeze(): void {
    this.patroni?.kill('SIGSTOP');
    this.signalPostgres('SIGSTOP');
  }

  wake(): void {
    this.signalPostgres('SIGCONT');
    this.patroni?.kill('SIGCONT');
  }

  /** A connection past the proxy. */
  async connect(): Promise<pg.Client> {
    const { port } = this.place;
    const client = new pg.Client({
      host: '127.0.0.1',
      port,
      ...superuser,
      database: 'gatehouse',
      connectionTimeoutMillis: 3_000,
      query_timeout: 3_000,
    });
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  async acceptsChanges(): Promise<boolean> {
    try {
      const client = await this.connect();
      const { rows } = await client.query<{ standby: boolean }>('SELECT pg_is_in_recovery() AS standby');
      await client.end();
      return rows[0]?.standby === false;
    } catch {
      return false;
    }
  }

  /** Creates the portal's role and its database, at the primary. */
  async createDatabase(password: string): Promise<void> {
    const client = new pg.Client({ host: '127.0.0.1', port: this.place.port, ...superuser, database: 'postgres' });
    await client.connect();
    await client.query(`CREATE ROLE gatehouse LOGIN PASSWORD '${password}'`);
    await client.query('CREATE DATABASE gatehouse OWNER gatehouse');
    await client.end();
  }

  async remove(): Promise<void> {
    this.wake();
    this.killPatroni();
    await until(() => this.patroni?.exitCode !== null || this.patroni?.signalCode !== null);
    this.killPostgres();
    await until(() => this.processes().length === 0);
  }

  private get logFile(): string {
    return join(this.place.folder, 'patroni.log');
  }

  private get dataFolder(): string {
    return join(this.place.folder, 'data');
  }

  private signalPostgres(signal: NodeJS.Signals): void {
    for (const pid of this.processes()) {
      try {
        process.kill(pid, signal);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
    }
  }

  /** The postmaster first, so that it starts nothing again. */
  private processes(): number[] {
    const file = join(this.dataFolder, 'postmaster.pid');
    const postmaster = existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : 0;
    if (!postmaster || nameOf(postmaster) !== 'postgres') return [];
    const others = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(Number(name)) === postmaster);
    return [postmaster, ...others.map(Number)];
  }
}

/** The third and later fields of `/proc/<pid>/stat`, and the name in parentheses before them; zombies are none. */
function statOf(pid: number): { name: string; parent: number } | undefined {
  try {
    const [, name = '', state, parent] =
      /^\d+ \((.*)\) (\S) (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    return state === 'Z' || state === undefined ? undefined : { name, parent: Number(parent) };
  } catch {
    return undefined;
  }
}

const nameOf = (pid: number) => statOf(pid)?.name;
const parentOf = (pid: number) => statOf(pid)?.parent;
