import { SmartApp } from '../support/apps/smart-app.js';
import { confidentialApp, publicApp } from '../support/clients/clients.js';
import { Agent } from '../support/http/agent.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { enableTwoFactor, signInByPassword, signInWithCode } from '../support/users/authenticator.js';
import { addPasskey, type PasskeyDevice, passkeyOptions, signInByPasskey } from '../support/users/passkey-device.js';
import { people } from '../support/users/people.js';

const { patient, practitioner } = people;
const asking = { ...confidentialApp, requireConsent: true };

let portal: TestPortal;
let device: PasskeyDevice;
let id: string;

/** As after a restart with another setting. */
const set = (passkeys: 'off' | 'allowed') => Object.assign(portal.config.account, { passkeys });

beforeAll(async () => {
  portal = await startPortal({
    nodes: 2,
    config: { users: Object.values(people), clients: [publicApp, asking], account: { passkeys: 'off' } },
  });
  set('allowed');
  const added = await addPasskey(await signInByPassword(portal, patient));
  device = added.device;
  id = added.passkey.id;
});
beforeEach(() => set('off'));
afterAll(() => portal.close());

const refusal = { message: 'This portal does not use passkeys.' };

describe('A portal that does not use passkeys', () => {
  it('refuses each call about passkeys of a signed-in user', async () => {
    const agent = await signInByPassword(portal, patient);
    const calls = [
      agent.get('/api/passkeys'),
      agent.get('/api/passkeys/offer'),
      agent.post('/api/passkeys/offer/later', {}),
      agent.post('/api/passkeys/registration', {}),
      agent.post('/api/passkeys', { response: {} }),
      agent.send(`/api/passkeys/${id}`, { method: 'PATCH', body: { name: 'Other' } }),
      agent.send(`/api/passkeys/${id}`, { method: 'DELETE' }),
      agent.get('/api/passkeys/recovery'),
      agent.post('/api/passkeys/recovery/codes', {}),
      agent.send('/api/passkeys/recovery', { method: 'DELETE' }),
    ];
    for (const answer of await Promise.all(calls)) {
      expect([answer.status, answer.json()]).toEqual([403, expect.objectContaining(refusal)]);
    }
  });

  it('accepts none for a sign-in, also of a question that was asked before, at each node', async () => {
    for (const port of portal.ports) {
      const agent = new Agent(portal.issuer, port);
      set('allowed');
      const response = device.answer(await passkeyOptions(agent, '/api/passkeys/sign-in/options'));
      set('off');
      const asked = await agent.post('/api/passkeys/sign-in/options', {});
      const answered = await agent.post('/api/passkeys/sign-in', { response });
      expect([asked.status, answered.status]).toEqual([403, 403]);
      expect(answered.json()).toMatchObject(refusal);
      expect((await agent.get('/api/session')).status).toBe(401);
    }
  });

  it('accepts none for the second factor, which codes prove as before', async () => {
    const { key } = await enableTwoFactor(await signInByPassword(portal, practitioner));
    set('allowed');
    await addPasskey(await signInWithCode(portal, practitioner, { key }));
    set('off');
    const agent = new Agent(portal.issuer);
    const { email: username, password } = practitioner;
    const login = await agent.post('/api/session/login', { username, password });
    expect(login.json()).toEqual({ is2faEnabled: true });
    expect((await agent.post('/api/twofactor/passkey/options', {})).status).toBe(403);
    expect((await agent.post('/api/twofactor/passkey', { response: {} })).status).toBe(403);
    await signInWithCode(portal, practitioner, { key });
  });

  it('announces no sign-in that cannot be phished', async () => {
    const document = await new Agent(portal.issuer).get('/.well-known/openid-configuration');
    expect(document.json()).toMatchObject({ acr_values_supported: ['aal1', 'aal2'] });
  });

  it('says so in its settings', async () => {
    const settings = () => new Agent(portal.issuer).get('/api/settings').then((answer) => answer.json());
    expect(await settings()).toMatchObject({ passkeysAllowed: false });
    set('allowed');
    expect(await settings()).toMatchObject({ passkeysAllowed: true });
  });

  it.each([
    ['a public client', publicApp],
    ['a confidential client', asking],
  ])('signs a user with a passkey in by password alone for the request of %s', async (_name, client) => {
    const app = new SmartApp(portal, { client });
    const returnUrl = await app.begin();
    expect((await app.signIn(patient, returnUrl)).json()).toEqual({ is2faEnabled: false });
    expect(new URL(await app.follow(returnUrl)).pathname).toBe('/user/consent');
  });

  it('keeps the passkeys that exist: they sign in again once passkeys are allowed', async () => {
    set('allowed');
    const agent = new Agent(portal.issuer);
    expect((await signInByPasskey(agent, device)).status).toBe(200);
    expect((await agent.get('/api/passkeys')).json()).toMatchObject({ passkeys: [{ id }] });
  });
});
