import { SmartApp, type Tokens } from '../../support/apps/smart-app.js';
import { clientKinds } from '../../support/clients/client-kinds.js';
import { publicApp, redirectUri } from '../../support/clients/clients.js';
import { Agent, type Answer } from '../../support/http/agent.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { isLong } from '../../support/runs.js';
import { people } from '../../support/users/people.js';

const pushingApp = { ...publicApp, clientId: 'pushing-app', requirePar: true, requireConsent: false };
const onlineApps = clientKinds.map((kind) => kind.client('online', { allowOnlineAccess: true }));

let portal: TestPortal;

beforeAll(async () => {
  portal = await startPortal({
    config: { users: [people.patient, people.otherPatient], clients: [pushingApp, ...onlineApps] },
  });
});

afterAll(() => portal.close());

describe('A pushed authorization request (RFC 9126)', () => {
  const push = (app: SmartApp): Promise<Answer> =>
    new Agent(portal.issuer).postForm('/connect/par', Object.fromEntries(new URLSearchParams(app.query())));

  it('replaces all parameters in the browser, works once, and keeps offline access', async () => {
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

  it.each([
    ['at the same moment', true],
    ['one after the other', false],
  ])('issues one code to two users who finish it %s, and an error to the app for the other one', async (_, atOnce) => {
    for (let round = 0; round < (isLong ? 50 : 5); round += 1) {
      const first = new SmartApp(portal, { client: pushingApp });
      const { request_uri: uri } = (await push(first)).json<{ request_uri: string }>();
      const query = new URLSearchParams({ client_id: pushingApp.clientId, request_uri: uri });
      const finishers: (() => Promise<string>)[] = [];
      for (const person of [people.patient, people.otherPatient]) {
        const app = new SmartApp(portal, { client: pushingApp });
        const page = await app.browser.get(`/connect/authorize?${query}`);
        const returnUrl = new URL(page.location ?? '').searchParams.get('returnUrl') ?? '';
        expect((await app.signIn(person, returnUrl)).status).toBe(200);
        finishers.push(() => app.follow(returnUrl));
      }
      const landed: string[] = [];
      if (atOnce) landed.push(...(await Promise.all(finishers.map((finish) => finish()))));
      else for (const finish of finishers) landed.push(await finish());
      const answers = landed.map((at) => new URL(at));
      for (const { origin, searchParams } of answers) {
        expect([origin, searchParams.get('state')]).toEqual([new URL(redirectUri).origin, first.state]);
      }
      const errors = answers.map(({ searchParams }) => searchParams.get('error')).sort();
      expect(errors).toEqual(['invalid_request', null]);
    }
  });

  it('is required where the client says so', async () => {
    const answer = await new SmartApp(portal, { client: pushingApp }).authorize();
    expect(answer.location).not.toContain('/login');
  });

  it('is refused at once when it names another FHIR server', async () => {
    const app = new SmartApp(portal, { client: pushingApp, parameters: { aud: 'https://elsewhere.example/fhir' } });
    expect((await push(app)).json()).toMatchObject({ error: 'invalid_request' });
  });

  it('A-12 is not fetched from another server', async () => {
    const query = new URLSearchParams({ client_id: pushingApp.clientId, request_uri: 'http://127.0.0.1:1/request' });
    const answer = await new Agent(portal.issuer).get(`/connect/authorize?${query}`);
    expect(answer.location ?? '').not.toContain('/login');
  });
});

describe.each(clientKinds)('Online access ($name)', (kind) => {
  const scope = 'openid fhirUser launch/patient patient/*.rs online_access';

  it('SMART refresh-online B-15 ends with the session, and only with it', async () => {
    const client = kind.client('online');
    const app = kind.app(portal, client, { scope });
    const tokens = await app.tokens(people.patient);
    const second = kind.app(portal, client, { scope }, app.browser);
    await second.tokens(people.patient);
    const refreshed = await app.refresh(tokens.refresh_token ?? '');
    expect(refreshed.status).toBe(200);
    await app.browser.signOut();
    const { refresh_token: next } = refreshed.json<Tokens>();
    expect((await app.refresh(next ?? '')).json()).toMatchObject({ error: 'invalid_grant' });
  });
});
