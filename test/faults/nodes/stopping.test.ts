import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, Agent as HttpAgent, type IncomingMessage, request, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { basicAuthorization, type SmartApp } from '../../support/apps/smart-app.js';
import { clientKinds } from '../../support/clients/client-kinds.js';
import { backendService, sharedSecret } from '../../support/clients/clients.js';
import { createDatabase, type TestConnection } from '../../support/database/database.js';
import { startUpstream, type Upstream } from '../../support/fhir/gateway.js';
import { observationOf } from '../../support/fhir/scripted-server.js';
import { Agent } from '../../support/http/agent.js';
import { freePorts } from '../../support/portal/portal.js';
import { PortalProcess } from '../../support/portal/portal-process.js';
import { isLong } from '../../support/runs.js';
import { until } from '../../support/until.js';
import { people } from '../../support/users/people.js';

const apps = clientKinds.map((kind) => kind.client('served'));
const form = { grant_type: 'client_credentials', scope: 'system/*.rs' };
const service = { headers: basicAuthorization(backendService.clientId, sharedSecret) };

let database: { connection: TestConnection; drop(): Promise<void> };
let upstream: Upstream;
/** Answers the request that waits at the FHIR server. */
let answer: (() => void) | undefined;
let nodes: PortalProcess[] = [];
let issuer: string;
let proxy: Server;

beforeAll(async () => {
  upstream = await startUpstream(({ url = '' }, response) => {
    const send = () => {
      response.writeHead(200, { 'Content-Type': 'application/fhir+json' }).end('{"resourceType":"Patient"}');
    };
    // Only requests for these wait, one of them in the middle of its answer; the nodes' own checks are answered.
    if (url.includes('/Patient')) answer = send;
    else if (url.includes('/Observation')) {
      const entries = Array.from({ length: 5_000 }, (_, id) => JSON.stringify({ resource: observationOf(`o${id}`) }));
      response.writeHead(200, { 'Content-Type': 'application/fhir+json' });
      response.write(`{"resourceType":"Bundle","type":"searchset","entry":[${entries},`);
      answer = () => response.end(`${entries[0]}]}`);
    } else send();
  });
  database = await createDatabase();
  proxy = loadBalancer();
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  issuer = `http://localhost:${(proxy.address() as AddressInfo).port}`;
});

afterEach(async () => {
  answer = undefined;
  await Promise.all(nodes.map((node) => node.end('SIGKILL')));
  nodes = [];
});

afterAll(async () => {
  proxy.closeAllConnections();
  proxy.close();
  upstream.close();
  await database.drop();
});

interface Start {
  stopDelay?: number;
  workers?: number;
  command?: readonly [string, ...string[]];
}

async function start(count: number, { stopDelay = 0, workers = 1, command }: Start = {}): Promise<void> {
  const ports = await freePorts(count);
  for (const port of ports) {
    const config = {
      server: { issuer, port, stopDelay, workers },
      fhir: { baseUrl: upstream.url },
      users: [people.patient],
      clients: [...apps, backendService],
    };
    nodes.push(await PortalProcess.start({ database: database.connection, port, issuer, config, command }));
  }
}

/** Sends requests in turn to the nodes that report ready, over persistent connections, and repeats none. */
function loadBalancer(): Server {
  const kept = new HttpAgent({ keepAlive: true });
  let turn = 0;
  return createServer((incoming, outgoing) => {
    const ready = nodes.filter((node) => isReady.get(node) ?? true);
    const node = ready[turn++ % ready.length];
    const { method, url: path, headers } = incoming;
    const asked = request(
      {
        host: '127.0.0.1',
        port: node?.port,
        method,
        path,
        headers: { ...headers, connection: 'keep-alive' },
        agent: kept,
      },
      (answered) => {
        outgoing.writeHead(answered.statusCode ?? 0, answered.headers);
        answered.pipe(outgoing);
      },
    );
    asked.on('error', (error) => outgoing.writeHead(502).end(String(error)));
    incoming.pipe(asked);
  });
}

/** The latest readiness of each node. */
const isReady = new WeakMap<PortalProcess, boolean>();

const isListening = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });

async function serviceToken(port: number): Promise<string> {
  const answered = await new Agent(issuer, port).postForm('/connect/token', form, service);
  return answered.json<{ access_token: string }>().access_token;
}

/**
 * Starts a request that waits for the FHIR server; returns its status and the header `Connection`, or undefined if it
 * breaks.
 */
async function begin(node: PortalProcess): Promise<{ answered: Promise<unknown[] | undefined> }> {
  const headers = { authorization: `Bearer ${await serviceToken(node.port)}` };
  const begun = new Agent(issuer, node.port).get('/fhir/Patient/1', { headers });
  const answered = begun.then(
    ({ status, headers: { connection } }) => [status, connection],
    () => undefined,
  );
  await until(() => answer !== undefined);
  return { answered };
}

type Way = [way: string, options: Start, signal: (node: PortalProcess) => void];

const container = readFileSync('Dockerfile', 'utf8')
  .match(/^CMD (.+)$/m)
  ?.at(1);
const ways: Way[] = [
  ['by the command of the Dockerfile', { command: JSON.parse(container ?? '') }, (node) => node.signal('SIGTERM')],
  ['by npm start', { command: ['npm', 'start'] }, (node) => node.signal('SIGTERM')],
  [
    'by npm start with two workers, and each process receives it',
    { command: ['npm', 'start'], workers: 2 },
    (node) => node.signalAll('SIGTERM'),
  ],
];

describe('R-13 A node that receives SIGTERM', () => {
  it.each(ways)(
    'accepts no new connections, finishes its requests, and ends, started %s',
    async (_, options, signal) => {
      await start(1, options);
      const [node] = nodes as [PortalProcess];
      const begun = await begin(node);
      signal(node);
      await until(async () => !(await isListening(node.port)));
      answer?.();
      const told = performance.now();
      expect(await begun.answered).toEqual([200, 'close']);
      expect(await node.end()).toBe(0);
      // Not at the end of its time, at which it breaks off what still runs.
      expect(performance.now() - told).toBeLessThan(15_000);
    },
  );

  it('ends when an answer is complete that had begun before, over a connection that the client keeps', async () => {
    await start(1);
    const [node] = nodes as [PortalProcess];
    const headers = { host: new URL(issuer).host, authorization: `Bearer ${await serviceToken(node.port)}` };
    const kept = new HttpAgent({ keepAlive: true });
    const asked = request({
      host: '127.0.0.1',
      port: node.port,
      path: '/fhir/Observation',
      headers,
      agent: kept,
    }).end();
    const [begun] = (await once(asked, 'response')) as [IncomingMessage];
    expect([begun.statusCode, begun.headers.connection]).toEqual([200, 'keep-alive']);
    node.signal('SIGTERM');
    await until(async () => !(await isListening(node.port)));
    answer?.();
    const told = performance.now();
    expect(JSON.parse(await text(begun)).entry).toHaveLength(5_001);
    expect(await node.end()).toBe(0);
    expect(performance.now() - told).toBeLessThan(15_000);
  });

  it('fails no request behind a load balancer that checks its readiness', async () => {
    await start(2, { stopDelay: 4 });
    const [leaving] = nodes as [PortalProcess];
    const browser = new Agent(issuer);
    const running: { smart: SmartApp; token: string }[] = [];
    for (const kind of clientKinds) {
      const smart = kind.app({ issuer, fhirBase: `${issuer}/fhir` }, kind.client('served'), {}, browser);
      running.push({ smart, token: (await smart.tokens(people.patient)).refresh_token ?? '' });
    }
    let going = true;
    const looking = (async () => {
      while (going) {
        for (const node of nodes) isReady.set(node, await node.isReady());
        await sleep(50);
      }
    })();
    const failed: string[] = [];
    let answered = 0;
    let refreshed = 0;
    const load = [0, 1, 2].map(async () => {
      while (going) {
        const { status, text } = await new Agent(issuer).postForm('/connect/token', form, service);
        if (status !== 200) failed.push(`${status} ${text}`);
        answered += 1;
      }
    });
    const refreshing = (async () => {
      for (let turn = 0; going; turn += 1) {
        const one = running[turn % running.length] as (typeof running)[number];
        const { status, text } = await one.smart.refresh(one.token);
        if (status !== 200) failed.push(`${status} ${text}`);
        else one.token = JSON.parse(text).refresh_token;
        refreshed += 1;
      }
    })();
    await until(() => answered > 50 && refreshed >= running.length);
    leaving.signal('SIGTERM');
    await until(async () => !(await leaving.isReady()));
    // Until then the node answers, and asks clients to close their connections.
    const live = await fetch(`http://127.0.0.1:${leaving.port}/health/live`);
    expect([live.status, live.headers.get('connection')]).toEqual([200, 'close']);
    expect(await leaving.end()).toBe(0);
    const [before, refreshedBefore] = [answered, refreshed];
    await until(() => answered > before + 50 && refreshed > refreshedBefore + running.length);
    going = false;
    await Promise.all([...load, looking, refreshing]);
    expect(failed).toEqual([]);
  });

  const itTakesLong = isLong ? it : undefined;
  itTakesLong?.each(ways)(
    'ends within 30 seconds although a request is still running, started %s',
    async (_, options, signal) => {
      await start(1, options);
      const [node] = nodes as [PortalProcess];
      const begun = await begin(node);
      const told = performance.now();
      signal(node);
      expect(await node.end()).toBe(0);
      expect(performance.now() - told).toBeLessThan(30_000);
      expect(await begun.answered).toBeUndefined();
    },
  );
});
