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

/** HAProxy in front of the nodes of a portal, configured as in `docs/operations.md`. */
export class Haproxy {
  private constructor(
    private readonly child: ChildProcess,
    private readonly folder: string,
    private readonly statistics: number,
  ) {}

  static async start(port: number, nodes: number[]): Promise<Haproxy> {
    const [statistics = 0] = await freePorts(1);
    const folder = await mkdtemp(join(tmpdir(), 'gatehouse-haproxy-'));
    const file = join(folder, 'haproxy.cfg');
    const servers = nodes.map((node) => `  server node${node} 127.0.0.1:${node}`).join('\n');
    await writeFile(
      file,
      `defaults
  mode http
  timeout connect 2s
  timeout client 60s
  timeout server 30s
  timeout check 5s
  option redispatch
  retries 3
  retry-on conn-failure empty-response 503
frontend portal
  bind 127.0.0.1:${port}
  default_backend gatehouse
backend gatehouse
  option httpchk GET /health/ready
  default-server check inter 1s fall 3 rise 1
${servers}
frontend statistics
  bind 127.0.0.1:${statistics}
  stats enable
  stats uri /
`,
    );
    const child = spawn('haproxy', ['-db', '-q', '-f', file], { stdio: ['ignore', 'ignore', 'inherit'] });
    const started = new Haproxy(child, folder, statistics);
    await until(() => {
      if (child.exitCode !== null) throw new Error(`HAProxy ended with ${child.exitCode}`);
      return isOpen(port);
    });
    return started;
  }

  /** True if it sends requests to this node. */
  async uses(node: number): Promise<boolean> {
    const lines = (await (await fetch(`http://127.0.0.1:${this.statistics}/;csv`)).text()).split('\n');
    const row = lines.find((line) => line.startsWith(`gatehouse,node${node},`));
    return row?.split(',').includes('UP') === true;
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null) {
      const exit = once(this.child, 'exit');
      this.child.kill('SIGKILL');
      await exit;
    }
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
