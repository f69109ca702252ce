import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { FapiApp, fapiClient, makeProofKey } from '../../support/apps/fapi-app.js';
import type { Tokens } from '../../support/apps/smart-app.js';
import { useBusyMachine } from '../../support/busy-machine.js';
import { makeClientKey } from '../../support/clients/assertions.js';
import { clientKinds } from '../../support/clients/client-kinds.js';
import { createDatabase } from '../../support/database/database.js';
import { Agent, type Answer } from '../../support/http/agent.js';
import { HeldRequest } from '../../support/http/held-request.js';
import { freePorts } from '../../support/portal/portal.js';
import { PortalProcess } from '../../support/portal/portal-process.js';
import { until } from '../../support/until.js';
import { people } from '../../support/users/people.js';

/** An app of one client, whose requests can be sent to either node. */
interface Sender {
  name: string;
  clientId: string;
  rotates: boolean;
  code(): Promise<string>;
  exchange(code: string, agent: Agent): Promise<Answer>;
  refresh(token: string, agent: Agent): Promise<Answer>;
  userinfo(agent: Agent, token: string): Promise<Answer>;
}

const fapiKey = await makeClientKey('ES256', 'key');
const fapiProofKey = await makeProofKey();
const fapi = fapiClient('fapi-app', fapiKey, { accessTokenType: 'Reference' });
const reference = { accessTokenType: 'Reference' };

let database: Awaited<ReturnType<typeof createDatabase>>;
let pool: pg.Pool;
let nodes: PortalProcess[];
let ports: number[];
let browser: Agent;
let senders: (() => Sender)[];

const issuer = () => `http://localhost:${ports[0]}`;
const portal = () => ({ issuer: issuer(), fhirBase: `${issuer()}/fhir` });
const agentOf = (node: number) => new Agent(issuer(), ports[node]);
const query = async <Row extends pg.QueryResultRow>(sql: string, parameters: unknown[] = []) =>
  (await pool.query<Row>(sql, parameters)).rows;

useBusyMachine();
beforeAll(async () => {
  database = await createDatabase();
  pool = new pg.Pool({ ...database.connection, max: 2 });
  pool.on('error', () => undefined);
  ports = await freePorts(2);
  nodes = [];
  const config = {
    users: [people.patient],
    clients: [...clientKinds.map((kind) => kind.client('late', reference)), fapi],
  };
  for (const port of ports) {
    nodes.push(await PortalProcess.start({ database: database.connection, port, issuer: issuer(), config }));
  }
  browser = new Agent(issuer(), ports[1]);
  const { email: username, password } = people.patient;
  expect((await browser.post('/api/session/login', { username, password })).status).toBe(200);
  senders = [...clientKinds.map((kind) => () => ofKind(kind)), ofProfile];
});

afterAll(async () => {
  for (const node of nodes) await node.end('SIGKILL');
  await pool.end();
  await database.drop();
});

function ofKind(kind: (typeof clientKinds)[number]): Sender {
  const client = kind.client('late');
  const app = kind.app(portal(), client, {}, browser);
  return {
    name: kind.name,
    clientId: client.clientId,
    rotates: true,
    code: async () => (await app.complete(people.patient)).searchParams.get('code') ?? '',
    exchange: (code, agent) => app.exchange(code, {}, agent),
    refresh: (token, agent) => app.refresh(token, {}, agent),
    userinfo: (agent, token) => kind.userinfo(agent, token),
  };
}

/** A proof needs a nonce, which the app gets by a request that is refused. */
function ofProfile(): Sender {
  const app = new FapiApp(portal() as never, fapi, fapiKey, fapiProofKey);
  app.port = ports[1];
  return {
    name: 'FAPI 2.0',
    clientId: fapi.clientId,
    rotates: false,
    async code() {
      await app.exchange('no-such-code');
      return app.code();
    },
    exchange: (code, agent) => app.exchange(code, {}, agent),
    refresh: (token, agent) => app.refresh(token, {}, agent),
    userinfo: (_, token) => app.get(`${issuer()}/connect/userinfo`, token),
  };
}

/** A request of a sender to the node that stands still, and what the sender has done since at the other one. */
interface Case {
  sender: Sender;
  first: 'code' | 'refresh token';
  isClosed: boolean;
  held: HeldRequest;
  newest?: Tokens;
}

const events = (type: string, clientId: string) =>
  query('SELECT detail FROM audit_event WHERE type = $1 AND client_id = $2', [type, clientId]);

const firsts = ['code', 'refresh token'] as const;

async function tokensOf(answer: Promise<Answer>): Promise<Tokens & { refresh_token: string }> {
  const { status, text, json } = await answer;
  if (status !== 200) throw new Error(`${status}: ${text}`);
  return json();
}

async function begin(sender: Sender, first: Case['first']): Promise<(agent: Agent) => Promise<Answer>> {
  const code = await sender.code();
  if (first === 'code') return (agent) => sender.exchange(code, agent);
  const { refresh_token: token } = await tokensOf(sender.exchange(code, agentOf(1)));
  return (agent) => sender.refresh(token, agent);
}

describe('A token request that a stopped node executes late', () => {
  let cases: Case[];

  beforeAll(async () => {
    const begun: (Omit<Case, 'held'> & { send: (agent: Agent) => Promise<Answer> })[] = [];
    for (const makeSender of senders) {
      for (const first of firsts) {
        for (const isClosed of [true, false]) {
          const sender = makeSender();
          begun.push({ sender, first, isClosed, send: await begin(sender, first) });
        }
      }
    }
    nodes[0]?.signal('SIGSTOP');
    cases = begun.map(({ send, ...one }) => ({ ...one, held: new HeldRequest(issuer(), ports[0] ?? 0, send) }));
    await Promise.all(cases.map(({ held }) => held.isSent));
    await sleep(100);
    for (const { isClosed, held } of cases) if (isClosed) held.close();
    for (const [index, one] of cases.entries()) {
      const { refresh_token: next } = await tokensOf(begun[index]?.send(agentOf(1)) as Promise<Answer>);
      one.newest = await tokensOf(one.sender.refresh(next, agentOf(1)));
    }
    nodes[0]?.signal('SIGCONT');
    await Promise.all(cases.map(({ held }) => held.answer));
    // What it had received is done when it answers again.
    await until(async () => (await agentOf(0).get('/health/ready')).status === 200);
  });

  const every = firsts.flatMap((first) =>
    [true, false].map((isClosed) => [first, isClosed ? 'closed' : 'open'] as const),
  );

  it.each(every)('ends nothing: a %s over a connection that is %s', async (first, connection) => {
    const these = cases.filter((one) => one.first === first && one.isClosed === (connection === 'closed'));
    expect(these).toHaveLength(clientKinds.length + 1);
    for (const { sender, newest } of these) {
      const { access_token = '', refresh_token = '' } = newest ?? {};
      expect([sender.name, (await sender.userinfo(agentOf(1), access_token)).status]).toEqual([sender.name, 200]);
      expect([sender.name, (await sender.refresh(refresh_token, agentOf(1))).status]).toEqual([sender.name, 200]);
      expect([sender.name, await events('token.reused', sender.clientId)]).toEqual([sender.name, []]);
    }
  });

  it.each(firsts)('gives no tokens a second time, and is recorded if its sender waited: a %s', async (first) => {
    for (const { sender, held, isClosed } of cases.filter((one) => one.first === first)) {
      const answer = await held.answer;
      if (isClosed) expect(answer).toBeUndefined();
      else if (first === 'code' || sender.rotates) {
        expect([sender.name, answer?.status, answer?.json().error]).toEqual([sender.name, 400, 'invalid_grant']);
      } else expect(answer?.status).toBe(200);
      const kind = first === 'code' ? 'AuthorizationCode' : 'RefreshToken';
      const late = (await events('token.late', sender.clientId)).filter(({ detail }) => detail.kind === kind);
      expect([sender.name, late.length]).toEqual([sender.name, first === 'code' || sender.rotates ? 1 : 0]);
    }
  });
});

describe('A token request whose sender has given up while the node stood still', () => {
  it.each(firsts)('is not executed, and can be repeated at any time: a %s', async (first) => {
    const begun = await Promise.all(
      senders.map(async (makeSender) => {
        const sender = makeSender();
        return { sender, send: await begin(sender, first) };
      }),
    );
    const used = () => query('SELECT FROM oidc_record WHERE consumed_at IS NOT NULL');
    const before = (await used()).length;
    nodes[0]?.signal('SIGSTOP');
    const held = begun.map(({ send }) => new HeldRequest(issuer(), ports[0] ?? 0, send));
    await Promise.all(held.map(({ isSent }) => isSent));
    await sleep(100);
    for (const one of held) one.close();
    nodes[0]?.signal('SIGCONT');
    await until(async () => (await agentOf(0).get('/health/ready')).status === 200);
    await sleep(300);
    expect(await used()).toHaveLength(before);
    for (const { sender, send } of begun) {
      expect([sender.name, (await send(agentOf(0))).status]).toEqual([sender.name, 200]);
    }
  });
});
