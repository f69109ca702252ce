/** Administrators reset the second factor of a user who has lost it. */
import type { StepUpFacts, UserSignIn } from '../../src/contract/users/helpdesk.js';
import { managementScope } from '../../src/oidc/domain/access-tokens.js';
import { basicAuthorization } from '../support/apps/smart-app.js';
import { sharedSecret } from '../support/clients/clients.js';
import { Agent, type Answer } from '../support/http/agent.js';
import { raceTimeout, rounds } from '../support/http/races.js';
import { type MailSink, mailAbout, startMailSink } from '../support/mail-sink.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { startIdentityProvider, type TestIdentityProvider } from '../support/providers/identity-provider.js';
import { until } from '../support/until.js';
import {
  ageAcceptedCodes,
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
import { confirmAtProvider, type OwnerKind } from '../support/users/owners.js';
import { addPasskey, signInByPasskey } from '../support/users/passkey-device.js';
import { type Person, people } from '../support/users/people.js';

const subject = 'Two-factor authentication for Gatehouse was reset';
const { admin, patient, practitioner } = people;
const strongAdmin: Person = { ...admin, email: 'strong.admin@example.org' };
const externalAdmin: OwnerKind = {
  kind: 'an administrator of another provider',
  person: null,
  subject: 'root',
  email: 'rita.root@hospital.example',
  fullName: 'Rita Root',
  area: '/admin',
  hasTwoFactor: false,
  hasPasskeyAlone: false,
};
const manager = {
  clientId: 'manager',
  clientName: 'Manager',
  clientType: 'ManagementApi',
  enabled: true,
  allowManagementApiAccess: true,
  requireClientSecret: true,
  clientSecrets: [{ secretType: 'SharedSecret', secret: sharedSecret, description: 'first' }],
};

let sink: MailSink;
let provider: TestIdentityProvider;
let portal: TestPortal;
/** Browsers of administrators, each proving in another way. */
let byPassword: Agent;
let byCode: { agent: Agent; factor: EnabledTwoFactor };
let byProvider: Agent;

beforeAll(async () => {
  [sink, provider] = [await startMailSink(), await startIdentityProvider()];
  portal = await startPortal({
    nodes: 2,
    config: {
      email: sink.config,
      users: [admin, strongAdmin, patient, practitioner],
      clients: [manager],
      identityProviders: [provider.entry({ adminGroups: ['portal-admins'] })],
    },
  });
  provider.trust(portal);
  byPassword = await signInByPassword(portal, admin);
  const agent = await signInByPassword(portal, strongAdmin);
  byCode = { agent, factor: await enableTwoFactor(agent) };
  byProvider = new Agent(portal.issuer);
});

afterAll(async () => {
  await portal.close();
  await provider.close();
  await sink.stop();
});

/** A patient or practitioner who has a second factor; that of an earlier test is gone. */
async function enrolled(person: Person): Promise<{ id: string; browser: Agent; factor: EnabledTwoFactor }> {
  await portal.query('DELETE FROM rate_limit');
  const [row] = await portal.query<{ id: string }>('SELECT id FROM account WHERE email = $1', [person.email]);
  const id = row?.id ?? '';
  await portal.query('DELETE FROM two_factor WHERE account_id = $1', [id]);
  const browser = await signInByPassword(portal, person);
  // Mails of the test before may still wait.
  await until(async () => (await portal.query("SELECT FROM job WHERE kind = 'mail'")).length === 0);
  sink.received.length = 0;
  return { id, browser, factor: await enableTwoFactor(browser) };
}

const reset = (agent: Agent, id: string, proof: object): Promise<Answer> =>
  agent.post(`/api/admin/user/${id}/reset-second-factor`, proof);
const stepUp = async (agent: Agent) =>
  (await agent.get('/api/admin/step-up')).json<StepUpFacts & Record<string, unknown>>();
const hasFactor = async (id: string) =>
  (await byPassword.get(`/api/admin/user/${id}/sign-in`)).json<UserSignIn & Record<string, unknown>>().secondFactor !==
  null;
const isSignedIn = async (browser: Agent) => (await browser.get('/api/session')).status === 200;
const recorded = (id: string) =>
  portal.query<{ outcome: string }>(
    "SELECT outcome FROM audit_event WHERE type = 'two-factor.reset' AND subject = $1 ORDER BY id",
    [id],
  );
const freshCode = async () => {
  await ageAcceptedCodes(portal);
  return { verificationCode: authenticatorCode(byCode.factor.key) };
};

describe.each([patient, practitioner])('The second factor of a $userType', (person) => {
  it('is reset with the passkeys, so that a mailed link is enough again', async () => {
    const { id, browser } = await enrolled(person);
    const { device } = await addPasskey(browser);
    await addPasskey(browser);
    const facts = async () =>
      (await byPassword.get(`/api/admin/user/${id}/sign-in`)).json<UserSignIn & Record<string, unknown>>();
    expect(await facts()).toMatchObject({ passkeys: 2 });
    expect((await reset(byPassword, id, {})).status).toBe(400);
    expect(await facts()).toMatchObject({ passkeys: 2 });
    expect((await reset(byPassword, id, { currentPassword: admin.password })).status).toBe(204);
    expect(await facts()).toMatchObject({ passkeys: 0, secondFactor: null });
    expect(await isSignedIn(browser)).toBe(false);
    expect((await signInByPasskey(new Agent(portal.issuer), device)).status).toBe(400);
  });

  it('is reset where there are passkeys alone, and the user is told', async () => {
    const { id, browser } = await enrolled(person);
    await addPasskey(browser);
    await portal.query('DELETE FROM two_factor WHERE account_id = $1', [id]);
    const before = (await recorded(id)).length;
    const answers = await Promise.all([0, 1].map(() => reset(byPassword, id, { currentPassword: admin.password })));
    expect(answers.map(({ status }) => status)).toEqual([204, 204]);
    expect((await recorded(id)).length).toBe(before + 1);
    await mailAbout(sink, person.email, subject);
    expect(await isSignedIn(browser)).toBe(false);
  });

  it('is reset by an administrator with their password: all sessions end, the user is told, and the password stays', async () => {
    const { id, browser } = await enrolled(person);
    const halfway = await beginTwoFactorSignIn(portal, person);
    const before = (await recorded(id)).length;
    expect(await stepUp(byPassword)).toEqual({ by: 'password', provider: null, isConfirmed: false });
    expect((await reset(byPassword, id, { currentPassword: admin.password })).status).toBe(204);
    expect(await hasFactor(id)).toBe(false);
    expect(await isSignedIn(browser)).toBe(false);
    expect((await verifyCode(halfway, '000000')).status).toBe(401);
    const { mail } = await mailAbout(sink, person.email, subject);
    expect(mail.text).toContain('An administrator of Gatehouse removed the second factor of your account');
    expect(await recorded(id)).toHaveLength(before + 1);
    expect((await login(new Agent(portal.issuer), { ...person, password: 'wrong' })).status).toBe(401);
    expect((await login(new Agent(portal.issuer), person)).json()).toEqual({ is2faEnabled: false });
  });

  it('is reset by an administrator with their own code, which is used up, and a recovery code', async () => {
    const { id } = await enrolled(person);
    expect(await stepUp(byCode.agent)).toEqual({ by: 'code', provider: null, isConfirmed: false });
    const proof = await freshCode();
    expect((await reset(byCode.agent, id, proof)).status).toBe(204);
    expect(await hasFactor(id)).toBe(false);
    const again = await enrolled(person);
    expect((await reset(byCode.agent, again.id, proof)).status).toBe(400);
    expect(await hasFactor(id)).toBe(true);
    expect((await reset(byCode.agent, id, { recoveryCode: byCode.factor.recoveryCodes.pop() })).status).toBe(204);
    expect(await hasFactor(id)).toBe(false);
  });

  it('is reset by an administrator of another provider who has signed in there again', async () => {
    const { id } = await enrolled(person);
    await confirmAtProvider(provider, { ...externalAdmin, agent: byProvider });
    await portal.query("UPDATE oidc_record SET payload = payload - 'confirmedAt' WHERE model = 'Session'");
    const at = { authenticationScheme: 'hospital', displayName: 'Hospital ID' };
    expect(await stepUp(byProvider)).toEqual({ by: 'provider', provider: at, isConfirmed: false });
    expect((await reset(byProvider, id, {})).status).toBe(400);
    await confirmAtProvider(provider, { ...externalAdmin, agent: byProvider });
    expect((await stepUp(byProvider)).isConfirmed).toBe(true);
    expect((await reset(byProvider, id, {})).status).toBe(204);
    expect(await hasFactor(id)).toBe(false);
  });
});

describe('The session of an administrator alone', () => {
  it('resets nothing: without the proof, with a wrong one, or with the password in place of the code', async () => {
    const { id, browser } = await enrolled(patient);
    const before = (await recorded(id)).length;
    const wrong = { verificationCode: wrongAuthenticatorCode(byCode.factor.key) };
    for (const [agent, proof, field] of [
      [byPassword, {}, 'currentPassword'],
      [byPassword, { currentPassword: 'wrong' }, 'currentPassword'],
      [byPassword, { currentPassword: patient.password }, 'currentPassword'],
      [byCode.agent, {}, 'verificationCode'],
      [byCode.agent, { currentPassword: strongAdmin.password }, 'verificationCode'],
      [byCode.agent, wrong, 'verificationCode'],
      [byCode.agent, { recoveryCode: 'AAAAAA-AAAAAA' }, 'recoveryCode'],
    ] as const) {
      const answer = await reset(agent, id, proof);
      expect([proof, answer.status, answer.json<{ errors: object[] }>().errors]).toEqual([
        proof,
        400,
        [expect.objectContaining({ field })],
      ]);
    }
    expect([await hasFactor(id), await isSignedIn(browser)]).toEqual([true, true]);
    expect((await recorded(id)).slice(before).filter(({ outcome }) => outcome === 'success')).toEqual([]);
    expect(sink.received.filter(({ mail }) => mail.subject === subject)).toEqual([]);
  });

  it('cannot guess the password', async () => {
    const { id } = await enrolled(patient);
    const statuses: number[] = [];
    for (let guess = 0; guess < 7; guess += 1)
      statuses.push((await reset(byPassword, id, { currentPassword: `${guess}` })).status);
    expect(statuses).toEqual([400, 400, 400, 400, 400, 429, 429]);
    expect((await reset(byPassword, id, { currentPassword: admin.password })).status).toBe(429);
    expect(await hasFactor(id)).toBe(true);
  });

  it('is not enough for a service with a management token, which has nothing to prove with', async () => {
    const { id } = await enrolled(patient);
    const token = await new Agent(portal.issuer).postForm(
      '/connect/token',
      { grant_type: 'client_credentials', scope: managementScope },
      { headers: basicAuthorization('manager', sharedSecret) },
    );
    const headers = { authorization: `Bearer ${token.json<{ access_token: string }>().access_token}` };
    const service = new Agent(portal.issuer);
    expect((await service.get(`/api/admin/user/${id}/sign-in`, { headers })).status).toBe(200);
    for (const call of [
      service.get('/api/admin/step-up', { headers }),
      service.post(`/api/admin/user/${id}/reset-second-factor`, { currentPassword: admin.password }, { headers }),
    ]) {
      expect((await call).status).toBe(403);
    }
    expect(await hasFactor(id)).toBe(true);
  });
});

describe('A second factor', () => {
  it('is reset while the mail server is down, and the user is told when it is back', async () => {
    const { id } = await enrolled(patient);
    sink.behaviour = 451;
    expect((await reset(byPassword, id, { currentPassword: admin.password })).status).toBe(204);
    expect(await hasFactor(id)).toBe(false);
    sink.behaviour = 'accept';
    await portal.query("UPDATE job SET due_at = now() WHERE kind = 'mail'");
    await mailAbout(sink, patient.email, subject);
  });

  it('that has been reset already is no failure, and the user is told once', async () => {
    const { id } = await enrolled(patient);
    const before = (await recorded(id)).length;
    for (const _ of [1, 2]) {
      expect((await reset(byPassword, id, { currentPassword: admin.password })).status).toBe(204);
    }
    expect(await recorded(id)).toHaveLength(before + 1);
    await mailAbout(sink, patient.email, subject);
    expect(sink.received.filter(({ mail }) => mail.subject === subject)).toHaveLength(1);
  });

  it(
    'that two administrators reset at once while its user signs in, on two nodes, is reset once, and no session is left that it began',
    async () => {
      for (let round = 0; round < rounds; round += 1) {
        const { id, factor } = await enrolled(patient);
        const waiting = await beginTwoFactorSignIn(portal, patient);
        const before = (await recorded(id)).length;
        const proof = await freshCode();
        const [first, second, user] = await Promise.all([
          reset(byPassword, id, { currentPassword: admin.password }),
          reset(Object.assign(byCode.agent, { port: portal.ports[1] }), id, proof),
          verifyCode(waiting, authenticatorCode(factor.key)),
        ]);
        expect([first.status, second.status]).toEqual([204, 204]);
        expect([204, 400, 401]).toContain(user.status);
        expect(await isSignedIn(waiting)).toBe(false);
        expect(await recorded(id)).toHaveLength(before + 1);
        expect(await hasFactor(id)).toBe(false);
      }
    },
    raceTimeout,
  );

  it('can be set up again by its user', async () => {
    const { id } = await enrolled(patient);
    expect((await reset(byPassword, id, { currentPassword: admin.password })).status).toBe(204);
    const factor = await enableTwoFactor(await signInByPassword(portal, patient));
    await signInWithCode(portal, patient, factor);
    expect(await hasFactor(id)).toBe(true);
  });
});
