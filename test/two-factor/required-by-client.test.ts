import { returnUrlOf, SmartApp } from '../support/apps/smart-app.js';
import { confidentialApp, publicApp } from '../support/clients/clients.js';
import { Agent } from '../support/http/agent.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import {
  ageAcceptedCodes,
  alterAccounts,
  authenticatorCode,
  type EnabledTwoFactor,
  enableTwoFactor,
  login,
  signInWithCode,
  wrongAuthenticatorCode,
} from '../support/users/authenticator.js';
import { KeptUsers } from '../support/users/kept-users.js';
import { people } from '../support/users/people.js';

const strictApp = { ...publicApp, clientId: 'strict-app', clientName: 'Vault', require2fa: true };
const { patient } = people;
const twoFactorPage = '/user/two-factor-required';
let portal: TestPortal;
let users: KeptUsers;

beforeAll(async () => {
  portal = await startPortal({
    config: { users: Object.values(people), clients: [publicApp, confidentialApp, strictApp] },
  });
  users = await KeptUsers.of(portal);
});
beforeEach(() => users.restore());
afterAll(() => portal.close());

function appOf(browser?: Agent, parameters: Record<string, string> = {}): SmartApp {
  return new SmartApp(portal, { client: strictApp, parameters }, browser);
}

/** Signs in with the password only, which leads to the page of the second factor. */
async function stopped(app: SmartApp): Promise<string> {
  const returnUrl = await app.begin();
  await app.signIn(patient, returnUrl);
  return pageOf(await app.follow(returnUrl));
}

/** The returnUrl of the second factor's page. */
function pageOf(address: string): string {
  const { pathname, searchParams } = new URL(address);
  expect(pathname).toBe(twoFactorPage);
  return searchParams.get('returnUrl') ?? '';
}

/** Sets two-factor up on the page of the request. */
async function enrolAt(app: SmartApp, returnUrl: string): Promise<EnabledTwoFactor> {
  const query = `?returnUrl=${encodeURIComponent(returnUrl)}`;
  const { sharedKey: key = '' } = (await app.browser.get(`/api/twofactor/enable${query}`)).json<
    Record<string, string>
  >();
  const answer = await app.browser.post('/api/twofactor/enable', {
    verificationCode: authenticatorCode(key),
    returnUrl,
  });
  expect(answer.status).toBe(200);
  return { key, ...answer.json<{ recoveryCodes: string[] }>() };
}

/** Changes the session as if it had begun without a second factor. */
async function weaken(): Promise<void> {
  await portal.query(
    `UPDATE oidc_record SET payload = jsonb_set(payload - 'secondFactorAt', '{amr}', '["pwd"]') WHERE model = 'Session'`,
  );
}

describe('a client that requires two factors', () => {
  it('A-28 gets no code before the second factor: continuing at once, or without the page, leads back', async () => {
    const app = appOf();
    const returnUrl = await stopped(app);
    const again = pageOf(await app.follow(returnUrl));
    expect((await app.browser.get(`/api/consent?returnUrl=${encodeURIComponent(again)}`)).status).toBe(400);
    expect((await app.consent(again, ['openid'])).status).toBe(400);
    pageOf(await app.follow(again));
    pageOf(returnUrlPage(await app.authorize()));
    expect(await portal.query("SELECT FROM oidc_record WHERE model = 'AuthorizationCode'")).toEqual([]);
  });

  it('does not ask an administrator for a factor, who has to use another account first', async () => {
    const app = appOf();
    const returnUrl = await app.begin();
    await app.signIn(people.admin, returnUrl);
    const { pathname, searchParams } = new URL(await app.follow(returnUrl));
    expect(pathname).toBe('/connect/account');
    const waiting = searchParams.get('returnUrl') ?? '';
    const choice = { choice: 'other', returnUrl: waiting };
    const chosen = await app.browser.postForm('/connect/account', choice, { headers: { origin: portal.issuer } });
    expect([chosen.status, new URL(chosen.location ?? '').pathname]).toEqual([303, '/login']);
    await app.signIn(patient, waiting);
    pageOf(await app.follow(waiting));
  });

  it('lets the user set two-factor up and continue, and gets the methods in amr', async () => {
    const app = appOf();
    const returnUrl = await stopped(app);
    await enrolAt(app, returnUrl);
    const claims = await app.idTokenAt(await app.follow(returnUrl));
    expect(claims).toMatchObject({ acr: 'aal2', amr: ['pwd', 'otp', 'mfa'], auth_time: expect.any(Number) });
  });

  it('continues as well when the call does not name the request', async () => {
    const app = appOf();
    const returnUrl = await stopped(app);
    await enableTwoFactor(app.browser);
    expect(new URL(await app.follow(returnUrl)).pathname).toBe('/user/consent');
  });

  it('does not ask a user who has just signed in with a code', async () => {
    const first = new Agent(portal.issuer);
    await login(first, patient);
    const { key } = await enableTwoFactor(first);
    await ageAcceptedCodes(portal);
    const app = appOf();
    const returnUrl = await app.begin();
    expect((await app.signIn(patient, returnUrl)).json()).toEqual({ is2faEnabled: true });
    // G-05: the password alone does not complete the sign-in.
    expect(new URL(await app.follow(returnUrl)).pathname).toBe('/login');
    const again = returnUrlOf(await app.authorize());
    expect(
      (await app.browser.post('/api/twofactor/verify', { verificationCode: authenticatorCode(key), returnUrl: again }))
        .status,
    ).toBe(204);
    expect(await app.idTokenAt(await app.follow(again))).toMatchObject({ acr: 'aal2', amr: ['pwd', 'otp', 'mfa'] });
  });

  it('asks a session without a second factor for a code, and refuses wrong ones and those of others', async () => {
    const { agent, key } = await enrolled();
    await weaken();
    const app = appOf(agent);
    const returnUrl = pageOf(returnUrlPage(await app.authorize()));
    const verify = (verificationCode: string, browser = agent) =>
      browser.post('/api/twofactor/verify', { verificationCode, returnUrl });
    expect((await verify(wrongAuthenticatorCode(key))).status).toBe(400);
    expect((await verify(authenticatorCode(key), new Agent(portal.issuer))).status).toBe(401);
    pageOf(await app.follow(returnUrl));
    const next = pageOf(returnUrlPage(await app.authorize()));
    const before = agent.cookies.get('gatehouse_session');
    const done = await agent.post('/api/twofactor/verify', {
      verificationCode: authenticatorCode(key),
      returnUrl: next,
    });
    expect(done.status).toBe(204);
    // E-02: a new session id.
    expect(agent.cookies.get('gatehouse_session')).not.toBe(before);
    expect(await app.idTokenAt(await app.follow(next))).toMatchObject({ acr: 'aal2', amr: ['pwd', 'otp', 'mfa'] });
  });

  it('accepts a recovery code as well', async () => {
    const { agent, recoveryCodes } = await enrolled();
    await weaken();
    const app = appOf(agent);
    const returnUrl = pageOf(returnUrlPage(await app.authorize()));
    const done = await agent.post('/api/twofactor/verify-recovery', { recoveryCode: recoveryCodes[0], returnUrl });
    expect(done.json()).toEqual({ recoveryCodesLeft: 9 });
    expect(await app.idTokenAt(await app.follow(returnUrl))).toMatchObject({ acr: 'aal2', amr: ['pwd', 'mfa'] });
  });

  it('E-08 asks again when the second factor is old in a remembered session, and only there', async () => {
    const { agent, key } = await enrolled();
    const ago = (seconds: number, remembered: boolean) =>
      portal.query(
        `UPDATE oidc_record SET payload = payload || jsonb_build_object('remembered', $2::boolean,
           'secondFactorAt', floor(extract(epoch FROM now())) - $1::int) WHERE model = 'Session'`,
        [seconds, remembered],
      );
    const page = async () => new URL((await appOf(agent).authorize()).location ?? '').pathname;
    await ago(29 * 60, true);
    expect(await page()).toBe('/user/consent');
    await ago(31 * 60, false);
    expect(await page()).toBe('/user/consent');
    await ago(31 * 60, true);
    const app = appOf(agent);
    const returnUrl = pageOf(returnUrlPage(await app.authorize()));
    await agent.post('/api/twofactor/verify', { verificationCode: authenticatorCode(key), returnUrl });
    expect(new URL(await app.follow(returnUrl)).pathname).toBe('/user/consent');
  });

  it('asks again after two-factor was turned off', async () => {
    const { agent, recoveryCodes } = await enrolled();
    expect((await agent.post('/api/twofactor/disable-recovery', { recoveryCode: recoveryCodes[0] })).status).toBe(204);
    pageOf(returnUrlPage(await appOf(agent).authorize()));
  });

  it('A-25 gets interaction_required with prompt=none', async () => {
    const app = appOf();
    await stopped(app);
    const silent = appOf(app.browser, { prompt: 'none' });
    const { searchParams } = new URL((await silent.authorize()).location ?? '');
    expect(searchParams.get('error')).toBe('interaction_required');
  });

  it('A-26 asks for password and second factor once each when a new sign-in is required', async () => {
    const app = appOf(undefined, { prompt: 'login' });
    const returnUrl = await stopped(app);
    const { key } = await enrolAt(app, returnUrl);
    expect(new URL(await app.follow(returnUrl)).pathname).toBe('/user/consent');

    await ageAcceptedCodes(portal);
    const again = appOf(app.browser, { prompt: 'login' });
    const next = await again.begin();
    expect((await again.signIn(patient, next)).json()).toEqual({ is2faEnabled: true });
    await again.browser.post('/api/twofactor/verify', { verificationCode: authenticatorCode(key), returnUrl: next });
    expect(new URL(await again.follow(next)).pathname).toBe('/user/consent');
  });

  it('K-15 asks users of an identity provider for a second factor here when the provider proved none', async () => {
    const app = appOf();
    const returnUrl = await stopped(app);
    await alterAccounts(portal, 'UPDATE account SET is_external = true');
    expect((await app.browser.get('/api/twofactor/enable')).status).toBe(403);
    await enrolAt(app, returnUrl);
    expect(new URL(await app.follow(returnUrl)).pathname).toBe('/user/consent');
  });

  it('leaves other clients unchanged, which get one factor in amr', async () => {
    const app = new SmartApp(portal);
    const returnUrl = await app.begin();
    await app.signIn(patient, returnUrl);
    expect(await app.idTokenAt(await app.follow(returnUrl))).toMatchObject({ acr: 'aal1', amr: ['pwd'] });
  });
});

async function enrolled(): Promise<EnabledTwoFactor & { agent: Agent }> {
  const first = new Agent(portal.issuer);
  await login(first, patient);
  const account = await enableTwoFactor(first);
  const agent = await signInWithCode(portal, patient, account);
  await ageAcceptedCodes(portal);
  return { ...account, agent };
}

function returnUrlPage({ location }: { location: string | undefined }): string {
  return location ?? '';
}
