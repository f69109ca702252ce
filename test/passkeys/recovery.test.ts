import { Recoveries } from '../../src/users/application/recoveries.js';
import { Agent, type Answer } from '../support/http/agent.js';
import { errorsOf } from '../support/http/answers.js';
import { linkInMail } from '../support/mail-sink.js';
import { newPassword, password, useAccountLinks } from '../support/users/account-links.js';
import { ageAcceptedCodes, authenticatorCode, enableTwoFactor, login } from '../support/users/authenticator.js';
import { addPasskey, type PasskeyDevice, passkeyOptions, signInByPasskey } from '../support/users/passkey-device.js';
import { someForgedAnswers } from '../support/users/passkey-forgeries.js';

const links = useAccountLinks();
afterEach(() => links.portal.query('TRUNCATE passkey_challenge'));

const needed = [
  {
    field: 'recoveryCode',
    messages: ['This account has a passkey. Please enter a recovery code, use a passkey, or begin the waiting time.'],
  },
];
const messagesOf = (answer: Answer) => errorsOf(answer).flatMap(({ messages }) => messages);

interface Owner {
  id: string;
  email: string;
  device: PasskeyDevice;
  agent: Agent;
  codes: string[];
  totp: string | undefined;
  /** The number of mails so far. */
  mails: number;
}

/** A patient with a password and a passkey, and with recovery codes, of an authenticator app or without one. */
async function createOwner({ codes = true, app = false } = {}): Promise<Owner> {
  const { id, email } = await links.createActiveUser();
  const agent = new Agent(links.portal.issuer);
  expect((await login(agent, { email, password })).status).toBe(200);
  const { device } = await addPasskey(agent);
  const factor = app ? await enableTwoFactor(agent) : undefined;
  const made = codes && !app ? await makeCodes(agent) : [];
  await links.untilAllMailsAreSent();
  const mails = 2 + (app ? 1 : 0) + (made.length > 0 ? 1 : 0);
  return { id, email, device, agent, codes: factor?.recoveryCodes ?? made, totp: factor?.key, mails };
}

async function makeCodes(agent: Agent): Promise<string[]> {
  const answer = await agent.post('/api/passkeys/recovery/codes', {});
  expect(answer.status).toBe(201);
  return answer.json<{ recoveryCodes: string[] }>().recoveryCodes;
}

const tokenFor = ({ email }: Owner) => links.requestResetToken(email);
const nodeOf = (number = 0) => new Agent(links.portal.issuer, links.portal.ports[number]);
const reset = ({ id }: Owner, token: string, proof: object = {}, agent = nodeOf()) =>
  agent.send(`/api/user/forgot-password/${id}/reset`, {
    method: 'PUT',
    body: { password: newPassword, token, ...proof },
  });
const factsOf = async ({ id }: Owner, token: string) =>
  (await nodeOf().post(`/api/user/${id}/link`, { purpose: 'password-reset', token })).json<{ proof: object | null }>()
    .proof;
const begin = ({ id }: Owner, token: string, node = 0) => nodeOf(node).post(`/api/user/${id}/recovery`, { token });
const letWait = ({ id }: Owner) =>
  links.portal.query(
    "UPDATE account_recovery SET ready_at = now() - interval '1 second', requested_at = requested_at - interval '72 hours' WHERE account_id = $1",
    [id],
  );
const sendDue = () => Promise.all(links.portal.apps.map((app) => app.get(Recoveries, { strict: false }).sendDue()));
const eventsOf = async ({ id }: Owner) =>
  (
    await links.portal.query<{ type: string }>(
      "SELECT type FROM audit_event WHERE subject = $1 AND type LIKE 'account.recovery%' ORDER BY id",
      [id],
    )
  ).map(({ type }) => type);

describe('A mailed link for an account with a passkey', () => {
  it('does not let a new password be chosen by itself, and stays valid', async () => {
    const owner = await createOwner();
    const token = await tokenFor(owner);
    expect(await factsOf(owner, token)).toEqual({
      authenticator: false,
      recoveryCodes: true,
      waitHours: 72,
      waitEndsTwoFactor: false,
      readyAt: null,
    });
    const refused = await reset(owner, token);
    expect([refused.status, errorsOf(refused)]).toEqual([400, needed]);
    expect((await links.signIn(owner.email, newPassword)).status).toBe(401);
    expect((await reset(owner, token, { recoveryCode: owner.codes[0] })).status).toBe(204);
    expect((await links.signIn(owner.email, newPassword)).status).toBe(200);
  });

  it('is enough again once the passkey is removed', async () => {
    const owner = await createOwner();
    const [passkey] = (await owner.agent.get('/api/passkeys')).json<{ passkeys: { id: string }[] }>().passkeys;
    await owner.agent.send(`/api/passkeys/${passkey?.id}`, { method: 'DELETE', body: {} });
    const token = await links.requestResetToken(owner.email);
    expect(await factsOf(owner, token)).toBeNull();
    expect((await reset(owner, token)).status).toBe(204);
  });

  it('is not enough when the passkey was added after the link had been checked', async () => {
    const { id, email } = await links.createActiveUser();
    const agent = new Agent(links.portal.issuer);
    await login(agent, { email, password });
    const token = await links.requestResetToken(email);
    await addPasskey(agent);
    expect((await links.reset(id, token)).status).toBe(400);
  });

  const proofs: [string, { app: boolean }, (owner: Owner, token: string, agent: Agent) => Promise<object>][] = [
    ['a recovery code', { app: false }, async ({ codes }) => ({ recoveryCode: codes[1] })],
    ['a recovery code beside an authenticator app', { app: true }, async ({ codes }) => ({ recoveryCode: codes[1] })],
    [
      'a code of the authenticator app',
      { app: true },
      async ({ totp = '' }) => {
        await ageAcceptedCodes(links.portal);
        return { verificationCode: authenticatorCode(totp) };
      },
    ],
    [
      'a passkey',
      { app: false },
      async ({ id, device }, token, agent) => ({
        passkey: device.answer(await passkeyOptions(agent, `/api/user/forgot-password/${id}/passkey`, { token })),
      }),
    ],
  ];

  it.each(proofs)('lets a new password be chosen with %s', async (_, facts, prove) => {
    const owner = await createOwner(facts);
    const token = await tokenFor(owner);
    const agent = nodeOf();
    expect((await reset(owner, token, await prove(owner, token, agent), agent)).status).toBe(204);
    expect((await owner.agent.get('/api/session')).status).toBe(401);
    expect((await links.signIn(owner.email, newPassword)).status).toBe(200);
    expect((await signInByPasskey(nodeOf(), owner.device)).status).toBe(200);
  });

  it.each(proofs)('accepts %s once, of two requests at once at two nodes', async (_, facts, prove) => {
    const owner = await createOwner(facts);
    const token = await tokenFor(owner);
    const agents = [nodeOf(0), nodeOf(1)] as const;
    const proof = await prove(owner, token, agents[0]);
    for (const [name, value] of agents[0].cookies) agents[1].cookies.set(name, value);
    const answers = await Promise.all(agents.map((agent) => reset(owner, token, proof, agent)));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 400]);
  });

  it.each(proofs)('with a wrong password keeps the link and %s', async (_, facts, prove) => {
    const owner = await createOwner(facts);
    const token = await tokenFor(owner);
    const agent = nodeOf();
    const proof = await prove(owner, token, agent);
    const weak = await agent.send(`/api/user/forgot-password/${owner.id}/reset`, {
      method: 'PUT',
      body: { password: 'short', token, ...proof },
    });
    expect([weak.status, errorsOf(weak)[0]?.field]).toEqual([400, 'password']);
    expect((await reset(owner, token, proof, agent)).status).toBe(204);
  });

  it('refuses wrong codes, which are counted, and answers of other passkeys, purposes and browsers', async () => {
    const [owner, other] = [await createOwner(), await createOwner()];
    const token = await tokenFor(owner);
    const agent = nodeOf();
    const path = `/api/user/forgot-password/${owner.id}/passkey`;
    const answers = [
      await reset(owner, token, { recoveryCode: other.codes[0] }),
      await reset(owner, token, { recoveryCode: 'no code' }),
      await reset(owner, token, { verificationCode: '123456' }),
      await reset(owner, token, { passkey: other.device.answer(await passkeyOptions(agent, path, { token })) }, agent),
      await reset(owner, token, { passkey: owner.device.answer(await passkeyOptions(agent, path, { token })) }),
      await reset(
        owner,
        token,
        { passkey: owner.device.answer(await passkeyOptions(agent, '/api/passkeys/sign-in/options')) },
        agent,
      ),
      await reset(owner, token, { passkey: {} }),
    ];
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 400));
    for (let tries = 0; tries < 4; tries += 1) await reset(owner, token, { recoveryCode: 'AAAAAA-AAAAAA' });
    expect((await reset(owner, token, { recoveryCode: owner.codes[0] })).status).toBe(429);
    expect((await links.signIn(owner.email, newPassword)).status).toBe(401);
  });

  it('refuses a passkey with anything wrong in it, next to its field', async () => {
    const owner = await createOwner();
    const token = await tokenFor(owner);
    const agent = nodeOf();
    for (const [name, forged, reason] of someForgedAnswers(2)) {
      await links.portal.query('TRUNCATE rate_limit');
      const options = await passkeyOptions(agent, `/api/user/forgot-password/${owner.id}/passkey`, { token });
      const answer = await reset(owner, token, { passkey: owner.device.answer(options, forged) }, agent);
      const messages = [{ field: 'passkey', messages: [reason] }];
      expect([name, answer.status, errorsOf(answer)]).toEqual([name, 400, messages]);
    }
    expect((await links.signIn(owner.email, newPassword)).status).toBe(401);
  });

  it('takes twenty wrong passkeys in an hour, and the sign-in is open meanwhile', async () => {
    const owner = await createOwner();
    const token = await tokenFor(owner);
    const wrong = () => reset(owner, token, { passkey: { id: 'AAAA' } });
    for (let time = 0; time < 20; time += 1) expect((await wrong()).status).toBe(400);
    expect((await wrong()).status).toBe(429);
    expect((await signInByPasskey(nodeOf(), owner.device)).status).toBe(200);
    expect((await reset(owner, token, { recoveryCode: owner.codes[0] })).status).toBe(204);
  });

  it('gives no passkey options without a valid link', async () => {
    const owner = await createOwner();
    const answer = await nodeOf().post(`/api/user/forgot-password/${owner.id}/passkey`, { token: 'guess' });
    expect(answer.status).toBe(400);
  });
});

describe('The recovery of an account without passkey and code', () => {
  it('waits 72 hours, tells the user by mail, and then mails a link that is enough', async () => {
    const owner = await createOwner({ codes: false });
    const token = await tokenFor(owner);
    const begun = await begin(owner, token);
    const { readyAt } = begun.json<{ readyAt: string }>();
    expect(Math.round((Date.parse(readyAt) - Date.now()) / 3_600_000)).toBe(72);
    const notice = await links.sink.to(owner.email, owner.mails + 2);
    expect(notice.mail.subject).toBe('Recovery of your account at Gatehouse was requested');
    expect(await factsOf(owner, token)).toMatchObject({ recoveryCodes: false, readyAt });
    expect(messagesOf(await reset(owner, token))).toEqual(needed[0]?.messages);
    await sendDue();
    await letWait(owner);
    await sendDue();
    const { t } = linkInMail(await links.sink.to(owner.email, owner.mails + 3));
    await links.untilAllMailsAreSent();
    expect(links.sink.received.filter(({ to }) => to.includes(owner.email))).toHaveLength(owner.mails + 3);
    expect(await factsOf(owner, t)).toBeNull();
    expect((await reset(owner, t)).status).toBe(204);
    expect((await links.signIn(owner.email, newPassword)).status).toBe(200);
    const again = await links.requestResetToken(owner.email);
    expect((await reset(owner, again)).status).toBe(400);
    expect(await eventsOf(owner)).toEqual(['account.recovery-requested']);
  });

  it('is begun once, however often and at however many nodes it is asked for', async () => {
    const owner = await createOwner({ codes: false });
    const token = await tokenFor(owner);
    const answers = await Promise.all([0, 1, 0, 1].map((node) => begin(owner, token, node)));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(await eventsOf(owner)).toEqual(['account.recovery-requested']);
  });

  it.each<[string, (owner: Owner) => Promise<unknown>]>([
    ['a sign-in with the passkey', (owner) => signInByPasskey(nodeOf(), owner.device)],
    ['a sign-in with the password', (owner) => links.signIn(owner.email, password)],
    ['the account settings', ({ agent }) => agent.send('/api/passkeys/recovery', { method: 'DELETE' })],
    [
      'the link of the mail',
      async ({ id, email, mails }) => {
        const { t: token } = linkInMail(await links.sink.to(email, mails + 2));
        const read = await nodeOf().post(`/api/user/${id}/recovery/link`, { token });
        expect(read.json<{ readyAt: string | null }>().readyAt).not.toBeNull();
        const ended = async () => (await nodeOf(1).post(`/api/user/${id}/recovery/end`, { token })).status;
        expect([await ended(), await ended()]).toEqual([204, 204]);
        const after = await nodeOf().post(`/api/user/${id}/recovery/link`, { token });
        expect(after.json()).toEqual({ readyAt: null });
      },
    ],
  ])('is ended by %s', async (_, end) => {
    const owner = await createOwner({ codes: false });
    const token = await tokenFor(owner);
    await begin(owner, token);
    await end(owner);
    expect(await eventsOf(owner)).toEqual(['account.recovery-requested', 'account.recovery-canceled']);
    await letWait(owner);
    await sendDue();
    expect((await reset(owner, token)).status).toBe(400);
    expect((await owner.agent.get('/api/passkeys/recovery')).json()).toEqual({ codesLeft: null, readyAt: null });
  });

  it('is over seven days after its waiting time', async () => {
    const owner = await createOwner({ codes: false });
    await begin(owner, await tokenFor(owner));
    await links.portal.query("UPDATE account_recovery SET ready_at = now() - interval '7 days 1 second'");
    await sendDue();
    const token = await links.requestResetToken(owner.email);
    expect((await reset(owner, token)).status).toBe(400);
    expect(await links.portal.query('SELECT FROM account_recovery')).toEqual([]);
  });

  it('is ended by no link of another recovery or account, and begun by no wrong link', async () => {
    const [owner, other] = [await createOwner({ codes: false }), await createOwner({ codes: false })];
    await begin(owner, await tokenFor(owner));
    await begin(other, await tokenFor(other));
    const { t } = linkInMail(await links.sink.to(other.email, other.mails + 2));
    expect((await nodeOf().post(`/api/user/${owner.id}/recovery/end`, { token: t })).status).toBe(400);
    expect((await nodeOf().post(`/api/user/${owner.id}/recovery/end`, { token: 'x' })).status).toBe(400);
    expect((await begin(owner, 'guess')).status).toBe(400);
    const own = linkInMail(await links.sink.to(owner.email, owner.mails + 2)).t;
    await links.portal.query("UPDATE account_recovery SET requested_at = requested_at + interval '1 second'");
    expect((await nodeOf().post(`/api/user/${owner.id}/recovery/end`, { token: own })).status).toBe(204);
    expect(await links.portal.query('SELECT FROM account_recovery WHERE account_id = $1', [owner.id])).toHaveLength(1);
  });
});

describe('A portal whose help desk alone resets second factors', () => {
  it('begins no waiting time at a sign-in, and that of a passkey leaves the authenticator app', async () => {
    const owner = await createOwner({ app: true });
    const agent = nodeOf();
    await login(agent, { email: owner.email, password });
    const lost = await agent.post('/api/twofactor/lost', {});
    expect([lost.status, lost.json().message]).toEqual([
      403,
      'This portal offers no recovery by waiting. Please contact the help desk.',
    ]);
    const token = await tokenFor(owner);
    expect(await factsOf(owner, token)).toMatchObject({ authenticator: true, waitEndsTwoFactor: false });
    await begin(owner, token);
    await letWait(owner);
    expect(await factsOf(owner, token)).toBeNull();
    expect((await reset(owner, token)).status).toBe(204);
    expect((await links.signIn(owner.email, newPassword)).json()).toMatchObject({ is2faEnabled: true });
  });
});

describe('The recovery codes of a user with a passkey', () => {
  it('are ten, replace those before, and are counted down', async () => {
    const owner = await createOwner();
    const facts = async () => (await owner.agent.get('/api/passkeys/recovery')).json();
    expect(await facts()).toEqual({ codesLeft: 10, readyAt: null });
    const again = await makeCodes(owner.agent);
    const token = await links.requestResetToken(owner.email);
    expect((await reset(owner, token, { recoveryCode: owner.codes[0] })).status).toBe(400);
    expect((await reset(owner, token, { recoveryCode: again[0] })).status).toBe(204);
    const agent = nodeOf();
    await signInByPasskey(agent, owner.device);
    expect((await agent.get('/api/passkeys/recovery')).json()).toEqual({ codesLeft: 9, readyAt: null });
  });

  it('end when an authenticator app is set up, which has its own', async () => {
    const owner = await createOwner();
    const { recoveryCodes } = await enableTwoFactor(owner.agent);
    const token = await links.requestResetToken(owner.email);
    expect((await reset(owner, token, { recoveryCode: owner.codes[0] })).status).toBe(400);
    expect((await reset(owner, token, { recoveryCode: recoveryCodes[0] })).status).toBe(204);
  });

  it('are made after a recent sign-in alone, or with the password', async () => {
    const owner = await createOwner();
    await links.portal.query(
      "UPDATE oidc_record SET payload = jsonb_set(payload, '{loginTs}', to_jsonb((payload ->> 'loginTs')::int - 600)) WHERE model = 'Session' AND account_id = $1",
      [owner.id],
    );
    const make = (body: object) => owner.agent.post('/api/passkeys/recovery/codes', body);
    expect((await make({})).status).toBe(400);
    expect((await make({ currentPassword: 'wrong' })).status).toBe(400);
    expect((await make({ currentPassword: password })).status).toBe(201);
    expect((await new Agent(links.portal.issuer).post('/api/passkeys/recovery/codes', {})).status).toBe(401);
  });
});
