import { Agent, type Answer } from '../support/agent.js';
import { publicApp } from '../support/clients.js';
import { people } from '../support/people.js';
import { startPortal, type TestPortal } from '../support/portal.js';
import { SmartApp, type Tokens } from '../support/smart-app.js';

const pushingApp = { ...publicApp, clientId: 'pushing-app', requirePar: true, requireConsent: false };
const onlineApp = { ...publicApp, clientId: 'online-app', requireConsent: false, allowOnlineAccess: true };
let portal: TestPortal;

beforeAll(async () => {
  portal = await startPortal({ config: { users: [people.patient], clients: [pushingApp, onlineApp] } });
});

afterAll(() => portal.close());

describe('A request that is pushed before (RFC 9126)', () => {
  const push = (app: SmartApp): Promise<Answer> =>
    new Agent(portal.issuer).postForm('/connect/par', Object.fromEntries(new URLSearchParams(app.query())));

  it('is all that the browser names, works once, and keeps offline access', async () => {
    const app = new SmartApp(portal, { client: pushingApp });
    const pushed = await push(app);
    expect(pushed.status).toBe(201);
    const { request_uri: uri } = pushed.json<{ request_uri: string }>();
    const query = new URLSearchParams({ client_id: pushingApp.clientId, request_uri: uri });
    const page = await app.browser.get(`/connect/authorize?${query}`);
    const returnUrl = new URL(page.location ?? '').searchParams.get('returnUrl') ?? '';
    await app.signIn(people.patient, returnUrl);
    const landed = new URL(await app.follow(returnUrl));
    const tokens = (await app.exchange(landed.searchParams.get('code') ?? '')).json<Tokens>();
    expect(tokens.scope).toBe('openid fhirUser launch/patient patient/*.rs offline_access');
    expect(tokens.refresh_token).toEqual(expect.any(String));
    const again = await app.browser.get(`/connect/authorize?${query}`);
    expect(again.location ?? '').not.toContain('code=');
  });

  it('is needed where the client requires it', async () => {
    const answer = await new SmartApp(portal, { client: pushingApp }).authorize();
    expect(answer.location).not.toContain('/login');
  });

  it('is refused at once when it asks for another FHIR server', async () => {
    const app = new SmartApp(portal, { client: pushingApp, parameters: { aud: 'https://elsewhere.example/fhir' } });
    expect((await push(app)).json()).toMatchObject({ error: 'invalid_request' });
  });

  it('A-12 is not fetched from elsewhere', async () => {
    const query = new URLSearchParams({ client_id: pushingApp.clientId, request_uri: 'http://127.0.0.1:1/request' });
    const answer = await new Agent(portal.issuer).get(`/connect/authorize?${query}`);
    expect(answer.location ?? '').not.toContain('/login');
  });
});

describe('Online access', () => {
  const scope = 'openid fhirUser launch/patient patient/*.rs online_access';

  it('SMART refresh-online B-15 ends with the session, and only with it', async () => {
    const app = new SmartApp(portal, { client: onlineApp, scope });
    const tokens = await app.tokens(people.patient);
    const second = new SmartApp(portal, { client: onlineApp, scope }, app.browser);
    await second.tokens(people.patient);
    const refreshed = await app.refresh(tokens.refresh_token ?? '');
    expect(refreshed.status).toBe(200);
    await app.browser.get('/logout');
    const { refresh_token: next } = refreshed.json<Tokens>();
    expect((await app.refresh(next ?? '')).json()).toMatchObject({ error: 'invalid_grant' });
  });
});
