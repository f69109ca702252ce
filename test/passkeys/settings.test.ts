import { Agent } from '../support/http/agent.js';
import { errorsOf } from '../support/http/answers.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { signInByPassword } from '../support/users/authenticator.js';
import { addPasskey, PasskeyDevice, passkeyOptions, signInByPasskey } from '../support/users/passkey-device.js';
import { forgedRegistrations, malformedRegistrations } from '../support/users/passkey-forgeries.js';
import { people } from '../support/users/people.js';

const { patient, otherPatient } = people;
const registration = '/api/passkeys/registration';

let portal: TestPortal;
let agent: Agent;

beforeAll(async () => {
  portal = await startPortal({ nodes: 2, config: { users: Object.values(people) } });
});
beforeEach(async () => {
  agent = await signInByPassword(portal, patient);
});
afterEach(() => portal.query('TRUNCATE passkey, passkey_challenge, passkey_offer, rate_limit'));
afterAll(() => portal.close());

/** The same browser at another node. */
const atNode = (one: Agent, node: number) => {
  const other = new Agent(portal.issuer, portal.ports[node]);
  for (const [name, value] of one.cookies) other.cookies.set(name, value);
  return other;
};
const listOf = async (one = agent) =>
  (await one.get('/api/passkeys')).json<{ passkeys: { id: string; name: string }[]; limit: number }>();
const messageOf = (answer: { json<T>(): T }) => answer.json<{ message: string }>().message;
describe('The passkeys of a user', () => {
  it('are listed with name, device, times and the sign-in that is in use', async () => {
    const { device } = await addPasskey(agent, {}, 'My phone');
    await addPasskey(agent, { synced: true, attachment: 'cross-platform', transports: ['usb'] });
    const other = new Agent(portal.issuer);
    await signInByPasskey(other, device);
    expect(await listOf(other)).toEqual({
      passkeys: [
        {
          id: expect.any(String),
          name: 'My phone',
          kind: 'laptop',
          createdAt: expect.any(String),
          lastUsedAt: expect.any(String),
          isThisSignIn: true,
          isSynced: false,
          maybeCloned: false,
        },
        expect.objectContaining({ kind: 'security-key', lastUsedAt: null, isThisSignIn: false, isSynced: true }),
      ],
      limit: 10,
      hasPassword: true,
      currentPasswordRequired: false,
    });
  });

  it('have distinct names where the page guesses the same one for two devices', async () => {
    for (const _ of [1, 2, 3]) await addPasskey(agent, {}, 'iPhone');
    const { passkeys } = await listOf();
    expect(passkeys.map(({ name }) => name).sort()).toEqual(['iPhone', 'iPhone 2', 'iPhone 3']);
  });

  it('are made for the account, with a verified user, and not twice in one authenticator', async () => {
    const { device } = await addPasskey(agent);
    const { challenge: _, ...options } = (await passkeyOptions(agent, registration)) as object & { challenge: string };
    expect(options).toMatchObject({
      rp: { id: 'localhost' },
      user: { name: patient.email, displayName: patient.fullName },
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      excludeCredentials: [{ id: device.id }],
    });
  });

  it.each(['', '   ', 'x'.repeat(61)])('are not named %j', async (name) => {
    const { passkey } = await addPasskey(agent);
    expect((await agent.send(`/api/passkeys/${passkey.id}`, { method: 'PATCH', body: { name } })).status).toBe(400);
    expect((await listOf()).passkeys[0]?.name).toBe(passkey.name);
  });

  it('are renamed and removed by their user alone', async () => {
    const { passkey } = await addPasskey(agent, {}, 'Mine');
    const other = await signInByPassword(portal, otherPatient);
    const address = `/api/passkeys/${passkey.id}`;
    for (const call of [
      { method: 'PATCH', body: { name: 'Theirs' } },
      { method: 'DELETE', body: {} },
    ]) {
      expect((await other.send(address, call)).status).toBe(404);
      expect((await new Agent(portal.issuer).send(address, call)).status).toBe(401);
      expect((await agent.send('/api/passkeys/none', call)).status).toBe(404);
    }
    expect((await agent.send(address, { method: 'PATCH', body: { name: ' Kitchen ' } })).status).toBe(204);
    expect((await listOf()).passkeys).toEqual([expect.objectContaining({ name: 'Kitchen' })]);
    expect((await agent.send(address, { method: 'DELETE', body: {} })).status).toBe(204);
    expect((await listOf()).passkeys).toEqual([]);
  });

  it.each(['NUL \0', 'two\nlines', 'half \ud800', 'Mine\u202e'])(
    'have no name that cannot be stored or seen: %j',
    async (name) => {
      const { passkey } = await addPasskey(agent, {}, 'Mine');
      const renamed = await agent.send(`/api/passkeys/${passkey.id}`, { method: 'PATCH', body: { name } });
      const response = new PasskeyDevice(portal.issuer).register(await passkeyOptions(agent, registration));
      const added = await agent.post('/api/passkeys', { response, name });
      for (const refused of [renamed, added]) {
        expect([refused.status, errorsOf(refused)]).toEqual([
          400,
          [{ field: 'name', messages: ['Please enter a valid value'] }],
        ]);
      }
      expect((await listOf()).passkeys).toEqual([expect.objectContaining({ name: 'Mine' })]);
    },
  );

  it('are removed after a recent sign-in alone, or with the password or a passkey (G-08)', async () => {
    const [one, other] = [await addPasskey(agent), await addPasskey(agent)];
    await portal.query(
      "UPDATE oidc_record SET payload = jsonb_set(payload, '{loginTs}', to_jsonb((payload ->> 'loginTs')::int - 400)) WHERE model = 'Session'",
    );
    const remove = (id: string, body: object) => agent.send(`/api/passkeys/${id}`, { method: 'DELETE', body });
    for (const body of [{}, { currentPassword: null }, { currentPassword: 'wrong' }]) {
      const refused = await remove(one.passkey.id, body);
      expect([refused.status, errorsOf(refused)[0]?.field]).toEqual([400, 'currentPassword']);
    }
    expect((await listOf()).passkeys).toHaveLength(2);
    expect((await remove(one.passkey.id, { currentPassword: patient.password })).status).toBe(204);
    const path = '/api/passkeys/confirmation';
    const response = other.device.answer(await passkeyOptions(agent, `${path}/options`));
    expect((await agent.post(path, { response })).status).toBe(204);
    expect((await remove(other.passkey.id, {})).status).toBe(204);
  });

  it('end the other sessions when one is removed, and sign no user in any more', async () => {
    const { device, passkey } = await addPasskey(agent);
    const elsewhere = new Agent(portal.issuer, portal.ports[1]);
    await signInByPasskey(elsewhere, device);
    await agent.send(`/api/passkeys/${passkey.id}`, { method: 'DELETE', body: {} });
    expect((await elsewhere.get('/api/session')).status).toBe(401);
    expect((await agent.get('/api/session')).status).toBe(200);
    expect((await signInByPasskey(new Agent(portal.issuer), device)).status).toBe(400);
  });

  it('are ten at the most, however many are added at once', async () => {
    for (let count = 0; count < 9; count += 1) await addPasskey(agent);
    const made = await Promise.all(
      [0, 1, 0, 1].map(async (node) => {
        const one = atNode(agent, node);
        const response = new PasskeyDevice(portal.issuer).register(await passkeyOptions(one, registration));
        return { one, response };
      }),
    );
    const answers = await Promise.all(made.map(({ one, response }) => one.post('/api/passkeys', { response })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
    const eleventh = await agent.post(registration, {});
    expect([eleventh.status, messageOf(eleventh)]).toEqual([
      409,
      'An account can have 10 passkeys. Please remove one that you do not use.',
    ]);
  });

  it('are not removed when no other way to sign in would be left, also by two removals at once', async () => {
    const own = await signInByPassword(portal, people.practitioner);
    const ids = [(await addPasskey(own)).passkey.id, (await addPasskey(own)).passkey.id];
    await portal.query('UPDATE account SET password_hash = NULL WHERE email = $1', [people.practitioner.email]);
    const answers = await Promise.all(
      ids.map((id, node) => atNode(own, node).send(`/api/passkeys/${id}`, { method: 'DELETE', body: {} })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 409]);
    expect((await portal.query('SELECT FROM passkey')).length).toBe(1);
  });
});

describe('The registration of a passkey', () => {
  it.each(forgedRegistrations)('is refused with %s', async (_name, forged, reason) => {
    const options = await passkeyOptions(agent, registration);
    const answer = await agent.post('/api/passkeys', {
      response: new PasskeyDevice(portal.issuer).register(options, forged),
    });
    expect([answer.status, messageOf(answer)]).toEqual([400, reason]);
    expect((await listOf()).passkeys).toEqual([]);
  });

  it('is accepted with a statement of the key about itself, which browsers need not remove', async () => {
    const { device } = await addPasskey(agent, { selfAttested: true });
    expect((await signInByPasskey(new Agent(portal.issuer), device)).status).toBe(200);
  });

  it.each(malformedRegistrations)('is refused if the answer is %s', async (_name, response) => {
    expect((await agent.post('/api/passkeys', { response })).status).toBe(400);
  });

  it('is accepted once, also when it is sent to two nodes at once', async () => {
    const response = new PasskeyDevice(portal.issuer).register(await passkeyOptions(agent, registration));
    const answers = await Promise.all(
      [0, 1, 0, 1].map((node) => atNode(agent, node).post('/api/passkeys', { response })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400]);
    expect((await listOf()).passkeys).toHaveLength(1);
  });

  it('is refused for a credential that another account has', async () => {
    const { device } = await addPasskey(agent);
    const other = await signInByPassword(portal, otherPatient);
    const response = device.register(await passkeyOptions(other, registration));
    const answer = await other.post('/api/passkeys', { response });
    expect([answer.status, messageOf(answer)]).toEqual([409, 'This passkey has been added before.']);
    expect((await signInByPasskey(new Agent(portal.issuer), device, {})).status).toBe(400);
  });

  it('does not use the question of another account in the same browser', async () => {
    const response = new PasskeyDevice(portal.issuer).register(await passkeyOptions(agent, registration));
    await agent.post('/api/session/login', { username: otherPatient.email, password: otherPatient.password });
    expect((await agent.post('/api/passkeys', { response })).status).toBe(400);
    expect((await listOf()).passkeys).toEqual([]);
  });

  it('is refused without a session, and without the header of the portal', async () => {
    expect((await new Agent(portal.issuer).post(registration, {})).status).toBe(401);
    const foreign = await agent.post(registration, {}, { headers: { origin: 'https://evil.example' } });
    expect(foreign.status).toBe(403);
  });
});

describe('The offer of a passkey', () => {
  const offered = async () => (await agent.get('/api/passkeys/offer')).json();

  it('is made after a sign-in with a password, three times, thirty days apart', async () => {
    for (let time = 0; time < 3; time += 1) {
      expect(await offered()).toEqual({ isOffered: true });
      // Two tabs put the same offer off.
      await Promise.all([0, 1].map((node) => atNode(agent, node).post('/api/passkeys/offer/later', {})));
      expect(await offered()).toEqual({ isOffered: false });
      await portal.query("UPDATE passkey_offer SET last_at = now() - interval '31 days'");
    }
    expect(await offered()).toEqual({ isOffered: false });
  });

  it('is not made to a user who has one, or who has signed in with one', async () => {
    const { device } = await addPasskey(agent);
    expect(await offered()).toEqual({ isOffered: false });
    const other = new Agent(portal.issuer);
    await signInByPasskey(other, device);
    expect((await other.get('/api/passkeys/offer')).json()).toEqual({ isOffered: false });
  });
});
