import { Agent, type Answer } from '../support/agent.js';
import { alterClient, confidentialApp, publicApp, sharedSecret } from '../support/clients.js';
import { people } from '../support/people.js';
import { startPortal, type TestPortal } from '../support/portal.js';
import { SmartApp, type Tokens } from '../support/smart-app.js';
import { eventually } from '../support/until.js';

const quietApp = { ...publicApp, clientId: 'quiet-app', requireConsent: false };
const briefApp = { ...quietApp, clientId: 'brief-app', consentLifetime: '01:00:00' };
const day = 24 * 3600;

let portal: TestPortal;

beforeAll(async () => {
  portal = await startPortal({
    nodes: 2,
    config: { users: [people.patient], clients: [publicApp, quietApp, briefApp, confidentialApp] },
  });
});

afterAll(() => portal.close());

const app = (client: { clientId: string } = quietApp) => new SmartApp(portal, { client });
const refreshTokens = async (client = quietApp) => (await app(client).tokens(people.patient)).refresh_token ?? '';

function expectRefusal(answer: Answer, error = 'invalid_grant'): void {
  expect([answer.status, answer.json().error]).toEqual([400, error]);
  expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
}

async function refreshed(
  token: string,
  parameters: Record<string, string> = {},
): Promise<Tokens & { refresh_token: string }> {
  const answer = await app().refresh(token, parameters);
  expect([answer.status, answer.status === 200 ? '' : answer.text]).toEqual([200, '']);
  return answer.json();
}

/** As if so much time had passed since. */
const age = (table: string, condition: string, seconds: number) =>
  portal.query(`UPDATE ${table} SET expires_at = expires_at - make_interval(secs => $1) WHERE ${condition}`, [seconds]);

const introspects = async (token: string) =>
  (await app().token({ grant_type: 'refresh_token', refresh_token: token })).status === 200;

const unconsumed = async () =>
  portal.query<{ most: string }>(
    `SELECT coalesce(max(n), 0) AS most FROM (SELECT count(*) AS n FROM oidc_record
       WHERE model = 'RefreshToken' AND consumed_at IS NULL GROUP BY grant_id) counted`,
  );

describe('A refresh token', () => {
  it('is all that a public app has to send, and not enough for a confidential one', async () => {
    const alone = async (token: string) =>
      new Agent(portal.issuer).postForm('/connect/token', { grant_type: 'refresh_token', refresh_token: token });
    expect((await alone(await refreshTokens())).status).toBe(200);
    const confidential = new SmartApp(portal, { client: confidentialApp, secret: sharedSecret });
    const { refresh_token: token = '' } = await confidential.tokens(people.patient);
    const refused = await alone(token);
    expect([refused.status, refused.json().error]).toEqual([401, 'invalid_client']);
    expectRefusal(await alone('unknown'), 'invalid_request');
  });

  it('SMART refresh-body is replaced by the refresh, and the new one works', async () => {
    const first = await refreshTokens();
    const second = await refreshed(first);
    expect(second.refresh_token).not.toBe(first);
    const third = await refreshed(second.refresh_token);
    expect(third).toMatchObject({ scope: second.scope, patient: '1', need_patient_banner: true });
    expect(third.smart_style_url).toBe(second.smart_style_url);
  });

  it('B-09 that is sent 20 times at once to two nodes gives one answer, the same for all', async () => {
    for (let round = 0; round < 3; round += 1) {
      const token = await refreshTokens();
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          app().refresh(token, {}, new Agent(portal.issuer, portal.ports[index % 2])),
        ),
      );
      expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
      const [answer] = answers;
      expect(answer?.status).toBe(200);
      expect(answer?.headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
      expect(Number((await unconsumed())[0]?.most)).toBe(1);
      await refreshed(answer?.json<Tokens>().refresh_token ?? '');
    }
  });

  it('B-08 that comes again after 30 seconds was stolen: everything of its grant ends', async () => {
    const first = await refreshTokens();
    const second = await refreshed(first);
    await age('refresh_answer', 'true', 31);
    expectRefusal(await app().refresh(first));
    expectRefusal(await app().refresh(second.refresh_token));
    await eventually(async () => expect((await userinfo(second.access_token)).status).toBe(401));
  });

  it('B-08 that comes again after its successor was used was stolen, whatever the time', async () => {
    const first = await refreshTokens();
    const second = await refreshed(first);
    const third = await refreshed(second.refresh_token);
    expectRefusal(await app().refresh(first));
    expectRefusal(await app().refresh(third.refresh_token));
    await eventually(async () => expect((await userinfo(third.access_token)).status).toBe(401));
  });

  it('B-08 that comes again with another request is not answered with what the first one got', async () => {
    const first = await refreshTokens();
    const second = await refreshed(first);
    expectRefusal(await app().refresh(first, { scope: 'openid' }));
    expectRefusal(await app().refresh(second.refresh_token));
  });

  it('SMART refresh-client-binding is worth nothing to another client, and is not harmed by its trying', async () => {
    const token = await refreshTokens();
    const other = new SmartApp(portal, { client: confidentialApp, secret: sharedSecret });
    expectRefusal(await other.refresh(token));
    expectRefusal(await app(publicApp).refresh(token));
    const second = await refreshed(token);
    // The answer that is kept for a retry is not for others either.
    expectRefusal(await other.refresh(token));
    expect(await introspects(second.refresh_token)).toBe(true);
  });

  it('SMART refresh-invalid that was made up is refused', async () => {
    for (const token of ['made-up', '', 'a.b.c', 'x'.repeat(20_000), '~x.y.z']) {
      expect((await app().refresh(token)).status).toBe(400);
    }
  });

  it('SMART refresh-scope B-11 gives less when less is asked for, never more, and keeps its power', async () => {
    const first = (await app().tokens(people.patient)).refresh_token ?? '';
    expectRefusal(await app().refresh(first, { scope: 'openid user/*.rs' }), 'invalid_scope');
    const less = await refreshed(first, { scope: 'launch/patient patient/*.rs' });
    expect(less.scope).toBe('launch/patient patient/*.rs');
    const all = await refreshed(less.refresh_token);
    expect(all.scope).toBe('openid fhirUser launch/patient patient/*.rs offline_access');
    expect((await refreshed(all.refresh_token, { scope: all.scope })).scope).toBe(all.scope);
  });

  it('B-12 gives only what the client may still have', async () => {
    const first = (await app().tokens(people.patient)).refresh_token ?? '';
    await alterClient(portal, quietApp.clientId, { settings: { allowedResourceTypes: ['Observation'] } });
    try {
      expect((await refreshed(first)).scope).not.toContain('patient/*.rs');
    } finally {
      await alterClient(portal, quietApp.clientId, { settings: { allowedResourceTypes: [] } });
    }
  });

  it('SMART refresh-three-months B-13 B-14 lives for its full lifetime again after each refresh', async () => {
    const first = await refreshTokens();
    const left = async () =>
      (
        await portal.query<{ left: number }>(
          "SELECT extract(epoch FROM expires_at - now())::float8 AS left FROM oidc_record WHERE model = 'RefreshToken' AND client_id = $1 ORDER BY created_at DESC LIMIT 1",
          [quietApp.clientId],
        )
      )[0]?.left ?? 0;
    expect(await left()).toBeCloseTo(90 * day, -2);
    await age('oidc_record', `client_id = '${quietApp.clientId}'`, 89 * day);
    // The grant is alive on day 89 as well, and goes on with it.
    const second = await refreshed(first);
    expect(await left()).toBeCloseTo(90 * day, -2);
    await age('oidc_record', `client_id = '${quietApp.clientId}'`, 89 * day);
    await refreshed(second.refresh_token);
  });

  it('B-13 is worth nothing after its lifetime', async () => {
    const token = await refreshTokens();
    await age('oidc_record', "model = 'RefreshToken'", 90 * day + 1);
    expectRefusal(await app().refresh(token));
  });

  it('B-13 never lives longer than the consent', async () => {
    const brief = app(briefApp);
    const token = (await brief.tokens(people.patient)).refresh_token ?? '';
    const [row] = await portal.query<{ left: number }>(
      "SELECT max(extract(epoch FROM expires_at - now()))::float8 AS left FROM oidc_record WHERE client_id = $1 AND model IN ('RefreshToken', 'Grant')",
      [briefApp.clientId],
    );
    expect(row?.left).toBeLessThanOrEqual(3600);
    expect((await brief.refresh(token)).status).toBe(200);
    const [grant] = await portal.query<{ left: number }>(
      "SELECT extract(epoch FROM expires_at - now())::float8 AS left FROM oidc_record WHERE client_id = $1 AND model = 'Grant'",
      [briefApp.clientId],
    );
    expect(grant?.left).toBeLessThanOrEqual(3600);
  });

  it('SMART refresh-offline B-15 of an offline app outlives the sign-out', async () => {
    const patient = app();
    const token = (await patient.tokens(people.patient)).refresh_token ?? '';
    await patient.browser.get('/logout');
    expect((await app().refresh(token)).status).toBe(200);
  });

  it('P-05 that is used while the person revokes the app gives nothing that lives on', async () => {
    const patient = app();
    for (let round = 0; round < 25; round += 1) {
      const token = (await patient.tokens(people.patient)).refresh_token ?? '';
      const [refreshed, revoked] = await Promise.all([
        app().refresh(token, {}, new Agent(portal.issuer, portal.ports[1])),
        patient.browser.send(`/api/grant?clientId=${quietApp.clientId}`, { method: 'DELETE' }),
      ]);
      expect(revoked.status).toBe(204);
      if (refreshed.status !== 200) continue;
      const { access_token, refresh_token } = refreshed.json<Tokens>();
      expectRefusal(await app().refresh(refresh_token ?? ''));
      expectRefusal(await app().refresh(token));
      await eventually(async () => expect((await userinfo(access_token)).status).toBe(401));
    }
    const left = await portal.query("SELECT FROM oidc_record WHERE model = 'Grant' AND client_id = $1", [
      quietApp.clientId,
    ]);
    expect(left).toEqual([]);
  });
});

const userinfo = (token: string) =>
  new Agent(portal.issuer).get('/connect/userinfo', { headers: { authorization: `Bearer ${token}` } });
