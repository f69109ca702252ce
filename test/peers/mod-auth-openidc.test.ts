import { type Apache, hasApache, startApache } from '../support/apps/apache.js';
import { SmartApp } from '../support/apps/smart-app.js';
import { confidentialApp } from '../support/clients/clients.js';
import { Agent } from '../support/http/agent.js';
import { freePorts, startPortal, type TestPortal } from '../support/portal/portal.js';
import { people } from '../support/users/people.js';

// Skipped where Debian's packages are not available.
const describeWithApache = hasApache ? describe : describe.skip;
const scope = 'openid profile email groups offline_access';

describeWithApache('mod_auth_openidc', () => {
  let portal: TestPortal;
  let apache: Apache;
  let browser: Agent;
  let person: SmartApp;

  beforeAll(async () => {
    const [port = 0] = await freePorts(1);
    const origin = `http://localhost:${port}`;
    const client = {
      ...confidentialApp,
      clientId: 'apache',
      allowContactScopes: true,
      redirectUris: [`${origin}/protected/callback`],
      postLogoutRedirectUris: [`${origin}/signed-out`],
    };
    portal = await startPortal({ config: { users: [people.patient], clients: [client] } });
    apache = await startApache({ issuer: portal.issuer, port, clientId: client.clientId, scope });
    browser = new Agent(origin);
    person = new SmartApp(portal, { client });
  });

  afterAll(async () => {
    await apache?.close();
    await portal?.close();
  });

  const info = async () =>
    (await browser.get('/protected/callback?info=json')).json<{ access_token?: string; refresh_token?: string }>();

  it('signs in a user with an e-mail address', async () => {
    const { location = '' } = await browser.get('/protected/page', { headers: { accept: 'text/html' } });
    const landed = await person.complete(people.patient, undefined, new URL(location));
    const back = await browser.get(landed.href);
    expect(back.location).toBe(`${apache.origin}/protected/page`);
    const page = await browser.get('/protected/page');
    expect(page.headers['x-person']).toBe(`${people.patient.email}|${people.patient.fullName}`);
  });

  it('refreshes with the scopes that it requested', async () => {
    const before = await info();
    const query = new URLSearchParams({
      refresh: `${apache.origin}/protected/page`,
      access_token: before.access_token ?? '',
    });
    const answer = await browser.get(`/protected/callback?${query}`);
    // After a failed refresh, the address would have an error.
    expect(answer.location).toBe(`${apache.origin}/protected/page`);
    const after = await info();
    expect(after.access_token).toEqual(expect.any(String));
    expect(after.access_token).not.toBe(before.access_token);
    expect(after.refresh_token).not.toBe(before.refresh_token);
  });

  it('signs the user out of both', async () => {
    const query = new URLSearchParams({ logout: `${apache.origin}/signed-out` });
    const { location = '' } = await browser.get(`/protected/callback?${query}`);
    expect(location).toContain(`${portal.issuer}/connect/endsession?`);
    expect(new URL(location).searchParams.get('post_logout_redirect_uri')).toBe(`${apache.origin}/signed-out`);
    expect(await person.signOutByApp(location)).toBe(`${apache.origin}/signed-out`);
    expect((await person.browser.get('/api/session')).status).toBe(401);
    const { location: again } = await browser.get('/protected/page', { headers: { accept: 'text/html' } });
    expect(again).toContain(`${portal.issuer}/connect/authorize?`);
  });
});
