import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { transformFile } from '@swc/core';

const SOURCES = ['embedded-postgres', 'postgres-cluster'];
const OWNER = `
import { startEmbeddedPostgres } from './embedded-postgres.js';
const log = { info() {}, error(message) { console.log('log ' + message); } };
const database = await startEmbeddedPostgres({ dataDir: process.argv[2], log, durability: 'test' });
process.on('SIGTERM', () => database.stop().then(() => process.exit(0)));
console.log('up');
`;

/** The launcher, compiled, for Node processes that a test can kill. */
export async function compileLauncher() {
  // Inside node_modules, so that the compiled files find the packages they import.
  const cache = join(process.cwd(), 'node_modules', '.cache');
  await mkdir(cache, { recursive: true });
  const dir = await mkdtemp(join(cache, 'launcher-'));
  await chmod(dir, 0o755);
  await writeFile(join(dir, 'package.json'), '{"type":"module"}');
  await writeFile(join(dir, 'owner.js'), OWNER);
  for (const name of SOURCES) {
    const { code } = await transformFile(join('src/platform/database', `${name}.ts`), { sourceMaps: false });
    await writeFile(join(dir, `${name}.js`), code);
  }
  return {
    /** A Node process that uses the database in `dataDir`; resolves when its database is up. */
    async start(dataDir: string, as: { uid?: number; gid?: number } = {}): Promise<NodeProcess> {
      const child = spawn(process.execPath, [join(dir, 'owner.js'), dataDir], {
        ...as,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { PATH: process.env.PATH },
      });
      return NodeProcess.ready(child);
    },
    remove: () => rm(dir, { recursive: true, force: true }),
  };
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
