import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '../portal/portal.js';
import { until } from '../until.js';

/** `npm test` installs it if it can. */
export const hasHaproxy = !spawnSync('haproxy', ['-v']).error;

/** The files that operators copy: in front of the nodes, and of the database servers. */
type DeployedFile = 'haproxy-gatehouse.cfg' | 'haproxy-postgres.cfg';

/** HAProxy with files of `deploy/failover`, whose addresses are variables, and with further files. */
export function startHaproxy(
  deployed: DeployedFile[],
  addresses: Record<string, string>,
  others: string[] = [],
): ChildProcess {
  const files = [...deployed.map((name) => `deploy/failover/${name}`), ...others].flatMap((file) => ['-f', file]);
  return spawn('haproxy', ['-db', '-q', ...files], {
    env: { PATH: process.env.PATH, ...addresses },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

export async function stopHaproxy(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

/** HAProxy in front of two nodes, as operators configure it, which tells which nodes it uses. */
export class Haproxy {
  private constructor(
    private readonly child: ChildProcess,
    private readonly folder: string,
    private readonly statistics: number,
  ) {}

  static async start(port: number, nodes: [number, number]): Promise<Haproxy> {
    const [statistics = 0] = await freePorts(1);
    const folder = await mkdtemp(join(tmpdir(), 'gatehouse-haproxy-'));
    const file = join(folder, 'statistics.cfg');
    await writeFile(
      file,
      `frontend statistics
  bind 127.0.0.1:${statistics}
  stats enable
  stats uri /
`,
    );
    const [first, second] = nodes.map((node) => `127.0.0.1:${node}`) as [string, string];
    const addresses = { PORTAL_ENTRY: `127.0.0.1:${port}`, NODE1: first, NODE2: second };
    const child = startHaproxy(['haproxy-gatehouse.cfg'], addresses, [file]);
    const started = new Haproxy(child, folder, statistics);
    await until(() => {
      if (child.exitCode !== null) throw new Error(`HAProxy ended with ${child.exitCode}`);
      return isOpen(port);
    });
    return started;
  }

  /** True if it sends requests to this node, 0 or 1, because the node is ready. */
  async uses(node: number): Promise<boolean> {
    const lines = (await (await fetch(`http://127.0.0.1:${this.statistics}/;csv`)).text()).split('\n');
    const row = lines.find((line) => line.startsWith(`ready,node${node + 1},`));
    return row?.split(',').includes('UP') === true;
  }

  async stop(): Promise<void> {
    await stopHaproxy(this.child);
    await rm(this.folder, { recursive: true });
  }
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1');
    const end = (is: boolean) => {
      socket.destroy();
      resolve(is);
    };
    socket.once('connect', () => end(true)).once('error', () => end(false));
  });
}
