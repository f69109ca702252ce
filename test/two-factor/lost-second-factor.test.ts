/** Users who have neither authenticator app nor recovery code, where the hospital offers the waiting time. */
import { Recoveries } from '../../src/users/application/recoveries.js';
import { Agent, type Answer } from '../support/http/agent.js';
import { linkInMail } from '../support/mail-sink.js';
import { newPassword, password, useAccountLinks } from '../support/users/account-links.js';
import {
  ageAcceptedCodes,
  alterAccounts,
  authenticatorCode,
  beginTwoFactorSignIn,
  type EnabledTwoFactor,
  enableTwoFactor,
  login,
  signInWithCode,
  verifyCode,
} from '../support/users/authenticator.js';
import { addPasskey, type PasskeyDevice, signInByPasskey } from '../support/users/passkey-device.js';
import { people } from '../support/users/people.js';

const links = useAccountLinks({ lostSecondFactor: 'waiting-time' });

interface Owner {
  id: string;
  email: string;
  agent: Agent;
  factor: EnabledTwoFactor;
  device: PasskeyDevice | undefined;
  /** The number of mails so far. */
  mails: number;
}

/** A patient with an authenticator app, and with a passkey or without. */
async function createOwner({ passkey = false } = {}): Promise<Owner> {
  const { id, email } = await links.createActiveUser();
  const agent = new Agent(links.portal.issuer);
  expect((await login(agent, { email, password })).status).toBe(200);
  const device = passkey ? (await addPasskey(agent)).device : undefined;
  const factor = await enableTwoFactor(agent);
  await links.untilAllMailsAreSent();
  return { id, email, agent, factor, device, mails: passkey ? 3 : 2 };
}

const waiting = ({ email }: Pick<Owner, 'email'>, word = password) =>
  beginTwoFactorSignIn(links.portal, { email, password: word });
const lost = (agent: Agent) => agent.post('/api/twofactor/lost', {});
const beginAtSignIn = async (owner: Owner) => lost(await waiting(owner));
const beginByLink = async ({ id, email }: Owner) => {
  const token = await links.requestResetToken(email);
  return new Agent(links.portal.issuer).post(`/api/user/${id}/recovery`, { token });
};

const letWait = ({ id }: Pick<Owner, 'id'>) =>
  links.portal.query(
    "UPDATE account_recovery SET ready_at = now() - interval '1 second', requested_at = requested_at - interval '72 hours' WHERE account_id = $1",
    [id],
  );
const sendDue = () => Promise.all(links.portal.apps.map((app) => app.get(Recoveries, { strict: false }).sendDue()));

/** The token of the mail with this number, of those after the owner was created. */
const linkOf = async ({ email, mails }: Owner, number: number) =>
  linkInMail(await links.sink.to(email, mails + number)).t;
const factsOf = async ({ id }: Owner, token: string) =>
  (await new Agent(links.portal.issuer).post(`/api/user/${id}/link`, { purpose: 'password-reset', token })).json<
    Record<string, unknown>
  >();
const isTwoFactorOn = async ({ email }: Owner, word: string) =>
  (await links.signIn(email, word)).json<{ is2faEnabled: boolean }>().is2faEnabled;
const messageOf = (answer: Answer) => [answer.status, answer.json<{ message: string }>().message];
const eventsOf = async ({ id }: Owner) =>
  (
    await links.portal.query<{ type: string; by: string }>(
      `SELECT type, detail ->> 'by' AS by FROM audit_event
        WHERE subject = $1 AND (type LIKE 'account.recovery%' OR type = 'two-factor.reset') ORDER BY id`,
      [id],
    )
  ).map(({ type, by }) => `${type} ${by}`);

describe('A user who has lost authenticator app and recovery codes', () => {
  const ways: [string, { passkey: boolean }, (owner: Owner) => Promise<Answer>, number, string][] = [
    ['at the second step of a sign-in', { passkey: false }, beginAtSignIn, 1, 'sign-in'],
    ['at the second step, with a passkey in the account', { passkey: true }, beginAtSignIn, 1, 'sign-in'],
    ['by a mailed link, with a passkey in the account', { passkey: true }, beginByLink, 2, 'link'],
  ];

  it.each(ways)(
    'waits %s, and then ends two-factor authentication by a mailed link',
    async (_, kind, begin, mail, by) => {
      const owner = await createOwner(kind);
      const begun = await begin(owner);
      const { readyAt } = begun.json<{ readyAt: string }>();
      expect(Math.round((Date.parse(readyAt) - Date.now()) / 3_600_000)).toBe(72);
      const notice = await links.sink.to(owner.email, owner.mails + mail);
      expect(notice.mail.subject).toBe('Recovery of your account at Gatehouse was requested');
      expect(notice.mail.text).toContain('Two-factor authentication of the account, if it is on, ends with this link.');
      expect(notice.mail.text?.includes('another person knows your password')).toBe(by === 'sign-in');
      expect(await isTwoFactorOn(owner, password)).toBe(true);

      await letWait(owner);
      await sendDue();
      const token = await linkOf(owner, mail + 1);
      expect(await factsOf(owner, token)).toMatchObject({ proof: null, endsTwoFactor: true });
      expect((await links.reset(owner.id, token)).status).toBe(204);
      expect(await isTwoFactorOn(owner, newPassword)).toBe(false);
      expect((await owner.agent.get('/api/session')).status).toBe(401);
      if (owner.device) expect((await signInByPasskey(new Agent(links.portal.issuer), owner.device)).status).toBe(200);
      await links.untilAllMailsAreSent();
      const subjects = links.sink.received
        .filter(({ to }) => to.includes(owner.email))
        .map(({ mail: { subject } }) => subject);
      expect(subjects).toContain('Two-factor authentication for Gatehouse was reset');
      expect(await eventsOf(owner)).toEqual([`account.recovery-requested ${by}`, 'two-factor.reset recovery']);
    },
  );

  it('keeps the second factor when a link is used before the time is over', async () => {
    const owner = await createOwner();
    await beginAtSignIn(owner);
    const token = await links.requestResetToken(owner.email);
    expect(await factsOf(owner, token)).toMatchObject({ proof: null, endsTwoFactor: false });
    expect((await links.reset(owner.id, token)).status).toBe(204);
    expect(await isTwoFactorOn(owner, newPassword)).toBe(true);
  });

  it('keeps the passkeys and proofs of the mailed link until the time is over', async () => {
    const owner = await createOwner({ passkey: true });
    await beginAtSignIn(owner);
    const token = await links.requestResetToken(owner.email);
    expect(await factsOf(owner, token)).toMatchObject({ proof: { authenticator: true, waitEndsTwoFactor: true } });
    expect((await links.reset(owner.id, token)).status).toBe(400);
  });

  it.each<[string, (owner: Owner) => Promise<unknown>]>([
    ['a sign-in with a code', ({ email, factor }) => signInWithCode(links.portal, { email, password }, factor)],
    [
      'the link of the mail',
      async (owner) =>
        expect(
          (
            await new Agent(links.portal.issuer).post(`/api/user/${owner.id}/recovery/end`, {
              token: await linkOf(owner, 1),
            })
          ).status,
        ).toBe(204),
    ],
  ])('is stopped by %s, after which a link leaves the second factor', async (_, end) => {
    const owner = await createOwner();
    await beginAtSignIn(owner);
    await end(owner);
    await letWait(owner);
    await sendDue();
    await links.untilAllMailsAreSent();
    const token = await links.requestResetToken(owner.email);
    expect((await links.reset(owner.id, token)).status).toBe(204);
    expect(await isTwoFactorOn(owner, newPassword)).toBe(true);
  });

  it('is not stopped by the password alone', async () => {
    const owner = await createOwner();
    await beginAtSignIn(owner);
    await waiting(owner);
    expect(await links.portal.query('SELECT FROM account_recovery WHERE account_id = $1', [owner.id])).toHaveLength(1);
  });

  it('begins once, however often it is asked for, and is told by one mail', async () => {
    const owner = await createOwner();
    const agents = await Promise.all([waiting(owner), waiting(owner)]);
    const answers = await Promise.all([...agents, ...agents].map(lost));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    await links.untilAllMailsAreSent();
    expect(links.sink.received.filter(({ to }) => to.includes(owner.email))).toHaveLength(owner.mails + 1);
  });

  it('begins five times a day at the most', async () => {
    const owner = await createOwner();
    const agent = await waiting(owner);
    for (let time = 0; time < 5; time += 1) {
      expect((await lost(agent)).status).toBe(200);
      await links.portal.query('DELETE FROM account_recovery');
    }
    expect((await lost(agent)).status).toBe(429);
  });

  it('needs the right password in this browser, not long ago', async () => {
    const owner = await createOwner();
    const expired = [401, 'Your sign-in has expired. Please sign in again.'];
    const stranger = new Agent(links.portal.issuer);
    expect(messageOf(await lost(stranger))).toEqual(expired);
    await login(stranger, { email: owner.email, password: 'not-the-password-1' });
    expect(messageOf(await lost(stranger))).toEqual(expired);
    await login(stranger, { email: 'stranger@example.org', password });
    expect(messageOf(await lost(stranger))).toEqual(expired);
    expect(messageOf(await lost(owner.agent))).toEqual(expired);

    const late = await waiting(owner);
    await links.portal.query("UPDATE pending_sign_in SET expires_at = now() - interval '1 second'");
    expect(messageOf(await lost(late))).toEqual(expired);

    const changed = await waiting(owner);
    await alterAccounts(links.portal, 'UPDATE account SET security_stamp = gen_random_uuid()');
    expect(messageOf(await lost(changed))).toEqual(expired);
    expect(await links.portal.query('SELECT FROM account_recovery WHERE account_id = $1', [owner.id])).toEqual([]);
  });

  it('who signs in with a code at the moment of the reset either keeps the session until it ends, or is refused', async () => {
    for (let round = 0; round < 3; round += 1) {
      const owner = await createOwner();
      await beginAtSignIn(owner);
      await letWait(owner);
      const token = await links.requestResetToken(owner.email);
      await ageAcceptedCodes(links.portal);
      const agent = await waiting(owner);
      const [verified, reset] = await Promise.all([
        verifyCode(agent, authenticatorCode(owner.factor.key)),
        links.reset(owner.id, token),
      ]);
      expect([204, 400, 401]).toContain(verified.status);
      expect(reset.status).toBe(204);
      expect((await agent.get('/api/session')).status).toBe(401);
      // The sign-in came first: it has ended the recovery, so the second factor stays.
      expect(await isTwoFactorOn(owner, newPassword)).toBe(verified.status === 204);
    }
  });

  // The last one: it signs out the administrator who invites the others.
  it('who is an administrator is refused, and keeps the second factor whatever has waited', async () => {
    const agent = new Agent(links.portal.issuer);
    await login(agent, people.admin);
    await enableTwoFactor(agent);
    const { id } = (await agent.get('/api/session')).json<{ id: string }>();
    expect(messageOf(await lost(await waiting(people.admin, people.admin.password)))).toEqual([
      403,
      'The second factor of an administrator can be reset by the operator of this portal only.',
    ]);
    await links.portal.query(
      "INSERT INTO account_recovery (account_id, requested_at, ready_at) VALUES ($1, now() - interval '4 days', now() - interval '1 day')",
      [id],
    );
    await links.untilAllMailsAreSent();
    const token = await links.requestResetToken(people.admin.email);
    expect((await links.reset(id, token)).status).toBe(204);
    expect((await links.signIn(people.admin.email, newPassword)).json()).toMatchObject({ is2faEnabled: true });
  });
});
