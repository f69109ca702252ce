import type { LoginOptions } from '../../../src/contract/session.js';
import { SmartApp } from '../../support/apps/smart-app.js';
import { clientKinds } from '../../support/clients/client-kinds.js';
import { alterClient, publicApp, redirectUri } from '../../support/clients/clients.js';
import { Agent, type Answer } from '../../support/http/agent.js';
import { eventsIn } from '../../support/portal/disclaimers-portal.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { people } from '../../support/users/people.js';

const addresses = [
  [redirectUri, 'localhost:4567'],
  ['https://heart.example/callback?from=portal', 'heart.example'],
  ['https://heart.example:8443/', 'heart.example:8443'],
] as const;
const named = { ...publicApp, clientId: 'named-app', redirectUris: addresses.map(([address]) => address) };
let portal: TestPortal;

beforeAll(async () => {
  portal = await startPortal({
    nodes: 2,
    config: { users: Object.values(people), clients: [named, ...clientKinds.map((kind) => kind.client('kind'))] },
  });
});
afterEach(() => alterClient(portal, named.clientId, { enabled: true, settings: { redirectUris: named.redirectUris } }));
afterAll(() => portal.close());

const launch = (parameters: Record<string, string> = {}) => ({ client: named, parameters });
const optionsOf = async (browser: Agent, returnUrl: string) =>
  (await browser.get(`/api/session/login?${new URLSearchParams({ returnUrl })}`)).json<
    LoginOptions & Record<string, unknown>
  >();
const cancel = (browser: Agent, returnUrl: string): Promise<Answer> =>
  browser.send(`/api/authorization/sign-in?${new URLSearchParams({ returnUrl })}`, { method: 'DELETE' });

describe('The sign-in of an app’s request', () => {
  it.each(addresses)('names the app, and the host of its redirect URI: %s', async (address, returnHost) => {
    const app = new SmartApp(portal, launch({ redirect_uri: address }));
    const { app: shown } = await optionsOf(app.browser, await app.begin());
    expect(shown).toEqual({ clientName: 'Heart Companion', returnHost });
  });

  it.each(clientKinds)('names the app of each kind of client ($name)', async (kind) => {
    const app = kind.app(portal, kind.client('kind'));
    const { app: shown } = await optionsOf(app.browser, await app.begin());
    expect(shown).toEqual({ clientName: 'Heart Companion', returnHost: 'localhost:4567' });
  });

  it('A-19 names no app by the client data of an address, but the one that the request is of', async () => {
    const app = new SmartApp(portal, launch());
    const returnUrl = await app.begin();
    const forged = returnUrl
      .replace('client_id=named-app', 'client_id=kind-public')
      .replace(encodeURIComponent(redirectUri), encodeURIComponent('https://evil.example/'));
    expect(forged).not.toBe(returnUrl);
    expect((await optionsOf(app.browser, forged)).app).toEqual({
      clientName: 'Heart Companion',
      returnHost: 'localhost:4567',
    });
    const withoutRequest = returnUrl.replace(/ix=[\w-]+/, 'ix=unknown-request');
    expect((await optionsOf(app.browser, withoutRequest)).app).toBeNull();
  });

  it.each<[string, (app: SmartApp, returnUrl: string) => Promise<Agent | undefined>]>([
    ['in another browser', async () => new Agent(portal.issuer)],
    [
      'in the browser of another request',
      async () => {
        const other = new SmartApp(portal, launch());
        await other.begin();
        return other.browser;
      },
    ],
    [
      'after the request has expired',
      async () => {
        await portal.query(
          "UPDATE oidc_record SET expires_at = now() - interval '1 second' WHERE model = 'Interaction'",
        );
        return undefined;
      },
    ],
    [
      'after the client was disabled',
      async () => {
        await alterClient(portal, named.clientId, { enabled: false });
        return undefined;
      },
    ],
    [
      'after the redirect URI was removed from the client',
      async () => {
        await alterClient(portal, named.clientId, { settings: { redirectUris: ['https://heart.example/'] } });
        return undefined;
      },
    ],
    [
      'after the request was cancelled',
      async (app, returnUrl) => {
        expect((await cancel(app.browser, returnUrl)).status).toBe(204);
        await app.follow(returnUrl);
        return undefined;
      },
    ],
  ])('names no app %s', async (_, change) => {
    const app = new SmartApp(portal, launch());
    const returnUrl = await app.begin();
    const browser = (await change(app, returnUrl)) ?? app.browser;
    expect((await optionsOf(browser, returnUrl)).app).toBeNull();
  });

  it('names no app for a page of the portal', async () => {
    expect((await optionsOf(new Agent(portal.issuer), '/user/grants')).app).toBeNull();
    expect((await new Agent(portal.issuer).get('/api/session/login')).json().app).toBeNull();
  });
});

describe('Cancelling at the sign-in', () => {
  it.each(clientKinds)('returns access_denied to the app and signs no user in ($name)', async (kind) => {
    const app = kind.app(portal, kind.client('kind'));
    const returnUrl = await app.begin();
    // By another node.
    app.browser.port = portal.ports[1] ?? 0;
    expect((await cancel(app.browser, returnUrl)).status).toBe(204);
    const landed = new URL(await app.follow(returnUrl));
    expect(landed.origin + landed.pathname).toBe(redirectUri);
    const { error, state, iss, code } = Object.fromEntries(landed.searchParams);
    expect({ error, state, iss, code }).toEqual({
      error: 'access_denied',
      state: app.state,
      iss: portal.issuer,
      code: undefined,
    });
    expect((await app.browser.get('/api/session')).status).toBe(401);
    const [event] = await eventsIn(portal, 'authorization.left');
    expect(event).toMatchObject({
      outcome: 'success',
      client_id: kind.client('kind').clientId,
      detail: { step: 'login' },
    });
  });

  it('is possible for a signed-in user who has to sign in again, and keeps their session', async () => {
    const app = new SmartApp(portal, launch({ prompt: 'login' }));
    expect((await app.signIn(people.patient)).status).toBe(200);
    const returnUrl = await app.begin();
    expect((await cancel(app.browser, returnUrl)).status).toBe(204);
    expect(new URL(await app.follow(returnUrl)).searchParams.get('error')).toBe('access_denied');
    expect((await app.browser.get('/api/session')).status).toBe(200);
  });

  it('is refused in another browser, for an ended request, and at a later step', async () => {
    const app = new SmartApp(portal, { parameters: { prompt: 'consent' }, client: named });
    const returnUrl = await app.begin();
    expect((await cancel(new Agent(portal.issuer), returnUrl)).status).toBe(400);
    for (const address of [
      '',
      'undefined',
      'https://evil.example/',
      '/connect/authorize/callback?ix=unknown-request',
    ]) {
      expect((await cancel(app.browser, address)).status).toBe(400);
    }
    await app.signIn(people.patient, returnUrl);
    const atConsent = new URL(await app.follow(returnUrl));
    expect(atConsent.pathname).toBe('/user/consent');
    const later = atConsent.searchParams.get('returnUrl') ?? '';
    expect((await cancel(app.browser, later)).status).toBe(400);
    expect((await app.consent(later, await app.offeredScopes(later))).status).toBe(204);
    expect(new URL(await app.follow(later)).searchParams.has('code')).toBe(true);
    for (const address of [returnUrl, later]) expect((await cancel(app.browser, address)).status).toBe(400);
  });

  it('E-05 is refused when a page of another origin sends it', async () => {
    const app = new SmartApp(portal, launch());
    const returnUrl = await app.begin();
    const answer = await app.browser.send(`/api/authorization/sign-in?${new URLSearchParams({ returnUrl })}`, {
      method: 'DELETE',
      headers: { origin: 'https://evil.example' },
    });
    expect(answer.status).toBe(403);
    expect((await optionsOf(app.browser, returnUrl)).app).not.toBeNull();
  });
});
