import pg from 'pg';
import { Agent, type Answer } from '../support/http/agent.js';
import { currentUser, errorsOf } from '../support/http/answers.js';
import { until } from '../support/until.js';
import { newPassword, password, useAccountLinks } from '../support/users/account-links.js';
import { enableTwoFactor, login } from '../support/users/authenticator.js';
import { addPasskey, confirmByPasskey, type PasskeyDevice, signInByPasskey } from '../support/users/passkey-device.js';

const links = useAccountLinks();
afterEach(() => links.portal.query('TRUNCATE passkey_challenge'));

interface Owner {
  id: string;
  email: string;
  agent: Agent;
  device: PasskeyDevice;
  passkeyId: string;
}

const nodeOf = (number = 0) => new Agent(links.portal.issuer, links.portal.ports[number]);
const atNode = (one: Agent, node: number) => {
  const other = nodeOf(node);
  for (const [name, value] of one.cookies) other.cookies.set(name, value);
  return other;
};
const giveUp = (agent: Agent) => agent.send('/api/user/password', { method: 'DELETE' });
const confirm = ({ agent, device }: Owner) => confirmByPasskey(agent, device);
const choose = (agent: Agent, body: object = {}) => agent.post('/api/user/reset-password', { newPassword, ...body });
const makeOld = ({ id }: Owner) =>
  links.portal.query(
    `UPDATE oidc_record SET payload = payload || jsonb_build_object('loginTs', (payload ->> 'loginTs')::int - 400,
       'confirmedAt', (payload ->> 'loginTs')::int - 400) WHERE model = 'Session' AND account_id = $1`,
    [id],
  );
const fieldOf = (answer: Answer) => errorsOf(answer)[0]?.field;
const hashOf = async ({ id }: Owner) =>
  (
    await links.portal.query<{ hash: string | null }>('SELECT password_hash AS hash FROM account WHERE id = $1', [id])
  )[0]?.hash;

/** A patient with a password and a passkey. */
async function createOwner(): Promise<Owner> {
  const { id, email } = await links.createActiveUser();
  const agent = nodeOf();
  expect((await login(agent, { email, password })).status).toBe(200);
  const { device, passkey } = await addPasskey(agent);
  return { id, email, agent, device, passkeyId: passkey.id };
}

/** The same, after the password was removed. */
async function createWithout(): Promise<Owner> {
  const owner = await createOwner();
  await confirm(owner);
  expect((await giveUp(owner.agent)).status).toBe(204);
  return owner;
}

describe('A user who removes the password', () => {
  it('has proven a passkey a moment ago', async () => {
    const owner = await createOwner();
    const refused = await giveUp(owner.agent);
    expect([refused.status, fieldOf(refused)]).toEqual([400, 'currentPassword']);
    await confirm(owner);
    await makeOld(owner);
    expect((await giveUp(owner.agent)).status).toBe(400);
    await confirm(owner);
    const elsewhere = nodeOf(1);
    await login(elsewhere, { email: owner.email, password });
    expect((await giveUp(owner.agent)).status).toBe(204);
    expect((await elsewhere.get('/api/session')).status).toBe(401);
    expect(await currentUser(owner.agent)).toMatchObject({ hasNoPassword: true });
    expect((await giveUp(owner.agent)).status).toBe(409);
    const mail = await links.sink.to(owner.email, 3);
    expect(mail.mail.subject).toBe('Your account at Gatehouse has no password any more');
    const events = await links.portal.query('SELECT FROM audit_event WHERE subject = $1 AND type = $2', [
      owner.id,
      'password.removed',
    ]);
    expect(events).toHaveLength(1);
  });

  it('keeps a way in when the last passkey is removed at the same time', async () => {
    const owner = await createOwner();
    await confirm(owner);
    const remove = atNode(owner.agent, 1).send(`/api/passkeys/${owner.passkeyId}`, { method: 'DELETE', body: {} });
    const answers = await Promise.all([giveUp(owner.agent), remove]);
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(1);
    const passkeys = await links.portal.query('SELECT FROM passkey WHERE account_id = $1', [owner.id]);
    expect([(await hashOf(owner)) !== null, passkeys.length > 0]).toEqual([
      answers[0]?.status !== 204,
      answers[1]?.status !== 204,
    ]);
  });
});

describe('An account without a password', () => {
  it('answers any password like a wrong one, in the same time', async () => {
    const [without, other] = [await createWithout(), await createOwner()];
    // CPU time, with that of the threads that hash: other processes do not change it as they do the time of the answer.
    const measured = async (email: string) => {
      const times: number[] = [];
      let answer = await links.signIn(email, newPassword);
      for (const _ of [1, 2, 3]) {
        const begun = process.cpuUsage();
        answer = await links.signIn(email, newPassword);
        const { user, system } = process.cpuUsage(begun);
        times.push(user + system);
      }
      return { answer: [answer.status, answer.text], microseconds: Math.min(...times) };
    };
    const wrong = await measured(other.email);
    const none = await measured(without.email);
    expect(none.answer).toEqual(wrong.answer);
    expect(none.answer[0]).toBe(401);
    expect(none.microseconds).toBeGreaterThan(wrong.microseconds / 2);
    expect((await links.signIn(without.email, password)).text).toBe(wrong.answer[1]);
  });

  it('confirms by a passkey what others confirm by the password', async () => {
    const owner = await createWithout();
    await makeOld(owner);
    const calls: [string, () => Promise<Answer>, number][] = [
      ['a passkey', () => owner.agent.post('/api/passkeys/registration', {}), 200],
      ['recovery codes', () => owner.agent.post('/api/passkeys/recovery/codes', {}), 201],
      ['the own data', () => owner.agent.post('/api/user/data', {}), 200],
      ['a password', () => choose(owner.agent), 204],
    ];
    for (const [, call] of calls) {
      const refused = await call();
      expect([refused.status, fieldOf(refused)]).toEqual([400, 'currentPassword']);
    }
    await confirm(owner);
    for (const [name, call, status] of calls) expect([name, (await call()).status]).toEqual([name, status]);
    expect((await links.signIn(owner.email, newPassword)).status).toBe(200);
    expect(await currentUser(owner.agent)).not.toHaveProperty('hasNoPassword');
    expect((await signInByPasskey(nodeOf(), owner.device)).status).toBe(200);
  });

  it('is deleted by its user with a passkey in place of the password', async () => {
    const owner = await createWithout();
    await makeOld(owner);
    const refused = await owner.agent.post('/api/user/deletion', { currentPassword: password });
    expect([refused.status, fieldOf(refused)]).toEqual([400, 'currentPassword']);
    await confirm(owner);
    expect((await owner.agent.post('/api/user/deletion', {})).status).toBe(200);
    expect((await owner.agent.get('/api/session')).status).toBe(401);
  });

  it('has its authenticator app switched on and off with a passkey in place of the password', async () => {
    const owner = await createWithout();
    const { recoveryCodes } = await enableTwoFactor(owner.agent);
    await makeOld(owner);
    const off = () => owner.agent.post('/api/twofactor/disable-recovery', { recoveryCode: recoveryCodes[0] });
    expect(fieldOf(await off())).toBe('currentPassword');
    await confirm(owner);
    expect((await off()).status).toBe(204);
    const [session] = await links.portal.query<{ amr: string[] }>(
      "SELECT payload -> 'amr' AS amr FROM oidc_record WHERE model = 'Session' AND account_id = $1",
      [owner.id],
    );
    expect(session?.amr).toEqual(expect.arrayContaining(['hwk', 'mfa']));
    expect(session?.amr).not.toContain('otp');
  });

  it('keeps its last passkey', async () => {
    const owner = await createWithout();
    const remove = (id: string) => owner.agent.send(`/api/passkeys/${id}`, { method: 'DELETE', body: {} });
    expect((await remove(owner.passkeyId)).status).toBe(409);
    await addPasskey(owner.agent);
    expect((await remove(owner.passkeyId)).status).toBe(204);
  });

  it('gets a password by a mailed link with a proof next to it', async () => {
    const owner = await createWithout();
    const made = await owner.agent.post('/api/passkeys/recovery/codes', {});
    const [recoveryCode] = made.json<{ recoveryCodes: string[] }>().recoveryCodes;
    await links.untilAllMailsAreSent();
    const token = await links.requestResetToken(owner.email);
    expect((await links.reset(owner.id, token)).status).toBe(400);
    const body = { password: newPassword, token, recoveryCode };
    const answer = await nodeOf().send(`/api/user/forgot-password/${owner.id}/reset`, { method: 'PUT', body });
    expect(answer.status).toBe(204);
    expect((await links.signIn(owner.email, newPassword)).status).toBe(200);
  });

  it('is no open invitation to administrators, and says in the own data that it has no password', async () => {
    const owner = await createWithout();
    const help = await links.admin.get(`/api/admin/user/${owner.id}/sign-in`);
    expect(help.json()).toMatchObject({ obstacles: [], passkeys: 1, hasPassword: false });
    const permitted = await owner.agent.post('/api/user/data', {});
    const { address } = permitted.json<{ address: string }>();
    expect((await owner.agent.get(`/api${address}`)).json()).toMatchObject({ account: { hasPassword: false } });
  });

  it('may choose a password only once: of two tabs at once one is refused, and a later one needs the password', async () => {
    const owner = await createWithout();
    const { portal } = links;
    const lock = new pg.Client(portal.connection);
    await lock.connect();
    await lock.query('BEGIN');
    await lock.query('SELECT FROM account WHERE id = $1 FOR UPDATE', [owner.id]);
    const tabs = [0, 1].map((node) => atNode(owner.agent, node));
    const choosing = Promise.all(tabs.map(async (agent) => ({ agent, answer: await choose(agent) })));
    // Both have found an account without a password.
    const waiting = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";
    await until(async () => (await portal.query(waiting)).length === tabs.length);
    await lock.end();
    const [chosen, refused] = (await choosing).sort((one, other) => one.answer.status - other.answer.status);
    expect([chosen?.answer.status, refused?.answer.status]).toEqual([204, 409]);
    expect(refused?.answer.json()).toMatchObject({
      message: 'The request cannot be processed. Please refresh the page and try again.',
    });
    const later = await choose(chosen?.agent as Agent);
    expect([later.status, errorsOf(later)]).toEqual([
      400,
      [{ field: 'currentPassword', messages: ['Please enter your current password.'] }],
    ]);
    expect((await links.signIn(owner.email, newPassword)).status).toBe(200);
  });
});
