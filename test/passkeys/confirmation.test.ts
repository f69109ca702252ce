import { createPortal } from '../../src/app.setup.js';
import { Secrets } from '../../src/platform/crypto/secrets.js';
import { Agent } from '../support/http/agent.js';
import { errorsOf } from '../support/http/answers.js';
import { freePorts, startPortal, type TestPortal } from '../support/portal/portal.js';
import { signInByPassword } from '../support/users/authenticator.js';
import { addPasskey, type PasskeyDevice, passkeyOptions, signInByPasskey } from '../support/users/passkey-device.js';
import { someForgedAnswers } from '../support/users/passkey-forgeries.js';
import { people } from '../support/users/people.js';

const { patient, otherPatient } = people;
const begin = '/api/passkeys/confirmation/options';
const confirm = '/api/passkeys/confirmation';

let portal: TestPortal;
let agent: Agent;
let device: PasskeyDevice;
/** Of nodes that start later: in one process they share what the first one to close ends. */
const closings: (() => Promise<void>)[] = [];

beforeAll(async () => {
  portal = await startPortal({ nodes: 2, config: { users: Object.values(people) } });
});
beforeEach(async () => {
  agent = await signInByPassword(portal, patient);
  ({ device } = await addPasskey(agent));
  await portal.query(
    "UPDATE oidc_record SET payload = jsonb_set(payload, '{loginTs}', to_jsonb((payload ->> 'loginTs')::int - 400)) WHERE model = 'Session'",
  );
});
afterEach(() => portal.query('TRUNCATE passkey, passkey_challenge, passkey_offer, rate_limit'));
afterAll(async () => {
  for (const close of closings) await close();
  await portal.close();
});

const atNode = (one: Agent, node: number) => {
  const other = new Agent(portal.issuer, portal.ports[node]);
  for (const [name, value] of one.cookies) other.cookies.set(name, value);
  return other;
};
const mayAdd = async (one = agent) => (await one.post('/api/passkeys/registration', {})).status === 200;

describe('A signed-in user who proves a passkey', () => {
  it('needs no password for five minutes, under another session id and with a stronger sign-in', async () => {
    expect(await mayAdd()).toBe(false);
    const before = agent.cookies.get('gatehouse_session');
    const answer = await agent.post(confirm, { response: device.answer(await passkeyOptions(agent, begin)) });
    expect(answer.status).toBe(204);
    expect(agent.cookies.get('gatehouse_session')).not.toBe(before);
    expect(await mayAdd()).toBe(true);
    expect((await agent.post('/api/user/data', {})).status).toBe(200);
    const [session] = await portal.query<{ amr: string[]; acr: string }>(
      "SELECT payload -> 'amr' AS amr, payload ->> 'acr' AS acr FROM oidc_record WHERE model = 'Session' AND payload ? 'confirmedAt' AND payload ->> 'confirmedAt' IS NOT NULL",
    );
    expect(session).toEqual({ amr: ['pwd', 'hwk', 'user', 'mfa'], acr: 'phr' });
  });

  it('confirms once with each answer, also at two nodes at once', async () => {
    const response = device.answer(await passkeyOptions(agent, begin));
    const answers = await Promise.all([0, 1, 0, 1].map((node) => atNode(agent, node).post(confirm, { response })));
    const statuses = answers.map(({ status }) => status);
    // The one that counts gives the session another id, without which a later one is not signed in.
    expect(statuses.filter((status) => status !== 400 && status !== 401)).toEqual([204]);
  });

  it.each(someForgedAnswers(1))('is refused with %s', async (_name, forged, reason) => {
    const answer = await agent.post(confirm, { response: device.answer(await passkeyOptions(agent, begin), forged) });
    expect([answer.status, errorsOf(answer)[0]?.messages]).toEqual([400, [reason]]);
    expect(await mayAdd()).toBe(false);
  });

  it('is refused with the passkey of another account, of another browser, and with an answer for another purpose', async () => {
    const other = await signInByPassword(portal, otherPatient);
    const { device: theirs } = await addPasskey(other);
    const elsewhere = await signInByPassword(portal, patient);
    const answers = [
      await agent.post(confirm, { response: theirs.answer(await passkeyOptions(agent, begin)) }),
      await agent.post(confirm, { response: device.answer(await passkeyOptions(elsewhere, begin)) }),
      await agent.post(confirm, {
        response: device.answer(await passkeyOptions(agent, '/api/passkeys/sign-in/options')),
      }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400]);
    expect(await mayAdd()).toBe(false);
  });

  it('cannot confirm in a session of another account that began meanwhile', async () => {
    const response = device.answer(await passkeyOptions(agent, begin));
    await agent.post('/api/session/login', { username: otherPatient.email, password: otherPatient.password });
    expect((await agent.post(confirm, { response })).status).toBe(400);
  });

  it('has to be signed in, to have a passkey, and to call from the portal', async () => {
    expect((await new Agent(portal.issuer).post(begin, {})).status).toBe(401);
    expect((await (await signInByPassword(portal, otherPatient)).post(begin, {})).status).toBe(404);
    const foreign = await agent.post(confirm, { response: {} }, { headers: { origin: 'https://evil.example' } });
    expect(foreign.status).toBe(403);
  });

  it('may be wrong twenty times in an hour', async () => {
    const wrong = () => agent.post(confirm, { response: { id: 'AAAA' } });
    for (let time = 0; time < 20; time += 1) expect((await wrong()).status).toBe(400);
    expect((await wrong()).status).toBe(429);
    expect((await signInByPasskey(new Agent(portal.issuer), device)).status).toBe(200);
  });
});

describe.each([
  ['a sign-in', '/api/passkeys/sign-in', 50, () => new Agent(portal.issuer)],
  ['a confirmation', confirm, 20, () => atNode(agent, 0)],
] as const)('Wrong passkeys of %s', (_name, path, most, callerOf) => {
  const statusesOf = async (count: number, ports: number[]) => {
    const statuses: number[] = [];
    for (let time = 0; time < count; time += 1) {
      const caller = callerOf();
      caller.port = ports[time % ports.length] ?? 0;
      statuses.push((await caller.post(path, { response: { id: 'AAAA' } })).status);
    }
    return statuses;
  };
  const refused = () => Array<number>(most).fill(400);

  it('are limited also while the counters cannot be stored, and a right one is accepted afterwards (F-05)', async () => {
    await portal.query('ALTER TABLE rate_limit RENAME TO away');
    try {
      expect(await statusesOf(most + 1, portal.ports.slice(0, 1))).toEqual([...refused(), 429]);
    } finally {
      await portal.query('ALTER TABLE away RENAME TO rate_limit');
    }
    const caller = callerOf();
    const options = await passkeyOptions(caller, path === confirm ? begin : `${path}/options`);
    expect([200, 204]).toContain((await caller.post(path, { response: device.answer(options) })).status);
  });

  it('are limited over all nodes, also at one that starts afterwards (F-05)', async () => {
    expect(await statusesOf(most, portal.ports)).toEqual(refused());
    const secrets = portal.apps[0]?.get(Secrets, { strict: false }) as Secrets;
    const { app, server } = await createPortal({ config: portal.config, secrets, connection: portal.connection });
    const ports = await freePorts(1);
    await new Promise<void>((resolve) => server.listen(ports[0], '127.0.0.1', resolve));
    closings.push(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await app.close();
    });
    expect(await statusesOf(1, ports)).toEqual([429]);
  });
});
