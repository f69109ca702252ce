import { SmartApp } from '../support/apps/smart-app.js';
import { alterClient, confidentialApp, publicApp, sharedSecret } from '../support/clients/clients.js';
import { Agent } from '../support/http/agent.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { alterAccounts, enableTwoFactor, signInByPassword } from '../support/users/authenticator.js';
import { KeptUsers } from '../support/users/kept-users.js';
import { addPasskey, passkeyOptions, signInByPasskey } from '../support/users/passkey-device.js';
import { people } from '../support/users/people.js';

const { patient } = people;
const strictApp = { ...publicApp, clientId: 'strict-app', clientName: 'Vault', require2fa: true };
const asking = { ...confidentialApp, requireConsent: true };
const withoutLocal = { ...publicApp, clientId: 'hospital-only', clientName: 'Ward' };

let portal: TestPortal;
let users: KeptUsers;
beforeAll(async () => {
  portal = await startPortal({
    config: { users: Object.values(people), clients: [publicApp, asking, strictApp, withoutLocal] },
  });
  users = await KeptUsers.of(portal);
});
beforeEach(() => users.restore());
afterAll(() => portal.close());

const device = async () => (await addPasskey(await signInByPassword(portal, patient))).device;

describe('The request of an app whose user signs in with a passkey', () => {
  it.each([
    ['a public client', { client: publicApp }],
    ['a confidential client', { client: asking, secret: sharedSecret }],
    ['a client that requires two factors', { client: strictApp }],
  ])('goes on to its tokens, which say how: %s', async (_name, launch) => {
    const key = await device();
    const app = new SmartApp(portal, launch);
    const returnUrl = await app.begin();
    expect((await signInByPasskey(app.browser, key, { returnUrl })).status).toBe(200);
    const claims = await app.idTokenAt(await app.follow(returnUrl));
    expect(claims).toMatchObject({ acr: 'phr', amr: ['hwk', 'user', 'mfa'], auth_time: expect.any(Number) });
  });

  it('is not continued in another browser', async () => {
    const key = await device();
    const app = new SmartApp(portal);
    const returnUrl = await app.begin();
    const other = new Agent(portal.issuer);
    await signInByPasskey(other, key, { returnUrl });
    expect(new URL(await app.follow(returnUrl)).pathname).toBe('/login');
  });

  it('is refused where the client does not permit accounts of this portal', async () => {
    const key = await device();
    await alterClient(portal, withoutLocal.clientId, { settings: { enableLocalLogin: false } });
    const app = new SmartApp(portal, { client: withoutLocal });
    const answer = await app.authorize();
    const returnUrl = new URL(answer.location ?? '', portal.issuer).searchParams.get('returnUrl');
    expect((await signInByPasskey(app.browser, key, { returnUrl })).status).toBe(403);
    expect((await app.browser.get('/api/session')).status).toBe(401);
  });
});

describe('The second factor that a client requires', () => {
  it('is proven by a passkey in a session that began with a password alone', async () => {
    const key = await device();
    const app = new SmartApp(portal, { client: strictApp });
    const returnUrl = await app.begin();
    await app.signIn(patient, returnUrl);
    const page = new URL(await app.follow(returnUrl));
    expect(page.pathname).toBe('/user/two-factor-required');
    const waiting = page.searchParams.get('returnUrl');
    const before = app.browser.cookies.get('gatehouse_session');
    const options = await passkeyOptions(app.browser, '/api/twofactor/passkey/options', { returnUrl: waiting });
    const proof = { response: key.answer(options), returnUrl: waiting };
    expect((await app.browser.post('/api/twofactor/passkey', proof)).status).toBe(200);
    expect(app.browser.cookies.get('gatehouse_session')).not.toBe(before);
    const claims = await app.idTokenAt(await app.follow(waiting ?? ''));
    expect(claims).toMatchObject({ acr: 'phr', amr: ['pwd', 'hwk', 'user', 'mfa'] });
  });

  it('may be wrong twenty times in an hour, and leaves the session as it was', async () => {
    const key = await device();
    const app = new SmartApp(portal, { client: strictApp });
    const returnUrl = await app.begin();
    await app.signIn(patient, returnUrl);
    const waiting = new URL(await app.follow(returnUrl)).searchParams.get('returnUrl');
    const prove = (response: object) => app.browser.post('/api/twofactor/passkey', { response, returnUrl: waiting });
    for (let time = 0; time < 20; time += 1) expect((await prove({ id: 'AAAA' })).status).toBe(400);
    const options = await passkeyOptions(app.browser, '/api/twofactor/passkey/options', { returnUrl: waiting });
    expect((await prove(key.answer(options))).status).toBe(429);
    expect((await app.browser.get('/api/session')).status).toBe(200);
    expect(new URL(await app.follow(waiting ?? '')).pathname).toBe('/user/two-factor-required');
  });

  it('has no options without a passkey, without a request, and without a sign-in', async () => {
    const path = '/api/twofactor/passkey/options';
    expect((await new Agent(portal.issuer).post(path, {})).status).toBe(401);
    const agent = await signInByPassword(portal, patient);
    expect((await agent.post(path, {})).status).toBe(401);
    await enableTwoFactor(agent);
    const pending = new Agent(portal.issuer);
    await pending.post('/api/session/login', { username: patient.email, password: patient.password });
    expect((await pending.post(path, {})).status).toBe(404);
  });
});

describe('An account that may not sign in', () => {
  it('does not sign in with a passkey either while it is incomplete', async () => {
    const key = await device();
    await alterAccounts(portal, "UPDATE account SET user_type = 'Incomplete' WHERE email = 'amelia.ward@example.org'");
    const agent = new Agent(portal.issuer);
    const answer = await signInByPasskey(agent, key);
    expect([answer.status, answer.json<{ message: string }>().message]).toEqual([
      403,
      'Your account setup has not been completed yet. Please try again later.',
    ]);
    expect((await agent.get('/api/session')).status).toBe(401);
  });

  it('is refused many times from one address only', async () => {
    const key = await device();
    const agent = new Agent(portal.issuer);
    await portal.query('DELETE FROM passkey');
    const statuses = new Set<number>();
    for (let count = 0; count < 51; count += 1) statuses.add((await signInByPasskey(agent, key)).status);
    expect([...statuses]).toEqual([400, 429]);
  });
});
