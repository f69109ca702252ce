import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { prepare } from '../../../scripts/prepare.mjs';
import { addressOf, type TestConnection } from '../database/database.js';
import { until } from '../until.js';

/** Node with source maps, so that failed tests name lines of the sources. */
const nodeWithMaps = '--enable-source-maps';
let prepared: Promise<void> | undefined;

/**
 * Starts a file of the built server, which needs a third of the CPU of its sources. Builds the server if its sources
 * are newer.
 */
export async function spawnBuilt(
  file: 'main.js' | 'cli.js',
  parameters: string[],
  env: NodeJS.ProcessEnv,
  { nodeArguments = [], built }: { nodeArguments?: string[]; built?: string } = {},
): Promise<ChildProcessByStdio<null, Readable, Readable>> {
  prepared ??= prepare();
  await prepared;
  return spawn(process.execPath, [nodeWithMaps, ...nodeArguments, `dist/src/${file}`, ...parameters], {
    ...(built !== undefined && { cwd: built }),
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Starts a command in the clone, as the leader of a group of processes. */
async function spawnCommand(
  [command, ...parameters]: readonly [string, ...string[]],
  env: NodeJS.ProcessEnv,
): Promise<ChildProcessByStdio<null, Readable, Readable>> {
  prepared ??= prepare();
  await prepared;
  return spawn(command, parameters, { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
}

interface ProcessOptions {
  database: TestConnection;
  port: number;
  /** The issuer of the first node; the default is this node's own. */
  issuer?: string;
  /** Replaces sections of the usual configuration; the process sets `server` itself. */
  config?: object;
  /** Arguments of Node, such as a module to load before the portal. */
  nodeArguments?: string[];
  /** The folder of another release, already built. */
  built?: string;
  /** The command by which an operator starts it; the default is the built server with source maps. */
  command?: readonly [string, ...string[]];
}

/** A node in its own process, as an operator runs it, which a test can kill. All nodes have the same master key. */
export class PortalProcess {
  private readonly chunks: Buffer[] = [];
  private readonly exited: Promise<number | NodeJS.Signals | null>;

  private constructor(
    private readonly child: ChildProcess,
    readonly issuer: string,
    readonly port: number,
    /** Whether the processes that it starts can be signalled with it. */
    private readonly leadsGroup: boolean,
  ) {
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => this.chunks.push(chunk));
    this.exited = new Promise((done) => child.once('close', (code, signal) => done(signal ?? code)));
  }

  /** Resolves when it is ready to serve. */
  static async start(options: ProcessOptions): Promise<PortalProcess> {
    const { database, port, issuer, config, nodeArguments, built, command } = options;
    const folder = await mkdtemp(join(tmpdir(), 'gatehouse-process-'));
    const file = join(folder, 'gatehouse.yaml');
    const address = issuer ?? `http://localhost:${port}`;
    const settings = {
      dataDir: join(folder, 'data'),
      server: { issuer: address, port },
      database: { url: addressOf(database) },
      keys: { masterKey: '7'.repeat(64) },
      // All requests of a suite come from one address.
      limits: { startsPerMinute: 1_000_000 },
      logging: { level: 'error' },
      ...config,
    };
    // JSON is YAML.
    await writeFile(file, JSON.stringify(settings));
    const { PATH, HOME, TMPDIR } = process.env;
    const env = { PATH, HOME, TMPDIR, GATEHOUSE_CONFIG: file };
    const child = await (command
      ? spawnCommand(command, env)
      : spawnBuilt('main.js', [], env, { nodeArguments, built }));
    const started = new PortalProcess(child, address, port, command !== undefined);
    const ended = started.exited.then(async () => {
      await rm(folder, { recursive: true, force: true });
      return true;
    });
    let hasEnded = false;
    ended.then(() => {
      hasEnded = true;
    });
    await until(async () => {
      if (hasEnded)
        throw new Error(`the process ended (${await started.exited}) before it was ready:\n${started.output}`);
      return started.isReady();
    });
    return started;
  }

  isReady(): Promise<boolean> {
    return fetch(`http://127.0.0.1:${this.port}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Its standard output and standard error. */
  get output(): string {
    return Buffer.concat(this.chunks).toString('utf8');
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /**
   * As a terminal does by Ctrl-C, and systemd when it stops a service: to the command and to all that it has started.
   */
  signalAll(signal: NodeJS.Signals): void {
    process.kill(-this.pid, signal);
  }

  /** The exit code, or the signal that ended it. */
  async end(signal?: NodeJS.Signals): Promise<number | NodeJS.Signals | null> {
    const hasEnded = this.child.exitCode !== null || this.child.signalCode !== null;
    // The signal ends npm at once, but not what it has started.
    if (signal === 'SIGKILL' && this.leadsGroup && !hasEnded) this.signalAll(signal);
    else if (signal) this.child.kill(signal);
    return this.exited;
  }
}
