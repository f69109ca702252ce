import { decodeJwt } from 'jose';
import { usersChanged } from '../../../src/users/domain/user.js';
import { SmartApp } from '../../support/apps/smart-app.js';
import { publicApp } from '../../support/clients/clients.js';
import { Agent } from '../../support/http/agent.js';
import { startPortal, type TestPortal, tellNodes } from '../../support/portal/portal.js';
import { signInAtProvider } from '../../support/providers/external-sign-in.js';
import { startIdentityProvider, type TestIdentityProvider } from '../../support/providers/identity-provider.js';
import { people } from '../../support/users/people.js';

const knowing = { ...publicApp, clientId: 'knowing-app', allowContactScopes: true, requireConsent: false };
const speaking = { ...knowing, clientId: 'speaking-app', alwaysIncludeUserClaimsInIdToken: true };
const quiet = { ...knowing, clientId: 'quiet-app', allowContactScopes: false };
const asking = { ...knowing, clientId: 'asking-app', requireConsent: true };
const scope = 'openid profile email phone';

let provider: TestIdentityProvider;
let portal: TestPortal;

beforeAll(async () => {
  provider = await startIdentityProvider();
  portal = await startPortal({
    config: {
      users: [people.patient],
      clients: [knowing, speaking, quiet, asking],
      identityProviders: [provider.entry({ scope: 'openid profile email phone' })],
    },
  });
  provider.trust(portal);
});

afterAll(async () => {
  await portal.close();
  await provider.close();
});

async function told(client: { clientId: string }, browser?: Agent) {
  const app = new SmartApp(portal, { client, scope }, browser);
  const tokens = browser
    ? (await app.exchange(new URL(await app.follow(app.authorizationPath)).searchParams.get('code') ?? '')).json<{
        access_token: string;
        id_token: string;
        scope: string;
      }>()
    : await app.tokens(people.patient);
  const headers = { authorization: `Bearer ${tokens.access_token}` };
  const userinfo = (await new Agent(portal.issuer).get('/connect/userinfo', { headers })).json();
  return { scope: tokens.scope, userinfo, idToken: decodeJwt(tokens.id_token ?? '') };
}

describe('The claims of the scopes profile, email and phone (OpenID Connect Core §5.4)', () => {
  it('come from the account, for a client that may have them', async () => {
    await portal.query(
      `UPDATE account SET claims = claims || '[{"name":"given_name","value":"Amelia"},{"name":"locale","value":"de-CH"},
         {"name":"phone_number","value":"+41 44 000 00 00"}]' WHERE email = $1`,
      [people.patient.email],
    );
    await tellNodes(portal, usersChanged);
    const { userinfo, idToken, scope: granted } = await told(knowing);
    expect(granted).toBe(scope);
    expect(userinfo).toMatchObject({
      name: people.patient.fullName,
      email: people.patient.email,
      email_verified: true,
      given_name: 'Amelia',
      locale: 'de-CH',
      phone_number: '+41 44 000 00 00',
      phone_number_verified: false,
      updated_at: expect.any(Number),
    });
    expect(idToken).not.toHaveProperty('email');
  });

  it('are in the id_token of a client with that setting', async () => {
    const { idToken } = await told(speaking);
    expect(idToken).toMatchObject({ email: people.patient.email, email_verified: true, name: people.patient.fullName });
  });

  it('are neither granted nor returned to a client that may not have them', async () => {
    const { userinfo, scope: granted } = await told(quiet);
    expect(granted).toBe('openid profile');
    expect(Object.keys(userinfo).sort()).toEqual(['name', 'profile', 'sub']);
  });

  it('come from the provider at each sign-in, verified where it says so', async () => {
    const grace = provider.members.grace as Record<string, unknown>;
    Object.assign(grace, {
      given_name: 'Grace',
      family_name: 'Field',
      locale: 'en-GB',
      zoneinfo: 'Europe/London',
      phone_number: '+44 20 0000 0000',
      phone_number_verified: true,
    });
    const first = await told(knowing, (await signInAtProvider(portal, provider, 'grace')).browser);
    expect(first.userinfo).toMatchObject({
      given_name: 'Grace',
      family_name: 'Field',
      locale: 'en-GB',
      zoneinfo: 'Europe/London',
      email: 'grace.field@hospital.example',
      email_verified: true,
    });
    Object.assign(grace, { zoneinfo: 'Europe/Zurich', email_verified: undefined });
    const second = await told(knowing, (await signInAtProvider(portal, provider, 'grace')).browser);
    expect(second.userinfo).toMatchObject({ zoneinfo: 'Europe/Zurich', email_verified: false });
  });

  it('are shown as personal information on the consent page, and are not granted when unticked', async () => {
    const app = new SmartApp(portal, { client: asking, scope });
    const returnUrl = await app.begin();
    await app.signIn(people.patient, returnUrl);
    const consent = new URL(await app.follow(returnUrl)).searchParams.get('returnUrl') ?? '';
    const page = (await app.browser.get(`/api/consent?returnUrl=${encodeURIComponent(consent)}`)).json<{
      identityScopes: { value: string; displayName: string; required: boolean }[];
    }>();
    expect(page.identityScopes.map(({ value, displayName }) => [value, displayName])).toEqual([
      ['openid', 'Your sign-in identifier'],
      ['profile', 'Your profile'],
      ['email', 'Your e-mail address'],
      ['phone', 'Your phone number'],
    ]);
    await app.consent(consent, ['openid', 'profile']);
    const code = new URL(await app.follow(consent)).searchParams.get('code') ?? '';
    expect((await app.exchange(code)).json().scope).toBe('openid profile');
  });
});
