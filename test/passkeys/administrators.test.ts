import { Agent } from '../support/http/agent.js';
import { currentUser, errorsOf } from '../support/http/answers.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import {
  authenticatorCode,
  enableTwoFactor,
  signInByPassword,
  signInWithCode,
} from '../support/users/authenticator.js';
import { addPasskey, confirmByPasskey, signInByPasskey } from '../support/users/passkey-device.js';
import { people } from '../support/users/people.js';

const { admin, patient } = people;

let portal: TestPortal;

/** As after a restart of all nodes with another setting. */
const need = (adminsNeed: 'password' | 'two-factor' | 'passkey') =>
  Object.assign(portal.config.account, { adminsNeed });

beforeAll(async () => {
  portal = await startPortal({ nodes: 2, config: { users: Object.values(people) } });
});
beforeEach(() => need('password'));
afterEach(() => portal.query('TRUNCATE passkey, passkey_challenge, passkey_offer, two_factor, rate_limit'));
afterAll(() => portal.close());

const atNode = (one: Agent, node: number) => {
  const other = new Agent(portal.issuer, portal.ports[node]);
  for (const [name, value] of one.cookies) other.cookies.set(name, value);
  return other;
};
/** The status of calls of administrators at each node. */
const statuses = async (agent: Agent) =>
  Promise.all([0, 1].map(async (node) => (await atNode(agent, node).get('/api/admin/client')).status));
const lackOf = async (agent: Agent) => (await currentUser(agent)).lacks;

describe('Administrators of a portal that needs', () => {
  it.each([
    ['two-factor', 'Administrators of this portal sign in with two factors. Please set one up, or use a passkey.'],
    ['passkey', 'Administrators of this portal sign in with a passkey. Please add one, or use the one that you have.'],
  ] as const)('%s are refused at each node with less, also in a session that began before', async (setting, text) => {
    const agent = await signInByPassword(portal, admin);
    expect([await statuses(agent), await lackOf(agent)]).toEqual([[200, 200], undefined]);
    need(setting);
    expect([await statuses(agent), await lackOf(agent)]).toEqual([[403, 403], setting]);
    const answer = await agent.get('/api/admin/client');
    expect(errorsOf(answer)).toEqual([{ messages: [text] }]);
    expect(answer.json<{ codes: object[] }>().codes).toEqual([{ code: `admin-needs-${setting}` }]);
    expect(await statuses(await signInByPassword(portal, admin))).toEqual([403, 403]);
  });

  it.each(['two-factor', 'passkey'] as const)('%s add a passkey, use it and go on', async (setting) => {
    need(setting);
    const agent = await signInByPassword(portal, admin);
    const { device } = await addPasskey(agent);
    expect(await statuses(agent)).toEqual([403, 403]);
    await confirmByPasskey(agent, device);
    expect([await statuses(agent), await lackOf(agent)]).toEqual([[200, 200], undefined]);
    const other = new Agent(portal.issuer);
    await signInByPasskey(other, device);
    expect(await statuses(other)).toEqual([200, 200]);
  });

  it('two factors set up an authenticator app and go on, and need it at the next sign-in', async () => {
    need('two-factor');
    const agent = await signInByPassword(portal, admin);
    const factor = await enableTwoFactor(agent);
    expect([await statuses(agent), await lackOf(agent)]).toEqual([[200, 200], undefined]);
    expect(await statuses(await signInWithCode(portal, admin, factor))).toEqual([200, 200]);
    need('passkey');
    expect([await statuses(agent), await lackOf(agent)]).toEqual([[403, 403], 'passkey']);
  });

  it('a passkey cannot replace theirs, or what leads back to the account, by the password alone', async () => {
    const owner = await signInByPassword(portal, admin);
    const { device, passkey } = await addPasskey(owner);
    need('passkey');
    const thief = await signInByPassword(portal, admin);
    const calls = [
      thief.post('/api/passkeys/registration', {}),
      thief.post('/api/passkeys', { response: {} }),
      thief.send(`/api/passkeys/${passkey.id}`, { method: 'DELETE' }),
      thief.post('/api/passkeys/recovery/codes', {}),
      thief.post('/api/twofactor/enable', { verificationCode: '123456' }),
      thief.post('/api/twofactor/disable', { verificationCode: '123456' }),
      thief.post('/api/twofactor/disable-recovery', { recoveryCode: 'AAAA' }),
    ];
    for (const answer of await Promise.all(calls)) {
      expect([answer.status, answer.json()]).toEqual([
        403,
        expect.objectContaining({ message: 'Please use your passkey or your second factor first.' }),
      ]);
    }
    await confirmByPasskey(thief, device);
    expect((await thief.post('/api/passkeys/registration', {})).status).toBe(200);
  });

  it('two factors cannot set up an authenticator app next to their passkey by the password alone', async () => {
    const owner = await signInByPassword(portal, admin);
    await addPasskey(owner);
    need('two-factor');
    const thief = await signInByPassword(portal, admin);
    const { sharedKey } = (await thief.get('/api/twofactor/enable')).json<{ sharedKey: string }>();
    const verificationCode = authenticatorCode(sharedKey);
    const answer = await thief.post('/api/twofactor/enable', { verificationCode });
    expect(answer.status).toBe(403);
  });

  it('more keep what is theirs: their account, their sessions, and the way out', async () => {
    need('passkey');
    const agent = await signInByPassword(portal, admin);
    const calls = [
      '/api/session',
      '/api/user/sessions',
      '/api/user/deletion',
      '/api/passkeys',
      '/api/twofactor/enable',
    ];
    for (const path of calls) expect([path, (await agent.get(path)).status]).toEqual([path, 200]);
  });

  it.each(['two-factor', 'passkey'] as const)('%s do not change what other users need', async (setting) => {
    need(setting);
    const agent = await signInByPassword(portal, patient);
    expect([(await agent.get('/api/grant')).status, await lackOf(agent)]).toEqual([200, undefined]);
    await addPasskey(agent);
    expect((await agent.post('/api/passkeys/registration', {})).status).toBe(200);
  });
});
