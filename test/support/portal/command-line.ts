import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { run } from '../../../src/cli.run.js';
import { Terminal } from '../../../src/cli.terminal.js';
import { until } from '../until.js';
import { spawnBuilt } from './portal-process.js';

/**
 * The environment of commands whose configuration has these keys. Their data are in this folder, and so is the
 * configuration.
 */
export async function configured(folder: string, config: object): Promise<NodeJS.ProcessEnv> {
  const file = join(folder, `${randomUUID()}.yaml`);
  // JSON is YAML.
  await writeFile(file, JSON.stringify({ dataDir: join(folder, 'data'), ...config }));
  const { PATH, HOME, TMPDIR } = process.env;
  return { PATH, HOME, TMPDIR, GATEHOUSE_CONFIG: file };
}

/** A portal next to which commands run, in a process of its own. */
export class CommandedPortal {
  private process: ChildProcess | undefined;

  /** Resolves when it is ready to serve. */
  async start(env: NodeJS.ProcessEnv, issuer: string): Promise<void> {
    this.process = await spawnBuilt('main.js', [], env);
    await until(() =>
      fetch(`${issuer}/health/ready`).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
  }

  async stop(): Promise<void> {
    const { process } = this;
    if (!process) return;
    const ended = new Promise((resolve) => process.once('close', resolve));
    process.kill('SIGTERM');
    await ended;
    this.process = undefined;
  }
}

/** Runs `npx gatehouse` in a process of its own, as an operator does. */
export async function runGatehouse(
  env: NodeJS.ProcessEnv,
  ...args: string[]
): Promise<{ code: number | null; out: string; err: string }> {
  const command = await spawnBuilt('cli.js', args, env);
  const said = { out: '', err: '' };
  command.stdout.on('data', (chunk) => {
    said.out += chunk;
  });
  command.stderr.on('data', (chunk) => {
    said.err += chunk;
  });
  const code = await new Promise<number | null>((resolve) => command.once('close', resolve));
  return { code, ...said };
}

/** Runs a command in this process, without the start of a process, which costs more CPU than most commands. */
export async function callGatehouse(
  env: NodeJS.ProcessEnv,
  ...args: string[]
): Promise<{ code: number; out: string; err: string }> {
  const said = { out: '', err: '' };
  const into = (stream: 'out' | 'err') =>
    new Writable({
      write(chunk, _encoding, done) {
        said[stream] += chunk;
        done();
      },
    });
  const before = process.env;
  process.env = { ...env };
  try {
    const terminal = new Terminal({ stdin: new PassThrough(), stdout: into('out'), stderr: into('err') });
    return { code: await run(args, terminal), ...said };
  } finally {
    process.env = before;
  }
}
