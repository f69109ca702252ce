import { SmartApp } from '../support/apps/smart-app.js';
import { publicApp } from '../support/clients/clients.js';
import { Agent } from '../support/http/agent.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { signInAtProvider } from '../support/providers/external-sign-in.js';
import { startIdentityProvider, type TestIdentityProvider } from '../support/providers/identity-provider.js';
import { enableTwoFactor, signInByPassword, signInWithCode } from '../support/users/authenticator.js';
import { addPasskey, signInByPasskey } from '../support/users/passkey-device.js';
import { people } from '../support/users/people.js';

const { admin, patient, practitioner } = people;
const asking = { ...publicApp, requireConsent: false };

let provider: TestIdentityProvider;
let portal: TestPortal;

beforeAll(async () => {
  provider = await startIdentityProvider();
  portal = await startPortal({
    nodes: 2,
    config: {
      users: Object.values(people),
      clients: [asking],
      identityProviders: [provider.entry()],
      account: { passkeys: 'required' },
    },
  });
  provider.trust(portal);
});
afterEach(() => portal.query('TRUNCATE passkey, passkey_challenge, passkey_offer, two_factor, rate_limit'));
afterAll(async () => {
  await portal.close();
  await provider.close();
});

/** What each node says. */
const offers = (agent: Agent) =>
  Promise.all(
    portal.ports.map(async (port) => {
      const there = new Agent(portal.issuer, port);
      for (const [name, value] of agent.cookies) there.cookies.set(name, value);
      return (await there.get('/api/passkeys/offer')).json<{ isOffered: boolean }>().isOffered;
    }),
  );

describe('A portal that requires passkeys', () => {
  it.each([
    ['a patient', patient],
    ['a practitioner', practitioner],
    ['an administrator', admin],
  ] as const)('asks %s for one at each sign-in with a password until the account has one', async (_name, person) => {
    for (let time = 0; time < 5; time += 1) {
      const agent = await signInByPassword(portal, person);
      expect(await offers(agent)).toEqual([true, true]);
      expect((await agent.post('/api/passkeys/offer/later', {})).status).toBe(204);
    }
    const agent = await signInByPassword(portal, person);
    const { device, passkey } = await addPasskey(agent);
    expect(await offers(agent)).toEqual([false, false]);
    expect(await offers(await signInByPassword(portal, person))).toEqual([false, false]);
    const byPasskey = new Agent(portal.issuer);
    expect((await signInByPasskey(byPasskey, device)).status).toBe(200);
    expect(await offers(byPasskey)).toEqual([false, false]);
    expect((await byPasskey.send(`/api/passkeys/${passkey.id}`, { method: 'DELETE', body: {} })).status).toBe(204);
    expect(await offers(await signInByPassword(portal, person))).toEqual([true, true]);
  });

  it('asks a user of an authenticator app, too', async () => {
    const { key } = await enableTwoFactor(await signInByPassword(portal, patient));
    expect(await offers(await signInWithCode(portal, patient, { key }))).toEqual([true, true]);
  });

  it('does not ask a user of another provider', async () => {
    const { browser } = await signInAtProvider(portal, provider, 'grace');
    expect((await browser.get('/api/session')).status).toBe(200);
    expect(await offers(browser)).toEqual([false, false]);
  });

  it('has no calls about passkeys for such a user (G-09)', async () => {
    const { browser } = await signInAtProvider(portal, provider, 'grace');
    const id = '00000000-0000-4000-8000-000000000000';
    const calls = [
      browser.get('/api/passkeys'),
      browser.post('/api/passkeys/registration', {}),
      browser.post('/api/passkeys', { response: {} }),
      browser.send(`/api/passkeys/${id}`, { method: 'PATCH', body: { name: 'Other' } }),
      browser.send(`/api/passkeys/${id}`, { method: 'DELETE', body: {} }),
      browser.post('/api/passkeys/confirmation/options', {}),
      browser.post('/api/passkeys/confirmation', { response: {} }),
      browser.post('/api/passkeys/recovery/codes', {}),
      browser.send('/api/user/password', { method: 'DELETE' }),
    ];
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(calls.map(() => 403));
  });

  it.each([
    ['a request with a sign-in', {}],
    ['a request without pages', { prompt: 'none' }],
  ])('answers an app whose user goes on without one: %s', async (_name, parameters) => {
    const browser = new Agent(portal.issuer);
    if ('prompt' in parameters) await new SmartApp(portal, {}, browser).signIn(patient);
    const app = new SmartApp(portal, { scope: 'openid', parameters }, browser);
    const answer = await app.complete(patient);
    expect(answer.searchParams.get('error')).toBeNull();
    expect(answer.searchParams.get('code')).toEqual(expect.any(String));
  });

  it('counts no offers for the time when they are only allowed again', async () => {
    const agent = await signInByPassword(portal, patient);
    await agent.post('/api/passkeys/offer/later', {});
    Object.assign(portal.config.account, { passkeys: 'allowed' });
    try {
      expect(await offers(agent)).toEqual([true, true]);
    } finally {
      Object.assign(portal.config.account, { passkeys: 'required' });
    }
  });
});
