import type { SessionList } from '../../src/contract/users/account.js';
import { SmartApp } from '../support/apps/smart-app.js';
import { publicApp } from '../support/clients/clients.js';
import { Agent } from '../support/http/agent.js';
import { errorsOf } from '../support/http/answers.js';
import { type MailSink, startMailSink } from '../support/mail-sink.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { people } from '../support/users/people.js';

const newPassword = 'willow-harbour-3075';
const { patient, otherPatient, practitioner, admin } = people;
type Person = { email: string; password: string };

let sink: MailSink;
let portal: TestPortal;

async function signedIn({ email, password }: Person, rememberLogin = false): Promise<Agent> {
  const agent = new Agent(portal.issuer);
  const { status } = await agent.post('/api/session/login', { username: email, password, rememberLogin });
  expect(status).toBe(200);
  return agent;
}

const sessionId = (agent: Agent) => agent.cookies.get('gatehouse_session');
const isIn = async (agent: Agent) => (await agent.get('/api/session')).status === 200;
const rename = (agent: Agent, body: unknown) => agent.send('/api/user', { method: 'PUT', body });
const change = (agent: Agent, currentPassword: string, chosen: string) =>
  agent.post('/api/user/reset-password', { currentPassword, newPassword: chosen });
const sessionsOf = async (agent: Agent) =>
  (await agent.get('/api/user/sessions')).json<SessionList & Record<string, unknown>>().sessions;

beforeAll(async () => {
  sink = await startMailSink();
  portal = await startPortal({
    nodes: 2,
    config: { email: sink.config, clients: [publicApp], users: [admin, patient, otherPatient, practitioner] },
  });
});

afterAll(async () => {
  await portal.close();
  await sink.stop();
});

beforeEach(() => portal.query('DELETE FROM rate_limit'));

describe('A user’s own name', () => {
  it.each([admin, patient, practitioner])('can be changed by a user of each type ($userType)', async (person) => {
    const agent = await signedIn(person);
    expect((await rename(agent, { fullName: ' Alex Grey ' })).status).toBe(204);
    expect((await agent.get('/api/session')).json().fullName).toBe('Alex Grey');
  });

  it.each<[unknown, string]>([
    ['  ', 'Field is required'],
    [undefined, 'Field is required'],
    ['a'.repeat(201), 'Please enter at most 200 characters'],
    ['H-11 x\r\nBcc: y', 'Please enter a valid value'],
  ])('cannot be changed to %j', async (fullName, message) => {
    const answer = await rename(await signedIn(patient), { fullName });
    expect([answer.status, errorsOf(answer)]).toEqual([400, [{ field: 'fullName', messages: [message] }]]);
  });

  it('is the only member that this call can change', async () => {
    const answer = await rename(await signedIn(patient), { fullName: 'A', userType: 'Admin' });
    expect(answer.status).toBe(400);
  });
});

describe('A user’s own password', () => {
  it('E-02 E-10 when changed, gives this browser a new session id and ends all other sessions', async () => {
    const [own, other] = [await signedIn(patient), await signedIn(patient, true)];
    const app = new SmartApp(portal, { scope: 'openid fhirUser launch/patient patient/*.rs offline_access' });
    const { refresh_token = '' } = await app.tokens(patient);
    const before = sessionId(own);
    const stolen = new Agent(portal.issuer);
    stolen.cookies.set('gatehouse_session', before ?? '');
    expect((await change(own, patient.password, newPassword)).status).toBe(204);
    expect(sessionId(own)).not.toBe(before);
    expect([await isIn(own), await isIn(other), await isIn(stolen), await isIn(app.browser)]).toEqual([
      true,
      false,
      false,
      false,
    ]);
    // Offline access stays until the user or an administrator revokes it.
    expect((await app.refresh(refresh_token)).status).toBe(200);
    const notice = await sink.to(patient.email);
    expect(notice.mail.subject).toBe('Your password for Gatehouse was changed');
    expect((await change(own, newPassword, patient.password)).status).toBe(204);
  });

  it('E-10 when changed, ends the online access of apps in this session, too', async () => {
    const app = new SmartApp(portal, { scope: 'openid fhirUser launch/patient patient/*.rs' });
    const { access_token } = await app.tokens(otherPatient);
    const userinfo = () =>
      new Agent(portal.issuer, portal.ports[1]).get('/connect/userinfo', {
        headers: { authorization: `Bearer ${access_token}` },
      });
    expect((await userinfo()).status).toBe(200);
    expect((await change(app.browser, otherPatient.password, newPassword)).status).toBe(204);
    expect(await isIn(app.browser)).toBe(true);
    expect((await userinfo()).status).toBe(401);
  });

  it('when changed, cancels a pending sign-in that used the old one', async () => {
    const own = await signedIn(practitioner);
    const app = new SmartApp(portal, { scope: 'openid fhirUser user/*.rs' });
    const returnUrl = await app.begin();
    expect((await app.signIn(practitioner, returnUrl)).status).toBe(200);
    expect((await change(own, practitioner.password, newPassword)).status).toBe(204);
    expect(new URL(await app.follow(returnUrl)).pathname).not.toBe('/user/consent');
    expect(await isIn(app.browser)).toBe(false);
    expect((await change(own, newPassword, practitioner.password)).status).toBe(204);
  });

  it('cannot be changed without the current one, of which five in five minutes are verified', async () => {
    const agent = await signedIn(patient);
    const wrong = await change(agent, 'not-the-password-1', newPassword);
    expect([wrong.status, errorsOf(wrong)]).toEqual([
      400,
      [{ field: 'currentPassword', messages: ['The current password is wrong.'] }],
    ]);
    for (let times = 1; times < 5; times += 1) await change(agent, 'not-the-password-1', newPassword);
    expect((await change(agent, patient.password, newPassword)).status).toBe(429);
  });

  it.each<[string, string]>([
    ['short', 'Password requirements not fulfilled.'],
    ['password1234', 'This password is too common. Please choose one that is harder to guess.'],
    ['my-amelia.ward-4411', 'The password must not contain your e-mail address.'],
    [patient.password, 'The new password must differ from the one before.'],
  ])('H-12 cannot be changed to %s', async (chosen, message) => {
    const answer = await change(await signedIn(patient), patient.password, chosen);
    expect(answer.status).toBe(400);
    expect(errorsOf(answer)[0]?.field).toBe('newPassword');
    expect(errorsOf(answer)[0]?.messages).toContain(message);
  });

  it('cannot be changed while a field is missing, which is named', async () => {
    const agent = await signedIn(patient);
    const answer = await agent.post('/api/user/reset-password', {});
    expect(errorsOf(answer)).toEqual([{ field: 'newPassword', messages: ['Field is required'] }]);
    expect(errorsOf(await agent.post('/api/user/reset-password', { newPassword }))).toEqual([
      { field: 'currentPassword', messages: ['Please enter your current password.'] },
    ]);
  });

  it('G-09 cannot be changed by users of an identity provider', async () => {
    const agent = await signedIn(patient);
    await portal.query('UPDATE account SET is_external = true WHERE email = $1', [patient.email]);
    const answer = await change(agent, patient.password, newPassword);
    await portal.query('UPDATE account SET is_external = false WHERE email = $1', [patient.email]);
    expect(answer.status).toBe(403);
  });

  it('is changed by one of two requests at once', async () => {
    const [one, two] = [await signedIn(patient), await signedIn(patient)];
    two.port = portal.ports[1] ?? 0;
    const answers = await Promise.all([
      change(one, patient.password, newPassword),
      change(two, patient.password, 'marble-orchard-1190'),
    ]);
    expect(answers.map(({ status }) => status === 204).sort()).toEqual([false, true]);
    const kept = answers[0]?.status === 204 ? newPassword : 'marble-orchard-1190';
    expect((await change(await signedIn({ ...patient, password: kept }), kept, patient.password)).status).toBe(204);
  });
});

describe('E-15 The list of a user’s sessions', () => {
  it('has their times, and the user can end the others', async () => {
    await portal.query("DELETE FROM oidc_record WHERE model = 'Session'");
    const started = Date.now();
    const [own, other, remembered] = [await signedIn(patient), await signedIn(patient), await signedIn(patient, true)];
    const stranger = await signedIn(admin);
    await portal.query("UPDATE oidc_record SET last_used_at = now() - interval '2 hours' WHERE model = 'Session'");
    await isIn(remembered);
    const sessions = await sessionsOf(own);
    expect(sessions).toHaveLength(3);
    expect(sessions.filter(({ current }) => current)).toHaveLength(1);
    expect(sessions.map(({ current }) => current)[0]).toBe(false);
    const [latest] = sessions;
    expect(Date.parse(latest?.lastUsed ?? '')).toBeGreaterThan(started - 1000);
    for (const { signedIn: at } of sessions) {
      expect(Date.parse(at)).toBeGreaterThan(started - 1000);
      expect(Date.parse(at)).toBeLessThan(Date.now() + 1000);
    }
    expect((await own.send('/api/user/sessions', { method: 'DELETE' })).status).toBe(204);
    expect([await isIn(own), await isIn(other), await isIn(remembered), await isIn(stranger)]).toEqual([
      true,
      false,
      false,
      true,
    ]);
    expect(await sessionsOf(own)).toHaveLength(1);
  });
});

it.each([
  ['PUT', '/api/user', { fullName: 'x' }],
  ['POST', '/api/user/reset-password', {}],
  ['GET', '/api/user/sessions', undefined],
  ['DELETE', '/api/user/sessions', undefined],
])('%s %s requires a signed-in user', async (method, path, body) => {
  expect((await new Agent(portal.issuer).send(path, { method, body })).status).toBe(401);
});
