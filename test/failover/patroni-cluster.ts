import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePorts } from '../support/portal/portal.js';
import { until } from '../support/until.js';
import { DatabaseServer, identity } from './database-server.js';

const password = 'portal-of-the-trial';

interface Member {
  name: string;
  role: string;
  state: string;
  timeline?: number;
}

/** Three database servers with synchronous replication, and the etcd in which they agree about their primary. */
export class PatroniCluster {
  private constructor(
    readonly folder: string,
    private readonly etcd: ChildProcess,
    readonly servers: DatabaseServer[],
  ) {}

  static async start(): Promise<PatroniCluster> {
    const folder = await mkdtemp(join(tmpdir(), 'gatehouse-failover-'));
    await promisify(execFile)('chmod', ['755', folder]);
    const [client = 0, peer = 0, ...ports] = await freePorts(8);
    const at = (port: number) => `http://127.0.0.1:${port}`;
    const etcd = spawn(
      'etcd',
      [
        ...[
          '--data-dir',
          join(folder, 'etcd'),
          '--name',
          'etcd1',
          '--logger',
          'zap',
          '--log-level',
          'error',
          '--enable-v2',
        ],
        ...['--listen-client-urls', at(client), '--advertise-client-urls', at(client)],
        ...['--listen-peer-urls', at(peer), '--initial-advertise-peer-urls', at(peer)],
        ...['--initial-cluster', `etcd1=${at(peer)}`],
      ],
      { stdio: 'ignore' },
    );
    const servers: DatabaseServer[] = [];
    for (const [index, name] of ['db1', 'db2', 'db3'].entries()) {
      const [port = 0, restPort = 0] = ports.slice(2 * index);
      const place = { folder: join(folder, name), name, port, restPort, etcd: `127.0.0.1:${client}` };
      servers.push(await DatabaseServer.create(place));
    }
    const cluster = new PatroniCluster(folder, etcd, servers);
    for (const server of servers) server.startPatroni();
    await cluster.isWhole();
    await (await cluster.primary()).createDatabase(password);
    return cluster;
  }

  /** The addresses for `deploy/failover/haproxy-postgres.cfg`. */
  get addresses(): Record<string, string> {
    return Object.fromEntries(
      this.servers.flatMap(({ port, restPort }, index) => [
        [`DB${index + 1}`, `127.0.0.1:${port}`],
        [`DB${index + 1}_PATRONI`, String(restPort)],
      ]),
    );
  }

  urlAt(port: number): string {
    return `postgres://gatehouse:${password}@127.0.0.1:${port}/gatehouse`;
  }

  async primary(): Promise<DatabaseServer> {
    let found: DatabaseServer | undefined;
    await until(async () => {
      found = this.find((await this.members()).find(({ role }) => role === 'leader'));
      return found !== undefined;
    });
    return found as DatabaseServer;
  }

  /** One that has each commit, and can take over. */
  async synchronousStandby(): Promise<DatabaseServer> {
    return this.find((await this.members()).find(({ role }) => role === 'sync_standby')) as DatabaseServer;
  }

  /** Resolves when both standbys replicate from the same primary, synchronously. */
  async isWhole(): Promise<void> {
    await until(async () => {
      const members = await this.members();
      const roles = members.map(({ role }) => role).sort();
      return (
        roles.join() === 'leader,sync_standby,sync_standby' &&
        members.every(({ state }) => state === 'running' || state === 'streaming') &&
        new Set(members.map(({ timeline }) => timeline)).size === 1
      );
    }, 240_000);
  }

  async patronictl(...command: string[]): Promise<void> {
    const [first] = this.servers;
    await promisify(execFile)('patronictl', ['-c', first?.configFolder ?? '', ...command], {
      ...identity,
      cwd: '/',
      env: first?.env,
    });
  }

  async remove(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.remove()));
    this.etcd.kill('SIGKILL');
    await rm(this.folder, { recursive: true, force: true, maxRetries: 20 });
  }

  /** As one of the servers that answer knows them. */
  private async members(): Promise<Member[]> {
    const asked = this.servers.map(async ({ restPort }) => {
      const answer = await fetch(`http://127.0.0.1:${restPort}/cluster`, { signal: AbortSignal.timeout(2_000) });
      return ((await answer.json()) as { members: Member[] }).members;
    });
    return Promise.any(asked).catch(() => []);
  }

  private find(member: Member | undefined): DatabaseServer | undefined {
    return this.servers.find(({ name }) => name === member?.name);
  }
}
