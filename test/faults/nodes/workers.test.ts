import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { Agent as HttpAgent, request } from 'node:http';
import { createServer, type Socket } from 'node:net';
import pg from 'pg';
import { basicAuthorization } from '../../support/apps/smart-app.js';
import { backendService, sharedSecret } from '../../support/clients/clients.js';
import { addressOf, createDatabase, type TestConnection } from '../../support/database/database.js';
import { freePorts } from '../../support/portal/portal.js';
import { PortalProcess } from '../../support/portal/portal-process.js';
import { Scraped } from '../../support/portal/scraped.js';
import { itInLongRun } from '../../support/runs.js';
import { until } from '../../support/until.js';

const headers = {
  ...basicAuthorization(backendService.clientId, sharedSecret),
  'content-type': 'application/x-www-form-urlencoded',
};
const introspecting = { ...backendService, allowIntrospection: true };

let database: { connection: TestConnection; drop(): Promise<void> };
let port: number;
let management: number;
let portal: PortalProcess;
/** The process of the portal's embedded PostgreSQL, and its arguments. */
let postgres: number;
let postgresArguments: string;
let connections: Connection[] = [];
let isLoading = false;

beforeAll(async () => {
  database = await createDatabase();
  [port = 0] = await freePorts(1);
});

afterEach(() => {
  isLoading = false;
  for (const one of connections) one.close();
  connections = [];
});

afterAll(async () => {
  // Failed tests leave it behind.
  await portal?.end('SIGTERM');
  await database.drop();
});

/** A persistent connection, which one worker serves: the primary process gives them to the workers in turn. */
class Connection {
  isOpen = true;
  private readonly agent = new HttpAgent({ keepAlive: true, maxSockets: 1 });
  private readonly sockets = new Set<Socket>();

  constructor() {
    connections.push(this);
  }

  get(path: string): Promise<{ status: number; text: string }> {
    return this.send('GET', path);
  }

  post(path: string, form: Record<string, string>): Promise<{ status: number; text: string }> {
    return this.send('POST', path, new URLSearchParams(form).toString());
  }

  close(): void {
    this.agent.destroy();
  }

  private send(method: string, path: string, body?: string): Promise<{ status: number; text: string }> {
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          host: '127.0.0.1',
          port,
          method,
          path,
          agent: this.agent,
          headers: { ...headers, host: `localhost:${port}` },
        },
        (answer) => {
          let text = '';
          if (answer.headers.connection === 'close') this.isOpen = false;
          answer.on('data', (chunk) => {
            text += chunk;
          });
          answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
          answer.on('error', reject);
        },
      );
      sent.on('socket', (socket) => {
        if (this.sockets.has(socket)) return;
        this.sockets.add(socket);
        socket.once('close', () => {
          this.isOpen = false;
        });
      });
      sent.on('error', (error) => {
        // The end of the connection is told before it is closed: a request in between would open a new one.
        this.isOpen = false;
        reject(error);
      });
      sent.end(body);
    });
  }
}

const ask = () => new Connection();

/** Two connections, one to each worker. */
async function oneOfEach(): Promise<[Connection, Connection]> {
  const both: [Connection, Connection] = [ask(), ask()];
  for (const one of both) await one.get('/health/live');
  return both;
}

const metric = (text: string, name: string) => Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1]);

async function workersThatServe(): Promise<number> {
  return metric(
    (
      await ask()
        .get('/metrics')
        .catch(() => ({ text: '' }))
    ).text,
    'gatehouse_workers',
  );
}

const processesBelow = (pid: number, name: 'node' | 'postgres' = 'node') =>
  execFileSync('pgrep', ['-P', String(pid), name], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map(Number);

const token = (from: Connection) =>
  from.post('/connect/token', { grant_type: 'client_credentials', scope: 'system/*.rs' });

describe('Two workers of one portal with its embedded PostgreSQL', () => {
  beforeAll(async () => {
    [management = 0] = await freePorts(1);
    portal = await PortalProcess.start({
      database: database.connection,
      port,
      config: {
        server: {
          issuer: `http://localhost:${port}`,
          port,
          workers: 2,
          stopDelay: 1,
          management: { port: management },
        },
        // Its own, in place of the other one.
        database: { poolSize: 60 },
        clients: [introspecting],
      },
    });
    await until(async () => (await workersThatServe()) === 2);
    [postgres] = processesBelow(portal.pid, 'postgres') as [number];
    postgresArguments = execFileSync('ps', ['-o', 'args=', '-p', String(postgres)], { encoding: 'utf8' });
  });

  it('have connections for all of them', async () => {
    expect(Number(/max_connections=(\d+)/.exec(postgresArguments)?.[1])).toBeGreaterThanOrEqual(2 * 61);
    const scraped = await Scraped.from(`http://127.0.0.1:${management}/metrics`);
    expect(scraped.value('gatehouse_database_connections_max')).toBe(2 * 60);
  });

  it('serve one port, and each reports the metrics of both', async () => {
    const [, host] = /unix_socket_directories=(\S+)/.exec(postgresArguments) ?? [];
    const client = new pg.Client({ host, user: 'gatehouse', database: 'gatehouse' });
    await client.connect();
    await client.query("INSERT INTO job (kind, payload, due_at) VALUES ('forgotten', '{}', now())");
    await client.end();
    const [one, other] = await oneOfEach();
    const texts = [(await one.get('/metrics')).text, (await other.get('/metrics')).text];
    expect(texts.map((text) => metric(text, 'gatehouse_workers'))).toEqual([2, 2]);
    // A value of all nodes is not added up.
    expect(texts.map((text) => metric(text, 'gatehouse_jobs_due\\{kind="forgotten"\\}'))).toEqual([1, 1]);
    expect(portal.output.match(/Gatehouse is ready/g)).toHaveLength(1);
  });

  it('count requests for the management port, which has the sum of both', async () => {
    const kind = { kind: 'token', operation: 'client_credentials', outcome: 'ok' };
    const counted = async () =>
      (await Scraped.from(`http://127.0.0.1:${management}/metrics`)).value('gatehouse_requests_total', kind) ?? 0;
    const before = await counted();
    for (const one of await oneOfEach()) for (let sent = 0; sent < 3; sent += 1) await token(one);
    expect(await counted()).toBe(before + 6);
    expect(await Promise.all(Array.from({ length: 4 }, counted))).toEqual(Array(4).fill(before + 6));
  });

  it('believe a revocation at the other one', async () => {
    const [one, other] = await oneOfEach();
    const { access_token } = JSON.parse((await token(one)).text);
    const isActive = async (from: Connection) =>
      JSON.parse((await from.post('/connect/introspect', { token: access_token })).text).active;
    expect([await isActive(one), await isActive(other)]).toEqual([true, true]);
    expect((await one.post('/connect/revocation', { token: access_token })).status).toBe(200);
    expect(await isActive(one)).toBe(false);
    await until(async () => !(await isActive(other)));
  });

  it('lose neither a request of the other one nor the database when one is killed, and a new worker replaces it', async () => {
    const [killed, other] = processesBelow(portal.pid) as [number, number];
    const open = [...(await oneOfEach()), ...(await oneOfEach())];
    const failed = new Map<Connection, number>();
    isLoading = true;
    const load = open.map(async (one) => {
      // A connection of the killed worker breaks; its client opens no new one here.
      while (isLoading && one.isOpen) {
        const status = await token(one).then(
          (answer) => answer.status,
          () => 0,
        );
        if (status !== 200) failed.set(one, status);
      }
    });
    process.kill(killed, 'SIGKILL');
    await until(() => open.some((one) => !one.isOpen));
    // A connection that the primary process passes on before it has noticed the end is lost with the worker.
    await until(() => portal.output.includes('worker ended'));
    // New connections reach the other worker meanwhile.
    for (let index = 0; index < 20; index += 1) expect((await token(ask())).status).toBe(200);
    await until(async () => (await workersThatServe()) === 2);
    isLoading = false;
    await Promise.all(load);
    expect(open.filter((one) => one.isOpen).length).toBe(2);
    expect([...failed.keys()].filter((one) => one.isOpen).length).toBe(0);
    const now = processesBelow(portal.pid);
    expect([now.length, now.includes(killed), now.includes(other)]).toEqual([2, false, true]);
    expect(processesBelow(portal.pid, 'postgres')).toEqual([postgres]);
    expect(portal.output).toMatch(/"worker":\d+.*"signal":"SIGKILL".*worker ended; starting another in 1 s/);
  });

  it('keep what a worker has counted when it is killed', async () => {
    const kind = { kind: 'token', operation: 'client_credentials', outcome: 'ok' };
    const figures = async () => Scraped.from(`http://127.0.0.1:${management}/metrics`);
    const of = (scraped: Scraped) => [
      scraped.value('gatehouse_requests_total', kind) ?? 0,
      scraped.value('gatehouse_request_duration_seconds_count', { kind: 'token', operation: 'client_credentials' }) ??
        0,
      scraped.value('gatehouse_request_duration_seconds_bucket', { kind: 'token', le: '+Inf' }) ?? 0,
    ];
    for (const one of await oneOfEach()) for (let sent = 0; sent < 3; sent += 1) await token(one);
    const before = of(await figures());
    const [killed] = processesBelow(portal.pid) as [number];
    process.kill(killed, 'SIGKILL');
    await until(() => !processesBelow(portal.pid).includes(killed));
    await until(async () => (await workersThatServe()) === 2);
    expect(before[0]).toBeGreaterThanOrEqual(6);
    expect(of(await figures())).toEqual(before);
  });

  it('finish their requests after SIGTERM, and end with their database', async () => {
    const statuses: number[] = [];
    const load = [1, 2, 3, 4].map(async () => {
      const one = ask();
      // The portal announces with a response that it closes the connection.
      while (one.isOpen) statuses.push((await token(one)).status);
    });
    await until(() => statuses.length > 20);
    portal.signal('SIGTERM');
    await Promise.all(load);
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(await portal.end()).toBe(0);
    expect(existsSync(`/proc/${postgres}`)).toBe(false);
  });
});

describe('A portal with workers that cannot start', () => {
  const failureOf = (config: object) =>
    PortalProcess.start({ database: database.connection, port, config }).then(
      () => 'started',
      (error: Error) => error.message,
    );
  const count = (text: string, sentence: string) => text.split(sentence).length - 1;

  it('says once what is wrong with the configuration, and ends with code 1', async () => {
    const text = await failureOf({ server: { workers: 'many', port } });
    expect(count(text, 'server.workers: must be a whole number from 1 to 64, or auto')).toBe(1);
    expect(text).toMatch(/^the process ended \(1\) /);
  });

  // Starts three processes, as the next one does; which of them speaks is the same for each reason.
  itInLongRun('says once that the port is taken, and ends with code 1', async () => {
    const other = createServer((socket) => socket.destroy()).listen(port, '127.0.0.1');
    try {
      const text = await failureOf({ server: { issuer: `http://localhost:${port}`, port, workers: 2 } });
      expect(count(text, `Port ${port} is taken. Choose another with server.port.`)).toBe(1);
      expect(text).toMatch(/^the process ended \(1\) /);
    } finally {
      await new Promise((resolve) => other.close(resolve));
    }
  });

  it('says once that the database does not exist, and ends with code 1', async () => {
    const url = addressOf({ ...database.connection, database: 'none' });
    const text = await failureOf({
      server: { issuer: `http://localhost:${port}`, port, workers: 2 },
      database: { url },
    });
    expect(count(text, 'database "none" does not exist')).toBe(1);
    expect(text).toMatch(/^the process ended \(1\) /);
  });
});
