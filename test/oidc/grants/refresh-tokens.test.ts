import { decodeJwt } from 'jose';
import { SmartApp, type Tokens } from '../../support/apps/smart-app.js';
import { clientKinds } from '../../support/clients/client-kinds.js';
import { alterClient, confidentialApp, publicApp, sharedSecret } from '../../support/clients/clients.js';
import { Agent, type Answer } from '../../support/http/agent.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { itInTurn } from '../../support/runs.js';
import { eventually } from '../../support/until.js';
import { people } from '../../support/users/people.js';

const day = 24 * 3600;
const quietApps = clientKinds.map((kind) => kind.client('quiet'));
const briefApps = clientKinds.map((kind) => kind.client('brief', { consentLifetime: '01:00:00' }));

let portal: TestPortal;
/** Signed in, so that a code needs few requests. */
let browser: Agent;

beforeAll(async () => {
  portal = await startPortal({
    nodes: 2,
    config: { users: [people.patient], clients: [publicApp, confidentialApp, ...quietApps, ...briefApps] },
  });
  browser = new Agent(portal.issuer);
  await new SmartApp(portal, {}, browser).signIn(people.patient);
});

afterAll(() => portal.close());

function expectRefusal(answer: Answer, error = 'invalid_grant'): void {
  expect([answer.status, answer.json().error]).toEqual([400, error]);
  expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
}

/** Changes the rows as if this time had passed. */
const age = (table: string, condition: string, seconds: number) =>
  portal.query(`UPDATE ${table} SET expires_at = expires_at - make_interval(secs => $1) WHERE ${condition}`, [seconds]);

const agentOf = (node: number) => new Agent(portal.issuer, portal.ports[node % 2]);

describe.each(clientKinds)('A refresh token ($name)', (kind) => {
  const inTurn = itInTurn(kind.number);
  const quietApp = kind.client('quiet');
  const app = (signedIn = browser) => kind.app(portal, quietApp, {}, signedIn);
  const refreshToken = async () => (await app().tokens(people.patient)).refresh_token ?? '';
  const userinfo = (token: string) => kind.userinfo(new Agent(portal.issuer), token);
  const ageOf = (model: string, seconds: number) =>
    age('oidc_record', `model LIKE '${model}' AND client_id = '${quietApp.clientId}'`, seconds);

  async function refreshed(token: string, parameters: Record<string, string> = {}) {
    const answer = await app().refresh(token, parameters);
    expect([answer.status, answer.status === 200 ? '' : answer.text]).toEqual([200, '']);
    return answer.json<Tokens & { refresh_token: string }>();
  }

  it('is sufficient for a public client, unless it is bound to a key, and not for a confidential one', async () => {
    const form = { grant_type: 'refresh_token', refresh_token: await refreshToken() };
    const alone = await new Agent(portal.issuer).postForm('/connect/token', form);
    if (kind.isPublic && kind.tokenType === 'Bearer') expect(alone.status).toBe(200);
    else if (kind.isPublic) expectRefusal(alone);
    else expect([alone.status, alone.json().error]).toEqual([401, 'invalid_client']);
  });

  inTurn('SMART refresh-body is replaced at each refresh, and the new one works', async () => {
    const first = await refreshToken();
    const second = await refreshed(first);
    expect(second.refresh_token).not.toBe(first);
    const third = await refreshed(second.refresh_token);
    expect(third).toMatchObject({ scope: second.scope, patient: '1', need_patient_banner: true });
    expect(third.smart_style_url).toBe(second.smart_style_url);
  });

  it('B-08 R-03 that is sent again because the response was lost gets the same response on any node, and its successor works', async () => {
    const token = await refreshToken();
    const answers = [
      await app().refresh(token),
      await app().refresh(token),
      await app().refresh(token, {}, agentOf(1)),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    const { access_token, refresh_token: next = '' } = answers[0]?.json<Tokens>() ?? { access_token: '' };
    expect((await userinfo(access_token)).status).toBe(200);
    await refreshed(next);
  });

  it('B-08 that is sent again after 30 seconds was stolen: its whole grant ends', async () => {
    const first = await refreshToken();
    const second = await refreshed(first);
    await age('refresh_answer', 'true', 31);
    expectRefusal(await app().refresh(first));
    expectRefusal(await app().refresh(second.refresh_token));
    await eventually(async () => expect((await userinfo(second.access_token)).status).toBe(401));
  });

  it('B-08 that is sent again after its successor was used was stolen, at any time', async () => {
    const first = await refreshToken();
    const second = await refreshed(first);
    const third = await refreshed(second.refresh_token);
    expectRefusal(await app().refresh(first));
    expectRefusal(await app().refresh(third.refresh_token));
    await eventually(async () => expect((await userinfo(third.access_token)).status).toBe(401));
  });

  inTurn('B-08 that is sent again with another request does not get the first response', async () => {
    const first = await refreshToken();
    const second = await refreshed(first);
    expectRefusal(await app().refresh(first, { scope: 'openid' }));
    expectRefusal(await app().refresh(second.refresh_token));
  });

  it('SMART refresh-scope may be narrowed to fewer actions and to one type, for one access token', async () => {
    const granted = 'launch/patient offline_access patient/*.rs';
    let { refresh_token: token = '' } = await kind
      .app(portal, quietApp, { scope: granted }, browser)
      .tokens(people.patient);
    for (const [scope, given] of [
      ['patient/*.r', 'patient/*.r'],
      ['patient/Observation.r patient/Condition.rs', 'patient/Observation.r patient/Condition.rs'],
      ['patient/Observation.read offline_access', 'offline_access patient/Observation.read'],
      [undefined, granted],
    ]) {
      const next = await refreshed(token, scope === undefined ? {} : { scope });
      expect(next.scope.split(' ').sort()).toEqual(String(given).split(' ').sort());
      expect(decodeJwt(next.access_token).scope).toBe(next.scope);
      token = next.refresh_token;
    }
    for (const scope of ['patient/*.cr', 'user/*.r', 'patient/Observation.d']) {
      const refused = await app().refresh(token, { scope });
      expect([scope, refused.status, refused.json().error]).toEqual([scope, 400, 'invalid_scope']);
    }
    await refreshed(token);
  });

  it('SMART refresh-client-binding is refused for another client, and still works for its own', async () => {
    const token = await refreshToken();
    const others = [
      new SmartApp(portal, { client: confidentialApp, secret: sharedSecret }),
      new SmartApp(portal, { client: publicApp }),
    ];
    for (const other of others) expectRefusal(await other.refresh(token));
    const second = await refreshed(token);
    // Other clients do not get the stored answer for a retry either.
    for (const other of others) expectRefusal(await other.refresh(token));
    await refreshed(second.refresh_token);
  });

  inTurn('SMART refresh-invalid that is unknown is refused', async () => {
    for (const token of ['made-up', '', 'a.b.c', 'x'.repeat(20_000), '~x.y.z']) {
      expect((await app().refresh(token)).status).toBe(400);
    }
  });

  inTurn('ignores the same scopes at a refresh as at the authorization, and repeats its response', async () => {
    const scope = 'openid fhirUser made-up groups system/*.rs launch patient/*.rs patient/*.sr offline_access';
    const one = kind.app(portal, quietApp, { scope }, browser);
    const first = await one.tokens(people.patient);
    expect(first.scope).toBe('openid fhirUser patient/*.rs offline_access');
    const second = await refreshed(first.refresh_token ?? '', { scope });
    expect(second.scope).toBe(first.scope);
    expect(await refreshed(first.refresh_token ?? '', { scope })).toEqual(second);
    expectRefusal(await app().refresh(second.refresh_token, { scope: 'made-up groups' }), 'invalid_scope');
    expectRefusal(await app().refresh(second.refresh_token, { scope: `${scope} user/*.rs` }), 'invalid_scope');
    expect((await refreshed(second.refresh_token)).scope).toBe(first.scope);
  });

  inTurn(
    'SMART refresh-scope B-11 returns fewer scopes on request, never more, and can return all of them later',
    async () => {
      const first = await refreshToken();
      expectRefusal(await app().refresh(first, { scope: 'openid user/*.rs' }), 'invalid_scope');
      const less = await refreshed(first, { scope: 'launch/patient patient/*.rs' });
      expect(less.scope).toBe('launch/patient patient/*.rs');
      const all = await refreshed(less.refresh_token);
      expect(all.scope).toBe('openid fhirUser launch/patient patient/*.rs offline_access');
      expect((await refreshed(all.refresh_token, { scope: all.scope })).scope).toBe(all.scope);
    },
  );

  inTurn('B-12 returns only the scopes that the client may still have', async () => {
    const first = await refreshToken();
    await alterClient(portal, quietApp.clientId, { settings: { allowedResourceTypes: ['Observation'] } });
    try {
      expect((await refreshed(first)).scope).not.toContain('patient/*.rs');
    } finally {
      await alterClient(portal, quietApp.clientId, { settings: { allowedResourceTypes: [] } });
    }
  });

  inTurn('SMART refresh-three-months B-13 B-14 has its full lifetime again after each refresh', async () => {
    const first = await refreshToken();
    const left = async () => {
      const [row] = await portal.query<{ left: number }>(
        `SELECT extract(epoch FROM expires_at - now())::float8 AS left FROM oidc_record
          WHERE model = 'RefreshToken' AND client_id = $1 ORDER BY created_at DESC LIMIT 1`,
        [quietApp.clientId],
      );
      return row?.left ?? 0;
    };
    expect(await left()).toBeCloseTo(90 * day, -2);
    await ageOf('%', 89 * day);
    // The grant is still valid on day 89, and this refresh extends it.
    const second = await refreshed(first);
    expect(await left()).toBeCloseTo(90 * day, -2);
    await ageOf('%', 89 * day);
    await refreshed(second.refresh_token);
  });

  inTurn('B-13 is refused after its lifetime', async () => {
    const token = await refreshToken();
    await ageOf('RefreshToken', 90 * day + 1);
    expectRefusal(await app().refresh(token));
  });

  inTurn('B-13 expires with the consent at the latest', async () => {
    const briefApp = kind.client('brief');
    const brief = kind.app(portal, briefApp, {}, browser);
    const token = (await brief.tokens(people.patient)).refresh_token ?? '';
    const left = async (models: string[]) => {
      const [row] = await portal.query<{ left: number }>(
        `SELECT max(extract(epoch FROM expires_at - now()))::float8 AS left FROM oidc_record
          WHERE client_id = $1 AND model = ANY ($2)`,
        [briefApp.clientId, models],
      );
      return row?.left;
    };
    expect(await left(['RefreshToken', 'Grant'])).toBeLessThanOrEqual(3600);
    expect((await brief.refresh(token)).status).toBe(200);
    expect(await left(['Grant'])).toBeLessThanOrEqual(3600);
  });

  inTurn('SMART refresh-offline B-15 of an app with offline access still works after sign-out', async () => {
    const patient = app(new Agent(portal.issuer));
    const token = (await patient.tokens(people.patient)).refresh_token ?? '';
    await patient.browser.signOut();
    expect((await app().refresh(token)).status).toBe(200);
  });
});
