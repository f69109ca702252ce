/**
 * Makes a clone ready to run: installs what the lock file asks for and builds what is older than its sources. Both are
 * decided by content, so a finished preparation costs a fraction of a second, and one that was interrupted is done
 * again. Progress goes to stderr: stdout belongs to the command that follows (`npx gatehouse export > file`).
 *
 * Uses nothing but Node, because it runs before anything is installed.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, statSync, unlinkSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

const SHARED = ['package-lock.json', 'tsconfig.json', 'src/contract'];
const BUILDS = [
  {
    name: 'server',
    sources: [
      ...SHARED,
      'nest-cli.json',
      'scripts/bundle-server.mjs',
      'scripts/bundle-server',
      '.swcrc',
      'package.json',
      'src',
      'migrations',
    ],
    // Earlier versions wrote the migrations to a folder of their own.
    outputs: ['dist/src', 'dist/migrations'],
    command: ['scripts/bundle-server.mjs'],
  },
  {
    name: 'client',
    sources: [...SHARED, 'client'],
    outputs: ['dist/client'],
    command: ['node_modules/vite/bin/vite.js', 'build', 'client', '--emptyOutDir'],
  },
  {
    name: 'description of the API',
    sources: [...SHARED, 'package.json', '.swcrc', 'scripts/openapi.mjs', 'scripts/openapi', 'src'],
    outputs: ['dist/openapi.json'],
    command: ['scripts/openapi.mjs'],
  },
];
/** No preparation takes this long; a lock that is older was left by a process whose id is in use again. */
const LOCK_LIFETIME_MS = 15 * 60_000;

/**
 * Installs and builds what is missing; processes that do so in the same clone wait for each other. A clone that is
 * prepared is only read, so that its folder may be read-only.
 */
export async function prepare() {
  if (await isPrepared()) return;
  const release = await lockOfClone();
  try {
    await install();
    // Both are waited for: one that still runs must not outlive the lock.
    const builds = await Promise.allSettled(BUILDS.map(build));
    for (const { status, reason } of builds) if (status === 'rejected') throw reason;
  } finally {
    await release();
  }
}

async function isPrepared() {
  if (!(await isInstalled())) return false;
  const built = await Promise.all(
    BUILDS.map(async ({ name, sources }) => (await fingerprint(sources)) === (await stampOf(name))),
  );
  return built.every(Boolean);
}

async function lockOfClone() {
  try {
    await mkdir(join(root, 'dist'), { recursive: true });
    return await lock(join(root, 'dist', '.preparing'));
  } catch (error) {
    if (!['EROFS', 'EACCES', 'EPERM'].includes(error.code)) throw error;
    throw new CommandFailed(
      `Gatehouse is not built, or was changed since, and ${root} cannot be written: run \`npm run build\` where it can.`,
    );
  }
}

async function install() {
  if (await isInstalled()) return;
  console.error('Installing dependencies …');
  await npm(['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'], { answers: false });
}

/** Compares the lock file with npm's own record of what it has put into node_modules, written when it is done. */
async function isInstalled() {
  const wanted = await packagesOf('package-lock.json');
  const present = await packagesOf('node_modules/.package-lock.json').catch(() => ({}));
  return Object.entries(wanted)
    .filter(([path]) => path.includes('node_modules/'))
    .every(([path, { version, integrity, optional }]) => {
      const found = present[path];
      // Optional packages of other platforms are absent.
      return found ? found.version === version && found.integrity === integrity : optional === true;
    });
}

async function packagesOf(file) {
  return JSON.parse(await readFile(join(root, file), 'utf8')).packages;
}

async function build({ name, sources, outputs, command }) {
  const stampFile = stampFileOf(name);
  const stamp = await fingerprint(sources);
  if (stamp === (await stampOf(name))) return;
  console.error(`Building the ${name} …`);
  // Without its stamp a build that is interrupted here is built again.
  await rm(stampFile, { force: true });
  for (const output of outputs) await rm(join(root, output), { recursive: true, force: true });
  // A test that prepares a clone has another environment, with which React is built for development.
  await run(process.execPath, command, { quiet: true, env: { NODE_ENV: 'production' } });
  await writeFile(stampFile, stamp);
}

const stampFileOf = (name) => join(root, 'dist', `.${name.replaceAll(' ', '-')}-stamp`);
const stampOf = (name) => readFile(stampFileOf(name), 'utf8').catch(() => '');

async function fingerprint(sources) {
  const hash = createHash('sha256').update(process.version);
  for (const source of sources) {
    for (const file of await filesOf(source)) hash.update(`\0${file}\0`).update(await readFile(join(root, file)));
  }
  return hash.digest('hex');
}

async function filesOf(source) {
  const found = await stat(join(root, source)).catch(() => undefined);
  if (!found) return [];
  if (found.isFile()) return [source];
  const entries = await readdir(join(root, source), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort();
}

/** Runs npm. It tells its scripts where it is, which also works where `npm` itself is a shell script. */
export function npm(args, options) {
  const self = process.env.npm_execpath;
  return self?.endsWith('.js') ? run(process.execPath, [self, ...args], options) : run('npm', args, options);
}

/**
 * Runs a command in the clone; a quiet one is heard only when it fails, one that answers nothing writes to stderr
 * alone, and one in the background gives way to others. Rejects with a message for the user.
 */
export async function run(command, args, { quiet = false, answers = true, background = false, env = {} } = {}) {
  const child = spawn(command, args, {
    cwd: root,
    stdio: quiet ? ['ignore', 'pipe', 'pipe'] : ['inherit', answers ? 1 : 2, 2],
    env: { ...process.env, ...env },
  });
  if (background && child.pid) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  // A signal that stops us also stops the command: left alone it would continue writing after our lock is gone.
  const forward = (signal) => child.kill(signal);
  process.on('SIGINT', forward).on('SIGTERM', forward);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      output += chunk;
    });
  }
  try {
    const code = await new Promise((done, fail) => {
      child.once('error', fail);
      child.once('close', (exit, signal) => done(exit ?? signal));
    });
    if (code !== 0) throw new CommandFailed(`${output}\n\`${[command, ...args].join(' ')}\` failed (${code})`.trim());
  } finally {
    process.off('SIGINT', forward).off('SIGTERM', forward);
  }
}

export class CommandFailed extends Error {}

/** For the top of a script: a failure that says enough needs no stack. */
export function exitWith(error) {
  console.error(error instanceof CommandFailed ? error.message : error);
  process.exit(1);
}

/**
 * Holds an exclusive file with the holder's process id until the returned function is called; a dead holder's file is
 * taken over.
 */
export async function lock(file) {
  for (let waiting = false; ; waiting = true) {
    try {
      await writeFile(file, String(process.pid), { flag: 'wx' });
      return () => unlock(file);
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    if (removeIfAbandoned(file)) continue;
    if (!waiting) console.error('Waiting for another process that prepares this clone …');
    await sleep(200);
  }
}

/** Leaves the file of a process that has taken it over. */
async function unlock(file) {
  const holder = await readFile(file, 'utf8').catch(() => '');
  if (holder === String(process.pid)) await rm(file, { force: true });
}

/** Without a pause between reading and removing, in which another process could take the file over. */
function removeIfAbandoned(file) {
  try {
    const holder = readFileSync(file, 'utf8');
    const isOld = Date.now() - statSync(file).mtimeMs > LOCK_LIFETIME_MS;
    // Written an instant ago, its content still to come.
    if (!isOld && holder === '') return false;
    if (!isOld && Number(holder) !== process.pid && isAlive(Number(holder))) return false;
    unlinkSync(file);
    return true;
  } catch (error) {
    // Another process has just removed it.
    if (error.code === 'ENOENT') return true;
    throw error;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code !== 'ESRCH';
  }
}
