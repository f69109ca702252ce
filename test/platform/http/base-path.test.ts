import { randomUUID } from 'node:crypto';
import { discoveryPath, enginePaths } from '../../../src/oidc/domain/engine-paths.js';
import { cookieNames } from '../../../src/platform/http/cookies.js';
import { SmartApp } from '../../support/apps/smart-app.js';
import { publicApp } from '../../support/clients/clients.js';
import { Agent } from '../../support/http/agent.js';
import { addressOf, type Route, routesOf } from '../../support/http/routes.js';
import { freePorts, startPortal, type TestPortal } from '../../support/portal/portal.js';
import { beginExternalSignIn } from '../../support/providers/external-sign-in.js';
import { startIdentityProvider, type TestIdentityProvider } from '../../support/providers/identity-provider.js';
import { itInTurn } from '../../support/runs.js';
import { people } from '../../support/users/people.js';

/** Some paths equal the beginning of the portal's own routes. */
const bases = ['/auth', '/hospital/auth-2', '/user', '/login'] as const;

describe.each(bases)('A portal whose issuer has the path %s', (base) => {
  const inTurn = itInTurn(bases.indexOf(base), 2);
  let portal: TestPortal;
  let provider: TestIdentityProvider;
  let host: Agent;

  beforeAll(async () => {
    const [port = 0] = await freePorts(1);
    provider = await startIdentityProvider();
    portal = await startPortal({
      issuer: `http://localhost:${port}${base}`,
      ports: [port],
      config: {
        users: [people.patient, people.admin],
        clients: [publicApp],
        identityProviders: [provider.entry({ copyClaims: [{ claim: 'fhirUser' }] })],
      },
    });
    provider.trust(portal);
    // Sends paths from the root of the host.
    host = new Agent(new URL(portal.issuer).origin);
  });

  afterAll(async () => {
    await portal.close();
    await provider.close();
  });

  const call = (path: string, { method }: Pick<Route, 'method'>) =>
    host.send(path, { method, ...(method === 'GET' ? {} : { body: {} }) });

  it('has all its routes below that path, and none outside of it', async () => {
    const routes = [
      ...routesOf(portal).map((route) => ({ ...route, address: addressOf(route, randomUUID) })),
      ...[...Object.values(enginePaths), discoveryPath, '/fhir/metadata', '/fhir/.well-known/smart-configuration'].map(
        (address) => ({ method: 'GET' as const, address }),
      ),
    ];
    for (const { address, method } of routes) {
      const [within, beside] = [await call(base + address, { method }), await call(address, { method })];
      const isOperators = /^\/(health\/|metrics$)/.test(address);
      const isAbout = (text: string) => /There is nothing at this address/.test(text);
      // Without `representation`, the form for users without an account is not there.
      const unknownPage = /some\/page|favicon|smart-style|requests\/account/.test(address);
      expect([method, address, isAbout(within.text) && !unknownPage]).toEqual([method, address, false]);
      // The path of the issuer may equal the beginning of a route.
      if (isOperators || address.startsWith(`${base}/`) || address === base) continue;
      expect([method, address, beside.status]).toEqual([method, address, 404]);
    }
  });

  inTurn('is found at the discovery addresses of RFC 8414 and OpenID Connect Discovery', async () => {
    for (const place of [
      `${base}/.well-known/openid-configuration`,
      `/.well-known/oauth-authorization-server${base}`,
      `/.well-known/openid-configuration${base}`,
    ]) {
      const answer = await host.get(place);
      expect([place, answer.status]).toEqual([place, 200]);
      const document = answer.json();
      expect(document.issuer).toBe(portal.issuer);
      for (const [name, value] of Object.entries(document).filter(([key]) => /(_endpoint|_uri)$/.test(key))) {
        expect([place, name, String(value).startsWith(`${portal.issuer}/`)]).toEqual([place, name, true]);
      }
    }
    for (const place of ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration/other']) {
      expect([place, (await host.get(place)).status]).toEqual([place, 404]);
    }
  });

  inTurn('has its path in the SMART configuration of its FHIR base', async () => {
    const smart = (await host.get(`${base}/fhir/.well-known/smart-configuration`)).json();
    expect(smart).toMatchObject({
      issuer: portal.issuer,
      authorization_endpoint: `${portal.issuer}/connect/authorize`,
      token_endpoint: `${portal.issuer}/connect/token`,
      jwks_uri: `${portal.issuer}/.well-known/openid-configuration/jwks`,
    });
  });

  it('limits its cookies and its redirects to its path', async () => {
    const app = new SmartApp(portal);
    const asked = await app.authorize();
    const signedIn = await app.signIn(
      people.patient,
      new URL(asked.location ?? '').searchParams.get('returnUrl') ?? '',
    );
    expect(signedIn.status).toBe(200);
    const back = await host.get(`${base}/logout`);
    for (const { location = '' } of [asked, back]) expect(location).toMatch(`${portal.issuer}/`);
    for (const cookie of [asked, signedIn].flatMap(({ headers }) => headers['set-cookie'] ?? [])) {
      expect([cookie, /path=([^;]+)/i.exec(cookie)?.[1]?.startsWith(base)]).toEqual([cookie, true]);
    }
  });

  inTurn('leaves the cookies of a portal above its path alone', async () => {
    const cookie = 'gatehouse_session=of-another-portal; gatehouse_session.sig=of-another-portal';
    for (const path of ['/api/session', '/connect/endsession', new SmartApp(portal).authorizationPath]) {
      const { headers } = await new Agent(portal.issuer).get(path, { headers: { cookie } });
      expect((headers['set-cookie'] ?? []).filter((line) => line.startsWith('gatehouse_session'))).toEqual([]);
    }
  });

  inTurn('issues tokens to an app and redirects back to the app’s own addresses', async () => {
    const app = new SmartApp(portal);
    const tokens = await app.tokens(people.patient);
    expect(tokens.patient).toBe('1');
    const claims = JSON.parse(Buffer.from(tokens.id_token?.split('.')[1] ?? '', 'base64url').toString());
    expect(claims).toMatchObject({ iss: portal.issuer, fhirUser: `${portal.fhirBase}/Patient/1` });
    const headers = { authorization: `Bearer ${tokens.access_token}` };
    expect((await host.get(`${base}/connect/userinfo`, { headers })).status).toBe(200);
    expect((await app.refresh(tokens.refresh_token ?? '')).status).toBe(200);
  });

  inTurn('leads an administrator whom an app sends to the explaining page, and back to the app', async () => {
    const app = new SmartApp(portal);
    const begun = await app.begin();
    await app.signIn(people.admin, begun);
    const asked = await app.follow(begun);
    const returnUrl = new URL(asked).searchParams.get('returnUrl') ?? '';
    const page = await app.browser.get(asked);
    expect(page.text).toContain(`action="${base}/connect/account"`);
    const answer = await app.browser.postForm('/connect/account', { returnUrl, choice: 'decline' });
    expect(answer.location).toBe(`${new URL(portal.issuer).origin}${returnUrl}`);
    expect(new URL(await app.follow(returnUrl)).searchParams.get('error')).toBe('access_denied');
  });

  inTurn('signs users in through another identity provider', async () => {
    const app = new SmartApp(portal);
    const returnUrl = await app.begin();
    const { location = '' } = await beginExternalSignIn(app.browser, 'hospital', returnUrl);
    expect(new URL(location).searchParams.get('redirect_uri')).toBe(`${portal.issuer}/federation/hospital/signin`);
    const answer = await app.browser.get(await provider.signIn(location, 'grace'));
    expect(answer.location).toBe(`${new URL(portal.issuer).origin}${returnUrl}`);
    expect(await app.follow(returnUrl)).toContain(`${portal.issuer}/user/consent?`);
    const straight = new Agent(portal.issuer);
    const begun = await beginExternalSignIn(straight, 'hospital', `${base}/user/grants`);
    const there = await straight.get(await provider.signIn(begun.location ?? '', 'grace'));
    expect(there.location).toBe(`${portal.issuer}/user/grants`);
  });

  it.each(['//evil.example/', 'https://evil.example/', '/user/grants', '/another/application'])(
    'does not redirect users from another provider to %s',
    async (returnUrl) => {
      // For the issuer path `/user` this is the page `/grants` of the portal, which does not exist.
      const browser = new Agent(portal.issuer);
      const { location = '' } = await beginExternalSignIn(browser, 'hospital', returnUrl);
      const answer = await browser.get(await provider.signIn(location, 'grace'));
      expect(answer.location).toBe(`${portal.issuer}/`);
    },
  );

  it('has its path in every address of its documents', async () => {
    for (const path of ['/login', '/welcome', '/', '', '/user/grants', '/connect/authorize?client_id=unknown']) {
      const { text, status } = await host.get(base + path, { headers: { accept: 'text/html' } });
      expect([path, status]).toEqual([path, path.includes('unknown') ? 400 : 200]);
      expect(text).toContain(`<meta name="gatehouse-base" content="${base}">`);
      const addresses = [...text.matchAll(/ (?:href|src|action)="([^"]+)"/g)].map(([, address = '']) => address);
      expect(addresses.length).toBeGreaterThan(0);
      for (const address of addresses) {
        expect([path, address, address.startsWith(`${base}/`)]).toEqual([path, address, true]);
        if (!address.includes('/api/')) expect((await host.get(address)).status).toBe(200);
      }
    }
  });

  inTurn('answers health and metrics requests also without its path', async () => {
    const node = { headers: { host: '10.0.0.7' } };
    expect((await host.get('/health/live', node)).status).toBe(200);
    expect((await host.get(`${base}/health/live`)).status).toBe(200);
  });
});

describe('The cookies of a portal', () => {
  it('are valid for the whole host only where the issuer has no path', () => {
    expect(cookieNames('https://login.example')).toMatchObject({ path: '/', session: '__Host-gatehouse_session' });
    expect(cookieNames('https://hospital.example/auth')).toMatchObject({
      path: '/auth',
      session: '__Secure-gatehouse_auth_session',
    });
    expect(cookieNames('http://localhost:3000/auth')).toMatchObject({
      path: '/auth',
      session: 'gatehouse_auth_session',
    });
  });
});
