import { decodeJwt } from 'jose';
import type { CurrentUser, LoginOptions } from '../../src/contract/session.js';
import { returnUrlOf, SmartApp } from '../support/apps/smart-app.js';
import { alterClient, publicApp } from '../support/clients/clients.js';
import { Agent } from '../support/http/agent.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { beginExternalSignIn, signInAtProvider } from '../support/providers/external-sign-in.js';
import { startIdentityProvider, type TestIdentityProvider } from '../support/providers/identity-provider.js';
import { authenticatorCode, login } from '../support/users/authenticator.js';
import { people } from '../support/users/people.js';

const strictApp = { ...publicApp, clientId: 'strict-app', clientName: 'Vault', require2fa: true };
const recentApp = { ...publicApp, clientId: 'recent-app', maxAuthenticationAge: '00:10:00' };
const schemes = ['hospital', 'single'];

let provider: TestIdentityProvider;
let portal: TestPortal;

beforeAll(async () => {
  provider = await startIdentityProvider();
  portal = await startPortal({
    nodes: 2,
    config: {
      users: [people.admin, people.patient],
      clients: [publicApp, strictApp, recentApp],
      identityProviders: [
        provider.entry(),
        provider.entry({ scheme: 'single', displayName: 'Hospital ID, everywhere', logoutMethod: 'single' }),
      ],
    },
  });
  provider.trust(portal, ...schemes);
});

beforeEach(() => alterClient(portal, 'public-app', { settings: accepting() }));

afterAll(async () => {
  await portal.close();
  await provider.close();
});

/** The login settings of a client: all methods are allowed unless `settings` restricts them. */
const accepting = (settings: object = {}) => ({
  enableLocalLogin: true,
  enableExternalLogin: true,
  identityProviderRestrictions: [],
  ...settings,
});

async function optionsFor(app: SmartApp, returnUrl: string): Promise<LoginOptions> {
  const answer = await app.browser.get(`/api/session/login?${new URLSearchParams({ returnUrl })}`);
  return answer.json<LoginOptions & Record<string, unknown>>();
}

describe('An app whose user signs in at an identity provider', () => {
  it('gets its response on any node', async () => {
    const app = new SmartApp(portal);
    const returnUrl = await app.begin();
    const { location = '' } = await beginExternalSignIn(app.browser, 'hospital', returnUrl);
    const callback = await provider.signIn(location, 'grace');
    app.browser.port = portal.ports[1] ?? 0;
    const { location: on = '' } = await app.browser.get(callback);
    expect(on).toBe(new URL(returnUrl, portal.issuer).href);
    const claims = await app.idTokenAt(await app.follow(on));
    expect(claims).toMatchObject({ amr: ['external'], acr: 'aal1', auth_time: expect.any(Number) });
  });

  it('cannot choose another address to continue than its own request', async () => {
    for (const returnUrl of [
      'https://evil.example/',
      '//evil.example',
      '/connect/authorize/callback?ix=made-up-id',
      '/api/session',
    ]) {
      const { answer } = await signInAtProvider(portal, provider, 'grace', { returnUrl });
      expect(answer.location).toBe(`${portal.issuer}/`);
    }
    const { answer } = await signInAtProvider(portal, provider, 'grace', { returnUrl: '/user/account-settings' });
    expect(answer.location).toBe(`${portal.issuer}/user/account-settings`);
  });

  it('A-19 gets no code for a user who was sent into its request in another browser', async () => {
    const attacker = new SmartApp(portal);
    const returnUrl = await attacker.begin();
    const { answer, browser } = await signInAtProvider(portal, provider, 'grace', { returnUrl });
    expect(answer.location).toBe(`${portal.issuer}/`);
    expect((await browser.get('/api/session')).status).toBe(200);
    expect(new URL(await attacker.follow(returnUrl)).pathname).toBe('/login');
  });

  it.each([
    ['prompt=login', {}, { prompt: 'login' }],
    ['max_age=0', {}, { max_age: '0' }],
    ['a maximum age of its client', { client: recentApp }, {}],
  ])('A-26 has the user sign in there again when it requires that: %s', async (_name, launch, more) => {
    const parameters = { ...more, login_hint: 'grace.field@hospital.example' };
    const app = new SmartApp(portal, { ...launch, parameters });
    const there = provider.agent();
    await signInAtProvider(portal, provider, 'grace', { browser: app.browser, atProvider: there });
    await portal.query(
      `UPDATE oidc_record SET payload = jsonb_set(payload, '{loginTs}', to_jsonb((payload ->> 'loginTs')::int - 601))
        WHERE model = 'Session'`,
    );
    const returnUrl = await app.begin();
    const { location = '' } = await beginExternalSignIn(app.browser, 'hospital', returnUrl);
    const asked = new URL(location).searchParams;
    expect([asked.get('prompt'), asked.get('login_hint')]).toEqual(['login', 'grace.field@hospital.example']);
    const page = await there.get(location);
    expect(new URL(page.location ?? '').pathname).toMatch(/^\/sign-in\//);
    const callback = await provider.signIn(page.location ?? '', 'grace', there);
    const { location: on = '' } = await app.browser.get(callback);
    expect(new URL(await app.follow(on)).pathname).toBe('/user/consent');
  });

  it('E-02 gets a session with a new id', async () => {
    const browser = new Agent(portal.issuer);
    await login(browser, people.patient);
    const before = browser.cookies.get('gatehouse_session');
    await signInAtProvider(portal, provider, 'grace', { browser });
    const after = browser.cookies.get('gatehouse_session') ?? '';
    expect(after).not.toBe(before);
    expect((await browser.get('/api/session')).json<CurrentUser & Record<string, unknown>>().fullName).toBe(
      'Grace Field',
    );
    const old = new Agent(portal.issuer);
    old.cookies.set('gatehouse_session', before ?? '');
    expect((await old.get('/api/session')).status).toBe(401);
  });
});

describe('The login methods of a client', () => {
  it('A-32 are offered, and no other is accepted', async () => {
    const app = new SmartApp(portal);
    const returnUrl = await app.begin();
    await alterClient(portal, 'public-app', {
      settings: accepting({ enableLocalLogin: false, identityProviderRestrictions: ['single'] }),
    });
    const options = await optionsFor(app, returnUrl);
    expect(options.enableLocalLogin).toBe(false);
    expect(options.externalProviders.map((one) => one.authenticationScheme)).toEqual(['single']);
    expect((await app.signIn(people.patient, returnUrl)).status).toBe(403);
    expect((await beginExternalSignIn(app.browser, 'hospital', returnUrl)).status).toBe(400);
    expect((await beginExternalSignIn(app.browser, 'single', returnUrl)).status).toBe(302);
  });

  it('A-32 are required again for a session that began with another method', async () => {
    const app = new SmartApp(portal);
    await signInAtProvider(portal, provider, 'grace', { browser: app.browser });
    expect(new URL((await app.authorize()).location ?? '').pathname).toBe('/user/consent');
    for (const settings of [{ identityProviderRestrictions: ['single'] }, { enableExternalLogin: false }]) {
      await alterClient(portal, 'public-app', { settings: accepting(settings) });
      const { pathname, searchParams } = new URL((await app.authorize()).location ?? '');
      expect([pathname, searchParams.get('prompt')]).toEqual(['/login', 'login']);
    }
    await alterClient(portal, 'public-app', { settings: accepting({ identityProviderRestrictions: ['single'] }) });
    const returnUrl = returnUrlOf(await app.authorize());
    const { answer } = await signInAtProvider(portal, provider, 'grace', {
      browser: app.browser,
      scheme: 'single',
      returnUrl,
    });
    expect(new URL(await app.follow(answer.location ?? '')).pathname).toBe('/user/consent');
  });

  it('are checked again when the browser returns', async () => {
    const app = new SmartApp(portal);
    const returnUrl = await app.begin();
    const { location = '' } = await beginExternalSignIn(app.browser, 'hospital', returnUrl);
    const callback = await provider.signIn(location, 'grace');
    await alterClient(portal, 'public-app', { settings: accepting({ enableExternalLogin: false }) });
    const { location: on = '' } = await app.browser.get(callback);
    expect(new URL(await app.follow(on)).pathname).toBe('/login');
  });
});

describe('K-15 A client that requires two factors', () => {
  const stopped = async (subject: string) => {
    const app = new SmartApp(portal, { client: strictApp, scope: 'openid fhirUser user/*.rs' });
    const { answer } = await signInAtProvider(portal, provider, subject, {
      browser: app.browser,
      returnUrl: await app.begin(),
    });
    return { app, at: new URL(await app.follow(answer.location ?? '')) };
  };

  it('accepts the second factor of the provider', async () => {
    const { app, at } = await stopped('otto');
    expect(await app.idTokenAt(at.href)).toMatchObject({ amr: ['external', 'mfa'], acr: 'aal2' });
  });

  it('otherwise asks for one of the portal, at the first and at later sign-ins', async () => {
    const { app, at } = await stopped('grace');
    expect(at.pathname).toBe('/user/two-factor-required');
    const returnUrl = at.searchParams.get('returnUrl') ?? '';
    const query = new URLSearchParams({ returnUrl });
    const setup = (await app.browser.get(`/api/twofactor/enable?${query}`)).json<Record<string, string>>();
    const verificationCode = authenticatorCode(setup.sharedKey ?? '');
    expect((await app.browser.post('/api/twofactor/enable', { verificationCode, returnUrl })).status).toBe(200);
    const claims = await app.idTokenAt(await app.follow(returnUrl));
    expect(claims).toMatchObject({ amr: ['external', 'otp', 'mfa'], acr: 'aal2' });
    const next = await stopped('grace');
    expect(next.at.pathname).toBe('/user/two-factor-required');
    await portal.query('UPDATE two_factor SET last_step = last_step - 10');
    const again = next.at.searchParams.get('returnUrl') ?? '';
    const code = authenticatorCode(setup.sharedKey ?? '');
    expect(
      (await next.app.browser.post('/api/twofactor/verify', { verificationCode: code, returnUrl: again })).status,
    ).toBe(204);
    expect(new URL(await next.app.follow(again)).pathname).toBe('/user/consent');
  });

  it('does not count a code alone as two factors', async () => {
    Object.assign(provider.members.grace ?? {}, { amr: ['otp'] });
    const { at } = await stopped('grace');
    expect(at.pathname).toBe('/user/two-factor-required');
  });
});

describe('Signing out after single sign-on', () => {
  it('ends the session in the portal only, by default', async () => {
    const there = provider.agent();
    const { browser } = await signInAtProvider(portal, provider, 'grace', { atProvider: there });
    const answer = await browser.signOut();
    expect([answer.status, answer.location]).toEqual([303, `${portal.issuer}/login?loggedOut=true`]);
    expect((await browser.get('/api/session')).status).toBe(401);
    const { location = '' } = await beginExternalSignIn(browser);
    // The session at the provider continues, so it does not ask for the password again.
    expect(await provider.signIn(location, 'unknown', there)).toContain('/federation/hospital/signin?code=');
  });

  it('ends the session at the provider as well where it is configured', async () => {
    const there = provider.agent();
    const { browser } = await signInAtProvider(portal, provider, 'grace', { scheme: 'single', atProvider: there });
    const [row] = await portal.query<{ payload: string }>(
      "SELECT payload::text FROM oidc_record WHERE model = 'Session' AND payload ->> 'identityProvider' = 'single'",
    );
    const answer = await browser.signOut();
    const { origin, pathname, searchParams } = new URL(answer.location ?? '');
    expect([answer.status, origin + pathname]).toEqual([303, `${provider.authority}/session/end`]);
    expect(searchParams.get('post_logout_redirect_uri')).toBe(`${portal.issuer}/login?loggedOut=true`);
    const hint = searchParams.get('id_token_hint') ?? '';
    // C-03: the hint identifies the user at the provider, so it is stored encrypted.
    expect(row?.payload).toContain('logoutHint');
    for (const part of hint.split('.')) expect(row?.payload).not.toContain(part);
    expect(decodeJwt(hint)).toMatchObject({ sub: 'grace', iss: provider.authority });
    expect((await browser.get('/api/session')).status).toBe(401);
    const page = await there.get(answer.location ?? '');
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
    const left = await there.postForm('/session/end/confirm', { xsrf, logout: 'yes' });
    expect(left.location).toBe(`${portal.issuer}/login?loggedOut=true`);
    const { location = '' } = await beginExternalSignIn(browser);
    expect(await provider.signIn(location, 'otto', there)).toContain('/federation/hospital/signin?code=');
    expect((await there.get(location)).location).not.toContain('/sign-in/');
  });
});

describe('The providers that administrators can choose', () => {
  it('are those of the configuration', async () => {
    const admin = new Agent(portal.issuer);
    await login(admin, people.admin);
    const answer = await admin.get('/api/admin/client/available-identityproviders');
    expect(answer.json()).toEqual([
      { scheme: 'hospital', displayName: 'Hospital ID' },
      { scheme: 'single', displayName: 'Hospital ID, everywhere' },
    ]);
  });
});

// Last in this file: passport registers strategies per process, so local sign-in belongs to the portal started last.
describe('A portal that restricts external login', () => {
  it('permits only passwords to apps, and all methods to itself', async () => {
    const restricted = await startPortal({
      config: {
        account: { ...portal.config.account, restrictExternalLogin: true },
        clients: [publicApp],
        users: [people.admin],
        identityProviders: [provider.entry()],
      },
    });
    try {
      // The client was stored before external login was restricted.
      await alterClient(restricted, 'public-app', { settings: accepting({ enableLocalLogin: false }) });
      const app = new SmartApp(restricted);
      const returnUrl = await app.begin();
      const options = (await app.browser.get(`/api/session/login?${new URLSearchParams({ returnUrl })}`)).json();
      expect(options).toMatchObject({ enableLocalLogin: true, externalProviders: [] });
      expect((await beginExternalSignIn(app.browser, 'hospital', returnUrl)).status).toBe(400);
      expect((await beginExternalSignIn(app.browser, 'hospital')).status).toBe(302);
      const admin = new Agent(restricted.issuer);
      await login(admin, people.admin);
      expect((await admin.get('/api/admin/client/form-conditions')).json()).toEqual({
        externalLoginRestricted: true,
        enforcesScopes: true,
        tenants: [],
      });
    } finally {
      await restricted.close();
    }
  });
});
