import { decodeJwt } from 'jose';
import type { CurrentUser, LoginOptions } from '../../src/contract/session.js';
import { Agent } from '../support/agent.js';
import { publicApp } from '../support/clients.js';
import { begin, signInElsewhere } from '../support/external-sign-in.js';
import { startIdentityProvider, type TestIdentityProvider } from '../support/identity-provider.js';
import { people } from '../support/people.js';
import { startPortal, type TestPortal } from '../support/portal.js';
import { SmartApp } from '../support/smart-app.js';

let provider: TestIdentityProvider;
let portal: TestPortal;

beforeAll(async () => {
  provider = await startIdentityProvider();
  portal = await startPortal({
    nodes: 2,
    config: {
      users: [people.admin, people.patient],
      clients: [publicApp],
      identityProviders: [provider.entry()],
    },
  });
  provider.trust(portal);
});

afterAll(async () => {
  await portal.close();
  await provider.close();
});

const currentUser = async (browser: Agent) => (await browser.get('/api/session')).json<CurrentUser & object>();

describe('signing in at another provider', () => {
  it('is offered on the sign-in page', async () => {
    const options = (await new Agent(portal.issuer).get('/api/session/login')).json<LoginOptions & object>();
    expect(options).toMatchObject({
      enableLocalLogin: true,
      externalProviders: [{ authenticationScheme: 'hospital', displayName: 'Hospital ID' }],
    });
  });

  it('makes an account at the first time, and begins a session', async () => {
    const { browser, answer } = await signInElsewhere(portal, provider, 'grace');
    expect([answer.status, answer.location]).toEqual([303, `${portal.issuer}/`]);
    expect(await currentUser(browser)).toEqual({
      fullName: 'Grace Field',
      email: 'grace.field@hospital.example',
      isExternal: true,
      is2faEnabled: false,
      userType: 'Patient',
      claims: [{ name: 'fhirUser', value: 'Patient/1' }],
    });
  });

  it('lets an app in, on whatever node', async () => {
    const app = new SmartApp(portal);
    const returnUrl = await app.begin();
    const { location = '' } = await begin(app.browser, 'hospital', returnUrl);
    const callback = await provider.signIn(location, 'grace');
    app.browser.port = portal.ports[1] ?? 0;
    const { location: on = '' } = await app.browser.get(callback);
    expect(on).toBe(new URL(returnUrl, portal.issuer).href);
    const consent = new URL(await app.follow(on));
    expect(consent.pathname).toBe('/user/consent');
    const again = consent.searchParams.get('returnUrl') ?? '';
    await app.consent(again, await app.offered(again));
    const landed = new URL(await app.follow(again));
    const tokens = (await app.exchange(landed.searchParams.get('code') ?? '')).json<Record<string, string>>();
    expect(tokens).toMatchObject({ patient: '1' });
    expect(decodeJwt(tokens.id_token ?? '')).toMatchObject({ amr: ['external'], acr: 'aal1' });
  });
});
