import speakeasy from 'speakeasy';
import { stepOf } from '../../src/two-factor/application/totp.js';
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
  login,
  signInByPassword,
  signInWithCode,
  verifyCode,
  wrongAuthenticatorCode,
} from '../support/users/authenticator.js';
import { KeptUsers } from '../support/users/kept-users.js';
import { type Credentials, people } from '../support/users/people.js';

const { patient, practitioner, admin } = people;
let portal: TestPortal;
let users: KeptUsers;

beforeAll(async () => {
  portal = await startPortal({
    nodes: 2,
    config: { users: Object.values(people) },
  });
  users = await KeptUsers.of(portal);
});
beforeEach(() => users.restore());
afterAll(() => portal.close());

const recover = (agent: Agent, recoveryCode: string, more: object = {}) =>
  agent.post('/api/twofactor/verify-recovery', { recoveryCode, ...more });
const sessionCookie = (agent: Agent) => agent.cookies.get('gatehouse_session');

const signedIn = (person: Credentials = patient) => signInByPassword(portal, person);

const pending = (person: Credentials = patient, node = 0) => beginTwoFactorSignIn(portal, person, node);

async function enrolled(person: Credentials = patient): Promise<EnabledTwoFactor & { agent: Agent }> {
  const agent = await signedIn(person);
  return { agent, ...(await enableTwoFactor(agent)) };
}

describe('signing in with two factors', () => {
  it('E-02 G-05 creates no session before the code, and one with a new id after it', async () => {
    const { key } = await enrolled();
    await ageAcceptedCodes(portal);
    const agent = await pending();
    expect(sessionCookie(agent)).toBeUndefined();
    for (const path of ['/api/session', '/api/grant', '/api/consent?returnUrl=x', '/api/twofactor/enable']) {
      expect((await agent.get(path)).status).toBe(401);
    }
    const verified = await verifyCode(agent, authenticatorCode(key));
    expect([verified.status, verified.text]).toEqual([204, '']);
    expect(await currentUser(agent)).toMatchObject({ email: patient.email, is2faEnabled: true });
    expect(agent.cookies.has('gatehouse_second_step')).toBe(false);
  });

  it('E-01 G-06 binds the pending sign-in to this browser by an HttpOnly cookie', async () => {
    const { key } = await enrolled();
    await ageAcceptedCodes(portal);
    const agent = new Agent(portal.issuer);
    const cookies = (await login(agent, patient)).headers['set-cookie'] ?? [];
    expect(cookies.find((line) => line.startsWith('gatehouse_second_step='))).toMatch(
      /^gatehouse_second_step=[\w-]{43}; Max-Age=300; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    const elsewhere = await verifyCode(new Agent(portal.issuer), authenticatorCode(key));
    expect([elsewhere.status, elsewhere.json().message]).toEqual([
      401,
      'Your sign-in has expired. Please sign in again.',
    ]);
  });

  it('G-01 accepts a code once, also of many requests at the same time on two nodes', async () => {
    const { key } = await enrolled();
    await ageAcceptedCodes(portal);
    const agents: Agent[] = [];
    for (const node of [0, 1, 0, 1, 0, 1]) agents.push(await pending(patient, node));
    const code = authenticatorCode(key);
    const answers = await Promise.all(agents.map((agent) => verifyCode(agent, code)));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 400, 400, 400, 400, 400]);
    expect((await verifyCode(await pending(), code)).status).toBe(400);
  });

  it('Q-05 refuses a used code after the clock was set back an hour', async () => {
    const { key } = await enrolled();
    await ageAcceptedCodes(portal);
    const code = authenticatorCode(key);
    expect((await verifyCode(await pending(), code)).status).toBe(204);
    // The last accepted code is of an hour ahead, as after a correction of the clock.
    await portal.query('UPDATE two_factor SET last_step = last_step + 120');
    for (const step of [-1, 0, 1])
      expect((await verifyCode(await pending(), authenticatorCode(key, step))).status).toBe(400);
  });

  it('G-01 refuses the code that turned two-factor on', async () => {
    const agent = await signedIn();
    const { sharedKey = '' } = (await agent.get('/api/twofactor/enable')).json<Record<string, string>>();
    const verificationCode = authenticatorCode(sharedKey);
    expect((await agent.post('/api/twofactor/enable', { verificationCode })).status).toBe(200);
    expect((await verifyCode(await pending(), verificationCode)).status).toBe(400);
  });

  it('G-02 accepts the codes of one step before and after now, and no other', async () => {
    const { key } = await enrolled();
    await ageAcceptedCodes(portal);
    const agent = await pending();
    expect((await verifyCode(agent, authenticatorCode(key, -3))).status).toBe(400);
    expect((await verifyCode(agent, authenticatorCode(key, 3))).status).toBe(400);
    const later = authenticatorCode(key, 1);
    expect((await verifyCode(agent, `${later.slice(0, 3)} ${later.slice(3)}`)).status).toBe(204);
    // Codes that are older than the last accepted one are used up with it.
    expect((await verifyCode(await pending(), authenticatorCode(key))).status).toBe(400);
  });

  it.each([0, 29.999])('G-02 accepts the codes of one step before and after now, %s seconds into a step', (seconds) => {
    const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
    const step = 58_000_000;
    const now = new Date((step * 30 + seconds) * 1000);
    const known = [-2, -1, 0, 1, 2].map((away) => {
      const code = speakeasy.totp({ secret, encoding: 'base32', time: (step + away) * 30 });
      return stepOf(code, secret, now);
    });
    expect(known).toEqual([undefined, step - 1, step, step + 1, undefined]);
  });

  it('G-03 is cancelled after five wrong codes', async () => {
    const { key } = await enrolled();
    await ageAcceptedCodes(portal);
    const agent = await pending();
    const statuses: number[] = [];
    for (let count = 0; count < 5; count++)
      statuses.push((await verifyCode(agent, wrongAuthenticatorCode(key))).status);
    expect(statuses).toEqual([400, 400, 400, 400, 401]);
    expect((await verifyCode(agent, authenticatorCode(key))).status).toBe(401);
    const another = await pending();
    for (let count = 0; count < 4; count++) await verifyCode(another, wrongAuthenticatorCode(key));
    expect((await verifyCode(another, wrongAuthenticatorCode(key))).json().message).toBe(
      'That was one wrong code too many. Please wait until your app shows a new code, then sign in again.',
    );
    await portal.query('DELETE FROM rate_limit');
    expect((await verifyCode(await pending(), authenticatorCode(key))).status).toBe(204);
  });

  it('G-03 verifies at most five of many simultaneous codes', async () => {
    const { key } = await enrolled();
    await ageAcceptedCodes(portal);
    const agent = await pending();
    const answers = await Promise.all(Array.from({ length: 20 }, () => verifyCode(agent, wrongAuthenticatorCode(key))));
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(4);
    expect(await portal.query("SELECT points FROM rate_limit WHERE key LIKE 'two-factor-codes:%'")).toEqual([
      { points: 5 },
    ]);
    expect((await verifyCode(agent, authenticatorCode(key))).status).toBe(401);
  });

  it('G-03 is locked after ten wrong codes an hour over all sign-ins and nodes, also with a right password', async () => {
    const { key } = await enrolled();
    await ageAcceptedCodes(portal);
    for (let round = 0; round < 5; round++) {
      const agent = await pending(patient, round % 2);
      for (let count = 0; count < 2; count++)
        expect((await verifyCode(agent, wrongAuthenticatorCode(key))).status).toBe(400);
    }
    const refused = await login(new Agent(portal.issuer), patient);
    expect([refused.status, Number(refused.headers['retry-after']) > 0]).toEqual([429, true]);
    await signedIn(practitioner);
  });

  it('G-03 does not count right codes', async () => {
    const account = await enrolled();
    for (let count = 0; count < 11; count++) await signInWithCode(portal, patient, account);
  });

  it('G-06 is cancelled five minutes after the password', async () => {
    const { key } = await enrolled();
    await ageAcceptedCodes(portal);
    const agent = await pending();
    await portal.query("UPDATE pending_sign_in SET expires_at = expires_at - interval '301 seconds'");
    expect((await verifyCode(agent, authenticatorCode(key))).status).toBe(401);
  });

  it('G-06 refuses the code of another user', async () => {
    await enrolled();
    const { key } = await enrolled(practitioner);
    await ageAcceptedCodes(portal);
    expect((await verifyCode(await pending(), authenticatorCode(key))).status).toBe(400);
  });

  it('G-11 is cancelled when the password is changed meanwhile, and two-factor stays on', async () => {
    const { key } = await enrolled();
    await ageAcceptedCodes(portal);
    const agent = await pending();
    await alterAccounts(portal, "UPDATE account SET security_stamp = 'another'");
    expect((await verifyCode(agent, authenticatorCode(key))).status).toBe(401);
    await pending();
  });

  it('E-11 reports that the account was deleted', async () => {
    const { key } = await enrolled();
    const agent = await pending();
    await alterAccounts(portal, 'DELETE FROM account');
    const answer = await verifyCode(agent, authenticatorCode(key));
    expect([answer.status, answer.json().message]).toEqual([
      404,
      'The current user cannot be found. Please contact your administrator.',
    ]);
  });

  it('is cancelled by signing out', async () => {
    const { key } = await enrolled();
    await ageAcceptedCodes(portal);
    const agent = await pending();
    await agent.signOut();
    expect(await portal.query('SELECT FROM pending_sign_in')).toEqual([]);
    expect((await verifyCode(agent, authenticatorCode(key))).status).toBe(401);
  });

  it('reports a missing code by the message of the form', async () => {
    expect(errorsOf(await verifyCode(new Agent(portal.issuer), ''))).toEqual([
      { field: 'verificationCode', messages: ['Field should not be empty.'] },
    ]);
    expect(errorsOf(await recover(new Agent(portal.issuer), ''))).toEqual([
      { field: 'recoveryCode', messages: ['Field should not be empty.'] },
    ]);
  });

  it('G-10 G-14 remembers the sign-in on request, except for administrators, and ignores a foreign returnUrl', async () => {
    const sessionLine = async (person: Credentials, key: string, rememberMe?: boolean) => {
      await ageAcceptedCodes(portal);
      const agent = new Agent(portal.issuer);
      await login(agent, person, { rememberLogin: true });
      const returnUrl = 'https://evil.example/connect/authorize/callback?ix=0123456789';
      const answer = await verifyCode(agent, authenticatorCode(key), { rememberMe, returnUrl });
      expect([answer.status, answer.location]).toEqual([204, undefined]);
      return answer.headers['set-cookie']?.find((line) => line.startsWith('gatehouse_session='));
    };
    const [one, other] = [await enrolled(), await enrolled(admin)];
    expect(await sessionLine(patient, one.key, true)).toMatch(/expires=/);
    expect(await sessionLine(patient, one.key)).toMatch(/expires=/);
    expect(await sessionLine(patient, one.key, false)).not.toMatch(/expires=/);
    expect(await sessionLine(admin, other.key, true)).not.toMatch(/expires=/);
    // The code is required again, also with a remembered login.
    await pending();
  });
});

describe('a recovery code', () => {
  it('G-04 works once, and the number of remaining codes is returned', async () => {
    const { recoveryCodes } = await enrolled();
    const [code = '', another = ''] = recoveryCodes;
    const agent = await pending();
    expect((await recover(agent, code)).json()).toEqual({ recoveryCodesLeft: 9 });
    expect(await currentUser(agent)).toMatchObject({ email: patient.email });
    expect((await recover(await pending(), code)).status).toBe(400);
    const typed = ` ${another.toLowerCase().replace('-', ' ').replaceAll('1', 'l').replaceAll('0', 'o')} `;
    expect((await recover(await pending(), typed)).json()).toEqual({ recoveryCodesLeft: 8 });
  });

  it('G-04 works once of many requests at the same time on two nodes', async () => {
    const { recoveryCodes } = await enrolled();
    const agents = await Promise.all([0, 1, 0, 1].map((node) => pending(patient, node)));
    const answers = await Promise.all(agents.map((agent) => recover(agent, recoveryCodes[0] ?? '')));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400]);
  });

  it('G-04 is refused after five wrong ones in an hour', async () => {
    const { recoveryCodes, key } = await enrolled();
    await ageAcceptedCodes(portal);
    const wrong = 'AAAAAA-AAAAAA';
    for (let round = 0; round < 5; round++) expect((await recover(await pending(), wrong)).status).toBe(400);
    const agent = await pending();
    expect((await recover(agent, recoveryCodes[0] ?? '')).status).toBe(429);
    // The limit of recovery codes does not apply to the authenticator.
    expect((await verifyCode(agent, authenticatorCode(key))).status).toBe(204);
  });

  it('G-06 works for its own account only', async () => {
    await enrolled();
    const { recoveryCodes } = await enrolled(practitioner);
    expect((await recover(await pending(), recoveryCodes[0] ?? '')).status).toBe(400);
  });
});

/** Last, because passport has one configuration per process: that of this portal replaces that of the others. */
it('E-01 a pending sign-in has a cookie with the prefix __Host- where the issuer has https', async () => {
  const secure = await startPortal({ issuer: 'https://login.example.org', config: { users: [patient] } });
  try {
    const browser = new Agent(secure.issuer, secure.ports[0]);
    await login(browser, patient);
    await enableTwoFactor(browser);
    const cookies = (await login(new Agent(secure.issuer, secure.ports[0]), patient)).headers['set-cookie'] ?? [];
    expect(cookies.some((line) => /^__Host-gatehouse_second_step=.*; Path=\/; .*; Secure;/.test(line))).toBe(true);
  } finally {
    await secure.close();
  }
});
