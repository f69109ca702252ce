import { Sweeper } from '../../../src/oidc-store/infrastructure/sweeper.js';
import { SmartApp } from '../../support/apps/smart-app.js';
import { assertionType, clientAssertion, makeClientKey, serviceWithKeys } from '../../support/clients/assertions.js';
import { type ClientKind, clientKinds } from '../../support/clients/client-kinds.js';
import { publicApp } from '../../support/clients/clients.js';
import { Agent } from '../../support/http/agent.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { isLong } from '../../support/runs.js';
import { until } from '../../support/until.js';
import { people } from '../../support/users/people.js';

const expired = isLong ? 1_000_000 : 23_000;
const abandoned = isLong ? 50_000 : 300;
/** The time limit in milliseconds for the many rows of the long run. */
const longest = isLong ? 30 * 60_000 : undefined;
const app = { ...publicApp, requireConsent: false };
const apps = clientKinds.map((kind) => kind.client('refreshing'));
const key = await makeClientKey('ES384', 'key');
const service = serviceWithKeys('keyed-service', [key]);

let portal: TestPortal;
const sweepers: Sweeper[] = [];

beforeAll(async () => {
  portal = await startPortal({ nodes: 2, config: { users: [people.patient], clients: [app, ...apps, service] } });
  for (const node of portal.apps) sweepers.push(node.get(Sweeper, { strict: false }));
});

afterAll(() => portal.close());

const count = async (condition: string) => (await portal.query(`SELECT FROM oidc_record WHERE ${condition}`)).length;
const sweep = async () => {
  const removed = await Promise.all(sweepers.map((sweeper) => sweeper.sweep()));
  return removed.reduce((sum, one) => sum + one, 0);
};

it('R-16 all expired rows are deleted while tokens are issued, and no valid or recently used row is', async () => {
  const browser = new Agent(portal.issuer);
  const begin = async (kind: ClientKind) => {
    const smart = kind.app(portal, kind.client('refreshing'), {}, browser);
    return { smart, token: (await smart.tokens(people.patient)).refresh_token ?? '' };
  };
  const repeated: { smart: SmartApp; token: string; answer: string }[] = [];
  for (const kind of clientKinds) {
    const { smart, token } = await begin(kind);
    repeated.push({ smart, token, answer: (await smart.refresh(token)).text });
  }
  const assertion = await clientAssertion({
    clientId: service.clientId,
    audience: `${portal.issuer}/connect/token`,
    key,
  });
  const prove = () =>
    new Agent(portal.issuer).postForm('/connect/token', {
      grant_type: 'client_credentials',
      scope: 'system/*.rs',
      client_assertion_type: assertionType,
      client_assertion: assertion,
    });
  expect((await prove()).status).toBe(200);
  // They stay valid, also on a slow machine.
  await portal.query("UPDATE refresh_answer SET expires_at = now() + interval '10 minutes'");
  const living = await count('expires_at > now()');
  await portal.query(
    `INSERT INTO oidc_record (model, id_hash, payload, expires_at)
     SELECT 'AccessToken', 'expired ' || i, '{"kind":"AccessToken"}', now() - interval '1 hour'
       FROM generate_series(1, $1::int) i`,
    [expired],
  );

  // Other tokens than those above: the stored answer is deleted when its successor is used.
  const asked: { smart: SmartApp; token: string }[] = [];
  for (const kind of clientKinds) asked.push(await begin(kind));
  let going = true;
  const statuses: number[] = [];
  const asking = (async () => {
    for (let turn = 0; going; turn += 1) {
      const one = asked[turn % asked.length] as (typeof asked)[number];
      const refreshed = await one.smart.refresh(one.token);
      statuses.push(refreshed.status);
      one.token = refreshed.json<{ refresh_token: string }>().refresh_token;
    }
  })();
  await until(() => statuses.length > 0);
  expect(await sweep()).toBe(expired);
  // One refresh more than those that ran during the deletion.
  const before = statuses.length;
  await until(() => statuses.length > before);
  going = false;
  await asking;
  expect(statuses.filter((status) => status !== 200)).toEqual([]);

  expect(await count("id_hash LIKE 'expired %'")).toBe(0);
  expect(await count('expires_at > now()')).toBeGreaterThanOrEqual(living);
  for (const { smart, token, answer } of repeated) expect((await smart.refresh(token)).text).toBe(answer);
  expect((await prove()).status).toBe(401);
});

it(
  'S-04 all abandoned authorization requests are deleted after they have expired',
  async () => {
    const before = await count("model = 'Interaction'");
    const agent = new Agent(portal.issuer);
    const begin = async () => {
      const query = new SmartApp(portal, { client: app }).query();
      expect((await agent.get(`/connect/authorize?${query}`)).status).toBe(303);
    };
    for (let begun = 0; begun < abandoned; begun += 10) await Promise.all(Array.from({ length: 10 }, begin));
    expect(await count("model = 'Interaction'")).toBe(before + abandoned);
    await portal.query("UPDATE oidc_record SET expires_at = now() - interval '2 minutes' WHERE model = 'Interaction'");
    await sweep();
    expect(await count("model = 'Interaction'")).toBe(0);
  },
  longest,
);
