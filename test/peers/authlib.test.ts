import { randomBytes } from 'node:crypto';
import { authlib, hasAuthlib } from '../support/apps/authlib.js';
import { SmartApp } from '../support/apps/smart-app.js';
import { confidentialApp, redirectUri, sharedSecret } from '../support/clients/clients.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { people } from '../support/users/people.js';

// Skipped where neither a Python with Authlib nor pip is available.
const describeWithAuthlib = hasAuthlib ? describe : describe.skip;
const client = { ...confidentialApp, clientId: 'authlib', allowContactScopes: true };

interface Told {
  token: { access_token: string; refresh_token: string; id_token: string; scope: string };
  claims: Record<string, unknown>;
  person: Record<string, unknown>;
}

describeWithAuthlib('Authlib', () => {
  let portal: TestPortal;
  let person: SmartApp;
  let told: Told;
  let about: Record<string, unknown>;

  beforeAll(async () => {
    portal = await startPortal({ config: { users: [people.patient], clients: [client] } });
    person = new SmartApp(portal, { client });
    about = {
      issuer: portal.issuer,
      clientId: client.clientId,
      secret: sharedSecret,
      scope: 'openid profile email groups offline_access',
      redirectUri,
      leaveUri: client.postLogoutRedirectUris[0],
      nonce: randomBytes(16).toString('base64url'),
      verifier: randomBytes(32).toString('base64url'),
    };
  });

  afterAll(() => portal?.close());

  it('signs in a user with an e-mail address', async () => {
    const { url, state } = await authlib<{ url: string; state: string }>('begin', about);
    const answer = await person.complete(people.patient, undefined, new URL(url));
    told = await authlib<Told>('finish', { ...about, state, answer: answer.href });
    expect(told.claims).toMatchObject({ nonce: about.nonce, sub: told.person.sub });
    expect(told.person).toMatchObject({ email: people.patient.email, name: people.patient.fullName });
  });

  it('refreshes with the scopes that it requested', async () => {
    const refreshed = await authlib<Told>('refresh', { ...about, token: told.token });
    expect(refreshed.token.scope).toBe(told.token.scope);
    expect(refreshed.token.refresh_token).not.toBe(told.token.refresh_token);
    expect(refreshed.person).toEqual(told.person);
  });

  it('signs the user out', async () => {
    const { url } = await authlib<{ url: string }>('leave', { ...about, token: told.token });
    expect(await person.signOutByApp(url)).toBe(`${client.postLogoutRedirectUris[0]}?state=left`);
    expect((await person.browser.get('/api/session')).status).toBe(401);
  });
});
