import { setTimeout as sleep } from 'node:timers/promises';
import { launchOfAnswer } from '../../support/apps/launch-entries.js';
import { SmartApp, type Tokens } from '../../support/apps/smart-app.js';
import { type ClientKind, clientKinds } from '../../support/clients/client-kinds.js';
import { Agent, type Answer } from '../../support/http/agent.js';
import { HeldRequest } from '../../support/http/held-request.js';
import { TrickledRequest, trickles } from '../../support/http/trickled-request.js';
import { BusyNode } from '../../support/portal/busy-node.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { inTurn } from '../../support/runs.js';
import { people } from '../../support/users/people.js';

const firsts = ['code', 'refresh token'] as const;
const modelOf = { code: 'AuthorizationCode', 'refresh token': 'RefreshToken' };
const ways = Object.keys(trickles) as (keyof typeof trickles)[];

let portal: TestPortal;
let browser: Agent;
/** The first node, at which requests come late. */
let busy: BusyNode;

beforeAll(async () => {
  const clients = clientKinds.map((kind) => kind.client('late', { accessTokenType: 'Reference' }));
  portal = await startPortal({ nodes: 2, config: { users: [people.patient], clients } });
  busy = new BusyNode(portal);
  browser = new Agent(portal.issuer, portal.ports[1]);
  await new SmartApp(portal, {}, browser).signIn(people.patient);
});
afterAll(() => portal.close());

const agentOf = (node: number) => new Agent(portal.issuer, portal.ports[node]);

describe.each(clientKinds)('A code or token ($name)', (kind) => {
  const client = kind.client('late');
  const recorded = async (type: string) =>
    (
      await portal.query<{ kind: string }>(
        "SELECT detail ->> 'kind' AS kind FROM audit_event WHERE type = $1 AND client_id = $2 ORDER BY id",
        [type, client.clientId],
      )
    ).map((row) => row.kind);

  beforeEach(() => portal.query("DELETE FROM oidc_record WHERE model NOT IN ('Session', 'Interaction')"));

  it.each(firsts.flatMap((first) => inTurn(ways, kind.number).map((way) => [first, way] as const)))(
    'that a thief began to send before it was used, and ended to send after that, ends the access: %s, first %s',
    async (first, way) => {
      const { app, send } = await begin(kind, first);
      const before = await recorded('token.reused');
      const theft = new TrickledRequest(portal.issuer, portal.ports[0] ?? 0, way, send);
      await theft.begun;
      await sleep(50);
      const newest = await useUp(app, send);
      theft.finish();
      expect([(await theft.answer).status, (await theft.answer).json().error]).toEqual([400, 'invalid_grant']);
      expect((await app.refresh(newest.refresh_token ?? '', {}, agentOf(1))).status).toBe(400);
      expect((await kind.userinfo(agentOf(0), newest.access_token)).status).toBe(401);
      expect(await recorded('token.reused')).toEqual([...before, modelOf[first]]);
    },
  );

  it.each(firsts)(
    'in a request that waited for a connection to the database meanwhile ends nothing: %s',
    async (first) => {
      const { app, send } = await begin(kind, first);
      const before = { late: await recorded('token.late'), reused: await recorded('token.reused') };
      let newest: Tokens | undefined;
      const late = await busy.during(async () => {
        const held = new HeldRequest(portal.issuer, portal.ports[0] ?? 0, send);
        await held.isSent;
        await busy.isWaitedFor();
        newest = await useUp(app, send);
        return held;
      });
      const answer = (await late.answer) as Answer;
      expect([answer.status, answer.json().error]).toEqual([400, 'invalid_grant']);
      const { outcome, entries } = await launchOfAnswer(portal, answer);
      expect([outcome, entries.map(({ code }) => code).filter((code) => code.endsWith('-late'))]).toEqual([
        'completed',
        [`${first.replace(' ', '-')}-late`],
      ]);
      expect(await recorded('token.late')).toEqual([...before.late, modelOf[first]]);
      expect(await recorded('token.reused')).toEqual(before.reused);
      expect((await kind.userinfo(agentOf(0), newest?.access_token ?? '')).status).toBe(200);
      expect((await app.refresh(newest?.refresh_token ?? '', {}, agentOf(1))).status).toBe(200);
    },
  );

  it.each(firsts)('in a request whose sender gave up before its turn is not used: %s', async (first) => {
    const { send } = await begin(kind, first);
    await busy.during(async () => {
      const held = new HeldRequest(portal.issuer, portal.ports[0] ?? 0, send);
      await held.isSent;
      await busy.isWaitedFor();
      held.close();
      await sleep(50);
    });
    await sleep(100);
    const used = await portal.query('SELECT FROM oidc_record WHERE model = $1 AND consumed_at IS NOT NULL', [
      modelOf[first],
    ]);
    expect(used).toEqual([]);
    expect((await send(agentOf(0))).status).toBe(200);
  });
});

async function begin(
  kind: ClientKind,
  first: (typeof firsts)[number],
): Promise<{ app: SmartApp; send: (agent: Agent) => Promise<Answer> }> {
  const app = kind.app(portal, kind.client('late'), {}, browser);
  const code = (await app.complete(people.patient)).searchParams.get('code') ?? '';
  if (first === 'code') return { app, send: (agent) => app.exchange(code, {}, agent) };
  const { refresh_token: token = '' } = (await app.exchange(code, {}, agentOf(1))).json<Tokens>();
  return { app, send: (agent) => app.refresh(token, {}, agent) };
}

/** The app uses its code or token, and then the refresh token that it got; returns its newest tokens. */
async function useUp(app: SmartApp, send: (agent: Agent) => Promise<Answer>): Promise<Tokens> {
  const first = await send(agentOf(1));
  const second = await app.refresh(first.json<Tokens>().refresh_token ?? '', {}, agentOf(1));
  expect([first.status, second.status]).toEqual([200, 200]);
  return second.json<Tokens>();
}
