import { Agent } from '../support/http/agent.js';
import { currentUser, errorsOf } from '../support/http/answers.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import {
  ageAcceptedCodes,
  alterAccounts,
  authenticatorCode,
  beginTwoFactorSignIn,
  type EnabledTwoFactor,
  enableTwoFactor,
  signInByPassword,
  signInWithCode,
  verifyCode,
  wrongAuthenticatorCode,
} from '../support/users/authenticator.js';
import { KeptUsers } from '../support/users/kept-users.js';
import { type Credentials, people } from '../support/users/people.js';

const { patient, practitioner } = people;
let portal: TestPortal;
let users: KeptUsers;

beforeAll(async () => {
  portal = await startPortal({
    config: { users: Object.values(people), branding: { organizationTitle: 'Saint Anne: Clinic' } },
  });
  users = await KeptUsers.of(portal);
});
beforeEach(() => users.restore());
afterAll(() => portal.close());

const sessionCookie = (agent: Agent) => agent.cookies.get('gatehouse_session');

const signedIn = (person: Credentials = patient) => signInByPassword(portal, person);

const pending = (person: Credentials = patient) => beginTwoFactorSignIn(portal, person);

async function enrolled(person: Credentials = patient): Promise<EnabledTwoFactor & { agent: Agent }> {
  const agent = await signedIn(person);
  return { agent, ...(await enableTwoFactor(agent)) };
}

/** Changes the session as if it had begun this many seconds ago. */
async function age(seconds: number): Promise<void> {
  await portal.query(
    `UPDATE oidc_record SET payload = jsonb_set(payload, '{loginTs}', to_jsonb((payload ->> 'loginTs')::int - $1::int))
      WHERE model = 'Session'`,
    [seconds],
  );
}

describe('turning on two-factor authentication', () => {
  it('returns a key that is not stored yet, and ten recovery codes after the first code', async () => {
    const agent = await signedIn();
    const setup = (await agent.get('/api/twofactor/enable')).json<Record<string, string>>();
    expect((await agent.get('/api/twofactor/enable')).json()).toEqual(setup);
    expect(setup).toEqual({
      sharedKey: expect.stringMatching(/^[A-Z2-7]{32}$/),
      authenticatorUri: `otpauth://totp/Saint%20Anne%20%20Clinic:${encodeURIComponent(patient.email)}?secret=${setup.sharedKey}&issuer=Saint%20Anne%20%20Clinic`,
      currentPasswordRequired: false,
    });
    expect(await portal.query('SELECT FROM two_factor')).toEqual([]);
    expect((await currentUser(agent)).is2faEnabled).toBe(false);

    const before = sessionCookie(agent);
    const { recoveryCodes } = await enableTwoFactor(agent);
    expect(new Set(recoveryCodes).size).toBe(10);
    for (const code of recoveryCodes) expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{6}-[0-9A-HJKMNP-TV-Z]{6}$/);
    expect((await currentUser(agent)).is2faEnabled).toBe(true);
    // E-02: a new session id.
    expect(sessionCookie(agent)).not.toBe(before);
  });

  it('requires a code of that key, refuses a wrong one, and happens once', async () => {
    const agent = await signedIn();
    const enable = (verificationCode: string) => agent.post('/api/twofactor/enable', { verificationCode });
    expect(errorsOf(await enable(''))).toEqual([
      { field: 'verificationCode', messages: ['Field should not be empty.'] },
    ]);
    const { sharedKey = '' } = (await agent.get('/api/twofactor/enable')).json<Record<string, string>>();
    // The last code is of step 3: that of step 2 would become valid if the next step began meanwhile.
    for (const code of [
      wrongAuthenticatorCode(sharedKey),
      'abcdef',
      '12345',
      ` ${'9'.repeat(99)}`,
      authenticatorCode(sharedKey, 3),
    ]) {
      const refused = await enable(code);
      expect([refused.status, errorsOf(refused)[0]?.field]).toEqual([400, 'verificationCode']);
    }
    const answers = await Promise.all([enable(authenticatorCode(sharedKey)), enable(authenticatorCode(sharedKey))]);
    expect(answers.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(1);
    expect((await agent.get('/api/twofactor/enable')).status).toBe(409);
  });

  it('G-08 requires the password again when the sign-in is older than five minutes', async () => {
    const agent = await signedIn();
    await age(301);
    const setup = (await agent.get('/api/twofactor/enable')).json<Record<string, string>>();
    expect(setup.currentPasswordRequired).toBe(true);
    const enable = (currentPassword?: string) =>
      agent.post('/api/twofactor/enable', {
        verificationCode: authenticatorCode(setup.sharedKey ?? ''),
        currentPassword,
      });
    expect(errorsOf(await enable())).toEqual([
      { field: 'currentPassword', messages: ['Please enter your current password.'] },
    ]);
    expect(errorsOf(await enable('wrong'))).toEqual([
      { field: 'currentPassword', messages: ['The current password is wrong.'] },
    ]);
    expect((await enable(patient.password)).status).toBe(200);
  });

  it('G-08 answers 429 after five wrong passwords', async () => {
    const agent = await signedIn();
    await age(301);
    const attempt = () => agent.post('/api/twofactor/enable', { verificationCode: '123456', currentPassword: 'wrong' });
    for (let count = 0; count < 5; count++) expect((await attempt()).status).toBe(400);
    expect((await attempt()).status).toBe(429);
  });

  it('G-08 ends the account’s other sessions and its pending sign-ins', async () => {
    const [other, stranger] = [await signedIn(), await signedIn(practitioner)];
    const { agent } = await enrolled();
    expect((await other.get('/api/session')).status).toBe(401);
    expect((await stranger.get('/api/session')).status).toBe(200);
    expect((await agent.get('/api/session')).status).toBe(200);
  });

  it('G-09 is refused to users of an identity provider', async () => {
    const agent = await signedIn();
    await alterAccounts(portal, 'UPDATE account SET is_external = true');
    expect((await agent.get('/api/twofactor/enable')).status).toBe(403);
    for (const path of ['enable', 'disable']) {
      expect((await agent.post(`/api/twofactor/${path}`, { verificationCode: '123456' })).status).toBe(403);
    }
    expect((await agent.post('/api/twofactor/disable-recovery', { recoveryCode: 'x' })).status).toBe(403);
  });

  it('requires a signed-in user', async () => {
    const anonymous = new Agent(portal.issuer);
    expect((await anonymous.get('/api/twofactor/enable')).status).toBe(401);
    expect((await anonymous.post('/api/twofactor/enable', { verificationCode: '1' })).status).toBe(401);
    expect((await anonymous.post('/api/twofactor/disable', { verificationCode: '1' })).status).toBe(401);
  });

  it('C-03 G-12 stores the key and the recovery codes unreadable in the database', async () => {
    const { key, recoveryCodes } = await enrolled();
    const [row] = await portal.query<Record<string, unknown>>('SELECT * FROM two_factor');
    const stored = JSON.stringify(row) + Buffer.from(row?.sealed_key as Buffer).toString('latin1');
    for (const secret of [key, ...recoveryCodes, ...recoveryCodes.map((code) => code.replace('-', ''))]) {
      expect(stored).not.toContain(secret);
    }
    expect(row?.key_id).toEqual(expect.stringMatching(/^[\w-]{8}$/));
  });

  it('is undone when the account is deleted', async () => {
    await enrolled();
    await alterAccounts(portal, 'DELETE FROM account');
    expect(await portal.query('SELECT FROM two_factor')).toEqual([]);
  });
});

describe('turning off two-factor authentication', () => {
  it('requires a code, ends the other sessions, and makes the password sufficient', async () => {
    const account = await enrolled();
    const other = await signInWithCode(portal, patient, account);
    await ageAcceptedCodes(portal);
    const { agent, key } = account;
    const disable = (verificationCode: string) => agent.post('/api/twofactor/disable', { verificationCode });
    expect((await disable('')).status).toBe(400);
    expect((await disable(wrongAuthenticatorCode(key))).status).toBe(400);
    expect((await currentUser(agent)).is2faEnabled).toBe(true);
    expect((await disable(authenticatorCode(key))).status).toBe(204);
    expect((await currentUser(agent)).is2faEnabled).toBe(false);
    expect((await other.get('/api/session')).status).toBe(401);
    await signedIn();
    expect((await disable(authenticatorCode(key, 1))).status).toBe(400);
  });

  it('accepts a recovery code', async () => {
    const { agent, recoveryCodes } = await enrolled();
    const disable = (recoveryCode: string) => agent.post('/api/twofactor/disable-recovery', { recoveryCode });
    expect(errorsOf(await disable(''))).toEqual([{ field: 'recoveryCode', messages: ['Field should not be empty.'] }]);
    expect((await disable('AAAAAA-AAAAAA')).status).toBe(400);
    expect((await disable(recoveryCodes[3] ?? '')).status).toBe(204);
    await signedIn();
  });

  it('G-08 requires the password again when the sign-in is older than five minutes', async () => {
    const { agent, key } = await enrolled();
    await ageAcceptedCodes(portal);
    await age(301);
    const disable = (more: object) =>
      agent.post('/api/twofactor/disable', { verificationCode: authenticatorCode(key), ...more });
    expect(errorsOf(await disable({}))[0]?.field).toBe('currentPassword');
    expect((await disable({ currentPassword: patient.password })).status).toBe(204);
  });

  it('cancels a pending sign-in that waits for a code', async () => {
    const { agent, key } = await enrolled();
    const waiting = await pending();
    await ageAcceptedCodes(portal);
    expect((await agent.post('/api/twofactor/disable', { verificationCode: authenticatorCode(key) })).status).toBe(204);
    expect((await verifyCode(waiting, authenticatorCode(key))).status).toBe(401);
  });

  it('leads to another key the next time it is turned on', async () => {
    const { agent, key, recoveryCodes } = await enrolled();
    await agent.post('/api/twofactor/disable-recovery', { recoveryCode: recoveryCodes[0] });
    const { sharedKey } = (await (await signedIn()).get('/api/twofactor/enable')).json();
    expect(sharedKey).not.toBe(key);
  });
});
