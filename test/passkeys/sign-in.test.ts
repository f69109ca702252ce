import { mock } from 'node:test';
import pg from 'pg';
import { Agent, type Answer } from '../support/http/agent.js';
import { currentUser } from '../support/http/answers.js';
import { type MailSink, startMailSink } from '../support/mail-sink.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { until } from '../support/until.js';
import {
  ageAcceptedCodes,
  beginTwoFactorSignIn,
  enableTwoFactor,
  login,
  signInByPassword,
} from '../support/users/authenticator.js';
import {
  addPasskey,
  type Forgery,
  PasskeyDevice,
  passkeyOptions,
  signInByPasskey,
} from '../support/users/passkey-device.js';
import {
  challengeOver,
  forgedAnswers,
  malformedAnswers,
  someForgedAnswers,
  unknownPasskey,
} from '../support/users/passkey-forgeries.js';
import { type Credentials, people } from '../support/users/people.js';

const { patient, otherPatient, admin, practitioner } = people;
const optionsPath = '/api/passkeys/sign-in/options';
const path = '/api/passkeys/sign-in';

let sink: MailSink;
let portal: TestPortal;

beforeAll(async () => {
  sink = await startMailSink();
  portal = await startPortal({
    nodes: 2,
    config: { account: { deletionDays: 7 }, users: Object.values(people), email: sink.config },
  });
});
afterEach(() => portal.query('TRUNCATE passkey, passkey_challenge, two_factor, pending_sign_in, rate_limit'));
afterAll(async () => {
  await portal.close();
  await sink.stop();
});

const enrolled = async (person: Credentials = patient, facts: PasskeyDevice['facts'] = {}) => {
  const agent = await signInByPassword(portal, person);
  return { agent, ...(await addPasskey(agent, facts)) };
};
const browser = (node = 0) => new Agent(portal.issuer, portal.ports[node]);
const amrOf = async () =>
  (
    await portal.query<{ amr: string[] }>(
      `SELECT detail->'amr' AS amr FROM audit_event WHERE type = 'login' AND outcome = 'success' ORDER BY id DESC LIMIT 1`,
    )
  )[0]?.amr;

describe('Signing in with a passkey', () => {
  it.each([
    ['a patient', patient],
    ['a practitioner', practitioner],
    ['an administrator', admin],
  ])('needs no name and no password for %s', async (_name, person) => {
    const { device } = await enrolled(person);
    const agent = browser(1);
    const answer = await signInByPasskey(agent, device);
    expect([answer.status, answer.json()]).toEqual([200, {}]);
    expect(await currentUser(agent)).toMatchObject({ email: person.email });
  });

  it.each([
    ['hwk', {}],
    ['swk', { synced: true }],
  ])('is recorded as %s with user verification, which is two factors', async (method, facts) => {
    const { device } = await enrolled(patient, facts);
    await signInByPasskey(browser(), device);
    expect(await amrOf()).toEqual([method, 'user', 'mfa']);
  });

  it('begins a session under a new id, and ends the one before in the same browser (E-02)', async () => {
    const { device } = await enrolled();
    const agent = await signInByPassword(portal, otherPatient);
    const before = new Agent(portal.issuer, portal.ports[1]);
    for (const [name, value] of agent.cookies) before.cookies.set(name, value);
    expect((await signInByPasskey(agent, device)).status).toBe(200);
    expect(await currentUser(agent)).toMatchObject({ email: patient.email });
    expect((await before.get('/api/session')).status).toBe(401);
  });

  it('is remembered where the user wants it, and never for an administrator (G-14)', async () => {
    const expiring = async (person: Credentials, rememberMe: boolean) => {
      const { device } = await enrolled(person);
      const answer = await signInByPasskey(browser(), device, { rememberMe });
      const line = answer.headers['set-cookie']?.find((cookie) => cookie.startsWith('gatehouse_session='));
      return /expires=/i.test(line ?? '');
    };
    expect(await expiring(patient, true)).toBe(true);
    expect(await expiring(otherPatient, false)).toBe(false);
    expect(await expiring(admin, true)).toBe(false);
  });

  it('asks no authenticator code of an account that has one', async () => {
    const { agent, device } = await enrolled();
    await enableTwoFactor(agent);
    const other = browser();
    expect((await signInByPasskey(other, device)).status).toBe(200);
    expect((await other.get('/api/session')).status).toBe(200);
  });

  it('is the second factor after a password, too', async () => {
    const { agent, device } = await enrolled();
    await enableTwoFactor(agent);
    await ageAcceptedCodes(portal);
    const pending = await beginTwoFactorSignIn(portal, patient, 1);
    const options = await passkeyOptions(pending, '/api/twofactor/passkey/options');
    const answer = await pending.post('/api/twofactor/passkey', { response: device.answer(options) });
    expect(answer.status).toBe(200);
    expect((await pending.get('/api/session')).status).toBe(200);
    expect(await amrOf()).toEqual(['pwd', 'hwk', 'user', 'mfa']);
  });

  it('offers the same options to each caller, which name no account', async () => {
    await enrolled();
    const { challenge: first, ...one } = await passkeyOptions(browser(), optionsPath);
    const { challenge: second, ...other } = await passkeyOptions(browser(), optionsPath, { username: patient.email });
    expect(one).toEqual(other);
    expect(one).toMatchObject({ rpId: 'localhost', userVerification: 'required', allowCredentials: [] });
    expect(first).not.toBe(second);
  });

  it('keeps nothing of a question that is not answered', async () => {
    for (let count = 0; count < 5; count += 1) await passkeyOptions(browser(), optionsPath);
    expect(await portal.query('SELECT FROM passkey_challenge')).toEqual([]);
  });
});

const refusedOf = async (device: PasskeyDevice, forged: Forgery, agent = browser()) => {
  const options = await passkeyOptions(agent, optionsPath);
  const answer = await agent.post(path, { response: device.answer(options, forged) });
  expect((await agent.get('/api/session')).status).toBe(401);
  return [answer.status, answer.json<{ message: string }>().message];
};

describe('An answer for a sign-in with a passkey', () => {
  it.each<[string, Forgery, string]>([...forgedAnswers, ['no user', { userHandle: undefined }, unknownPasskey]])(
    'is refused with %s',
    async (_name, forged, reason) => {
      const { device } = await enrolled();
      expect(await refusedOf(device, forged)).toEqual([400, reason]);
      expect((await signInByPasskey(browser(), device)).status).toBe(200);
    },
  );

  it.each(malformedAnswers)('is refused if it is %s', async (_name, response) => {
    const agent = browser();
    await passkeyOptions(agent, optionsPath);
    expect((await agent.post(path, { response })).status).toBe(400);
  });

  it('is refused the second time, at each node', async () => {
    const { device } = await enrolled();
    const agent = browser();
    const response = device.answer(await passkeyOptions(agent, optionsPath));
    expect((await agent.post(path, { response })).status).toBe(200);
    for (const port of portal.ports) {
      agent.port = port;
      const again = await agent.post(path, { response });
      expect([again.status, again.json<{ message: string }>().message]).toEqual([400, challengeOver]);
    }
  });

  it('is accepted once when it is sent ten times at once', async () => {
    const { device } = await enrolled();
    const agent = browser();
    const response = device.answer(await passkeyOptions(agent, optionsPath));
    const tries = Array.from({ length: 10 }, (_, index) => {
      const one = browser(index % 2);
      for (const [name, value] of agent.cookies) one.cookies.set(name, value);
      return one.post(path, { response });
    });
    const statuses = (await Promise.all(tries)).map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array(9).fill(400)]);
  });

  it.each([
    [299, 200],
    [301, 400],
  ])('is accepted within five minutes (G-02): %i seconds after the question', async (seconds, status) => {
    const { device } = await enrolled();
    const agent = browser();
    const response = device.answer(await passkeyOptions(agent, optionsPath));
    mock.timers.enable({ apis: ['Date'], now: Date.now() + seconds * 1000 });
    try {
      expect((await agent.post(path, { response })).status).toBe(status);
    } finally {
      mock.timers.reset();
    }
  });

  it('is refused in another browser than that of the question', async () => {
    const { device } = await enrolled();
    const asked = browser();
    const response = device.answer(await passkeyOptions(asked, optionsPath));
    const thief = browser();
    await passkeyOptions(thief, optionsPath);
    const answer = await thief.post(path, { response });
    expect([answer.status, answer.json<{ message: string }>().message]).toEqual([400, challengeOver]);
  });

  it('is refused when it was made for the second step, or for a registration', async () => {
    const { agent, device } = await enrolled();
    const options = await passkeyOptions(agent, '/api/passkeys/registration');
    expect((await agent.post(path, { response: device.answer(options) })).status).toBe(400);
    await enableTwoFactor(agent);
    await ageAcceptedCodes(portal);
    const pending = await beginTwoFactorSignIn(portal, patient);
    const second = await passkeyOptions(pending, '/api/twofactor/passkey/options');
    expect((await pending.post(path, { response: device.answer(second) })).status).toBe(400);
    expect((await pending.get('/api/session')).status).toBe(401);
  });

  it('does not prove the second factor of another account', async () => {
    const { agent } = await enrolled();
    await enableTwoFactor(agent);
    const { device: foreign } = await enrolled(otherPatient);
    await ageAcceptedCodes(portal);
    const pending = await beginTwoFactorSignIn(portal, patient);
    const options = await passkeyOptions(pending, '/api/twofactor/passkey/options');
    const answer = await pending.post('/api/twofactor/passkey', { response: foreign.answer(options) });
    expect([answer.status, answer.json<{ message: string }>().message]).toEqual([400, unknownPasskey]);
    expect((await pending.get('/api/session')).status).toBe(401);
  });

  it('does not prove the second factor with anything wrong in it', async () => {
    const { agent, device } = await enrolled();
    await enableTwoFactor(agent);
    await ageAcceptedCodes(portal);
    for (const [name, forged, reason] of someForgedAnswers(0)) {
      await portal.query('TRUNCATE rate_limit');
      const pending = await beginTwoFactorSignIn(portal, patient);
      const options = await passkeyOptions(pending, '/api/twofactor/passkey/options');
      const answer = await pending.post('/api/twofactor/passkey', { response: device.answer(options, forged) });
      expect([name, answer.status, answer.json<{ message: string }>().message]).toEqual([name, 400, reason]);
      expect((await pending.get('/api/session')).status).toBe(401);
    }
  });

  it('proves the second factor once, of two nodes at once (G-01)', async () => {
    const { agent, device } = await enrolled();
    await enableTwoFactor(agent);
    await ageAcceptedCodes(portal);
    const pending = await beginTwoFactorSignIn(portal, patient);
    const response = device.answer(await passkeyOptions(pending, '/api/twofactor/passkey/options'));
    const answers = await Promise.all(
      [0, 1].map((node) => {
        const one = browser(node);
        for (const [name, value] of pending.cookies) one.cookies.set(name, value);
        return one.post('/api/twofactor/passkey', { response });
      }),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect([statuses[0], [400, 401].includes(statuses[1] ?? 0)]).toEqual([200, true]);
  });

  it('ends the second step when five were wrong (G-03)', async () => {
    const { agent, device } = await enrolled();
    await enableTwoFactor(agent);
    await ageAcceptedCodes(portal);
    const pending = await beginTwoFactorSignIn(portal, patient);
    const answered = async (forged: Forgery = {}) => {
      const options = await passkeyOptions(pending, '/api/twofactor/passkey/options');
      return (await pending.post('/api/twofactor/passkey', { response: device.answer(options, forged) })).status;
    };
    for (let time = 0; time < 5; time += 1) expect(await answered({ signature: Buffer.alloc(70, 1) })).toBe(400);
    expect(await answered()).toBe(401);
    expect((await pending.get('/api/session')).status).toBe(401);
  });

  it('opens no call about passkeys before the second step (G-05)', async () => {
    const { agent, passkey } = await enrolled();
    await enableTwoFactor(agent);
    await ageAcceptedCodes(portal);
    const pending = await beginTwoFactorSignIn(portal, patient);
    const calls = [
      pending.get('/api/passkeys'),
      pending.get('/api/passkeys/offer'),
      pending.post('/api/passkeys/registration', {}),
      pending.post('/api/passkeys', { response: {} }),
      pending.post('/api/passkeys/confirmation/options', {}),
      pending.post('/api/passkeys/confirmation', { response: {} }),
      pending.post('/api/passkeys/recovery/codes', {}),
      pending.send(`/api/passkeys/${passkey.id}`, { method: 'DELETE' }),
      pending.send('/api/user/password', { method: 'DELETE' }),
    ];
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(calls.map(() => 401));
  });

  it('is refused fifty times for one address, however many come at once at two nodes and whatever address they claim (F-04, F-06)', async () => {
    const response = { id: 'AAAA', rawId: 'AAAA', type: 'public-key', response: {} };
    const tries = Array.from({ length: 60 }, (_, index) =>
      browser(index % 2).post(path, { response }, { headers: { 'x-forwarded-for': `192.0.2.${index}` } }),
    );
    const statuses = (await Promise.all(tries)).map(({ status }) => status);
    const count = (wanted: number) => statuses.filter((status) => status === wanted).length;
    expect([count(400), count(429)]).toEqual([50, 10]);
  });

  it('is accepted while wrong passwords lock the account (F-03)', async () => {
    const { device } = await enrolled();
    const guesses = [];
    for (let time = 0; time < 6; time += 1)
      guesses.push((await login(browser(), { ...patient, password: 'wrong' })).status);
    expect(guesses.at(-1)).toBe(429);
    expect((await signInByPasskey(browser(), device)).status).toBe(200);
  });

  it('is refused as unknown when its passkey is removed while it is checked', async () => {
    const { device } = await enrolled();
    const agent = browser();
    const response = device.answer(await passkeyOptions(agent, optionsPath));
    const removal = new pg.Client(portal.connection);
    await removal.connect();
    await removal.query('BEGIN');
    await removal.query('SELECT FROM account WHERE email = $1 FOR UPDATE', [patient.email]);
    const answering = agent.post(path, { response });
    const waiting = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";
    await until(async () => (await portal.query(waiting)).length > 0);
    await removal.query('DELETE FROM passkey');
    await removal.query('COMMIT');
    await removal.end();
    const answer = await answering;
    expect([answer.status, answer.json<{ message: string }>().message]).toEqual([400, unknownPasskey]);
    expect((await agent.get('/api/session')).status).toBe(401);
    expect(await portal.query("SELECT FROM audit_event WHERE detail ->> 'reason' = 'passkey-cloned'")).toEqual([]);
  });

  it('is refused when its counter went back, and the user is told once that a copy may exist', async () => {
    const { device } = await enrolled(patient, { counts: true });
    device.counter = 5;
    expect((await signInByPasskey(browser(), device)).status).toBe(200);
    for (const counter of [6, 6, 2]) {
      const [status, reason] = await refusedOf(device, { counter });
      expect([status, reason]).toEqual([400, expect.stringContaining('may have a copy of it')]);
    }
    const subjects = () => sink.received.map(({ mail }) => mail.subject);
    await until(() => subjects().some((subject) => subject?.includes('may have been copied')));
    expect(subjects().filter((subject) => subject?.includes('may have been copied'))).toHaveLength(1);
    const agent = await signInByPassword(portal, patient);
    expect((await agent.get('/api/passkeys')).json()).toMatchObject({ passkeys: [{ maybeCloned: true }] });
  });
});

describe('An account whose deletion was requested', () => {
  const keptBy = async (answer: Answer) => {
    const { searchParams } = new URL(answer.json<{ keepPage: string }>().keepPage, portal.issuer);
    const [id, token] = ['u', 't'].map((name) => searchParams.get(name));
    return (await browser().post(`/api/user/${id}/deletion/withdraw`, { token })).status;
  };

  it.each([false, true])(
    'can be kept after a proof of a passkey, which begins no session (F-09); as second factor: %s',
    async (isSecond) => {
      const { agent, device } = await enrolled();
      if (isSecond) await enableTwoFactor(agent);
      await ageAcceptedCodes(portal);
      const challenge = () => passkeyOptions(agent, '/api/passkeys/confirmation/options');
      const confirm = async (options: Awaited<ReturnType<typeof challenge>>) =>
        (await agent.post('/api/passkeys/confirmation', { response: device.answer(options) })).status;
      expect(await confirm(await challenge())).toBe(204);
      const late = await challenge();
      expect((await agent.post('/api/user/deletion', {})).status).toBe(200);
      expect(await confirm(late)).toBe(401);

      const other = isSecond ? await beginTwoFactorSignIn(portal, patient, 1) : browser(1);
      const [asked, sent] = isSecond
        ? ['/api/twofactor/passkey/options', '/api/twofactor/passkey']
        : [optionsPath, path];
      const response = device.answer(await passkeyOptions(other, asked));
      const answer = await other.post(sent, { response });
      expect([answer.status, answer.json()]).toEqual([200, { keepPage: expect.stringMatching(/^\/account\/keep\?/) }]);
      for (const call of ['/api/session', '/api/passkeys']) expect((await other.get(call)).status).toBe(401);
      expect([400, 401]).toContain((await other.post(sent, { response })).status);
      expect(await keptBy(answer)).toBe(204);
      expect((await signInByPasskey(other, device)).status).toBe(200);
    },
  );
});
