import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePorts } from '../portal/portal.js';
import { until } from '../until.js';
import type { TestConnection } from './database.js';

const program = '/usr/sbin/pgbouncer';

/** True if Debian's package is installed; `npm test` installs it if it can. */
export const hasPgBouncer = existsSync(program);

/** PgBouncer in front of the PostgreSQL of the run. */
export class PgBouncer {
  private constructor(
    private readonly child: ChildProcess,
    private readonly folder: string,
    readonly port: number,
  ) {}

  static async start(mode: 'session' | 'transaction' | 'statement', database: TestConnection): Promise<PgBouncer> {
    const folder = await mkdtemp(join(tmpdir(), 'gatehouse-pgbouncer-'));
    await chmod(folder, 0o755);
    const [port = 0] = await freePorts(1);
    const file = join(folder, 'pgbouncer.ini');
    await writeFile(
      file,
      `[databases]
* = host=${database.host} port=${database.port} user=${database.user}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = 80
max_db_connections = 0
`,
    );
    const { prefix, ids } = await identityFor(database.host);
    const [command = '', ...args] = [...prefix, program, '-q', file];
    const child = spawn(command, args, { ...ids, cwd: '/', stdio: 'ignore' });
    const started = new PgBouncer(child, folder, port);
    await until(() => started.answers(database));
    return started;
  }

  /** The connection to the same database through PgBouncer. */
  reach(database: TestConnection): TestConnection {
    return { ...database, host: '127.0.0.1', port: this.port };
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null) {
      const exit = once(this.child, 'exit');
      this.child.kill('SIGKILL');
      await exit;
    }
    await rm(this.folder, { recursive: true });
  }

  private async answers(database: TestConnection): Promise<boolean> {
    if (this.child.exitCode !== null) throw new Error(`PgBouncer ended with ${this.child.exitCode}`);
    const client = new pg.Client(this.reach(database));
    client.on('error', () => undefined);
    const is = await client.connect().then(
      () => true,
      () => false,
    );
    await client.end();
    return is;
  }
}

/** PgBouncer does not run as root, and only the owner of the server may enter the folder of its socket. */
async function identityFor(folder: string): Promise<{ prefix: string[]; ids?: { uid: number; gid: number } }> {
  if (process.getuid?.() !== 0) return { prefix: [] };
  const { uid, gid } = await stat(folder);
  if (uid !== 0) return { prefix: [], ids: { uid, gid } };
  const prefix = ['unshare', '--user', '--'];
  await promisify(execFile)('unshare', ['--user', '--', 'true']);
  return { prefix };
}
