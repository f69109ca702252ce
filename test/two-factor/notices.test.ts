import { Agent } from '../support/http/agent.js';
import { type MailSink, startMailSink } from '../support/mail-sink.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import {
  ageAcceptedCodes,
  authenticatorCode,
  enableTwoFactor,
  login,
  wrongAuthenticatorCode,
} from '../support/users/authenticator.js';
import { people } from '../support/users/people.js';

const { patient } = people;
let sink: MailSink;
let portal: TestPortal;

beforeEach(async () => {
  sink = await startMailSink();
  portal = await startPortal({
    config: { users: [patient], email: sink.config, server: { trustedProxies: ['127.0.0.1'] } },
  });
});

afterEach(async () => {
  await portal.close();
  await sink.stop();
});

async function enrolled() {
  const agent = new Agent(portal.issuer);
  await login(agent, patient);
  return { agent, ...(await enableTwoFactor(agent)) };
}

async function pending(): Promise<Agent> {
  const agent = new Agent(portal.issuer);
  await login(agent, patient);
  return agent;
}

const subjects = () => sink.received.map(({ mail }) => mail.subject);
const recorded = (type: string) =>
  portal.query('SELECT outcome, detail FROM audit_event WHERE type = $1 ORDER BY id', [type]);

it('G-08 the owner is notified by mail that two-factor was turned on and off, and both are recorded', async () => {
  const { agent, key } = await enrolled();
  expect((await sink.to(patient.email)).mail.subject).toMatch(/was turned on$/);
  await ageAcceptedCodes(portal);
  await agent.post('/api/twofactor/disable', { verificationCode: authenticatorCode(key) });
  expect((await sink.to(patient.email, 2)).mail.subject).toMatch(/was turned off$/);
  expect(await recorded('two-factor.enabled')).toEqual([{ outcome: 'success', detail: {} }]);
  expect(await recorded('two-factor.disabled')).toEqual([{ outcome: 'success', detail: {} }]);
});

it('G-04 the owner is notified by mail of a used recovery code and the number left', async () => {
  const { recoveryCodes } = await enrolled();
  await (await pending()).post('/api/twofactor/verify-recovery', { recoveryCode: recoveryCodes[0] });
  const { mail } = await sink.to(patient.email, 2);
  expect([mail.subject, mail.text]).toEqual([
    expect.stringMatching(/^A recovery code was used/),
    expect.stringContaining('9 recovery codes are left.'),
  ]);
  expect(await recorded('two-factor.proven')).toEqual([
    { outcome: 'success', detail: { by: 'recovery', recoveryCodesLeft: 9 } },
  ]);
});

it('G-03 the owner is notified once of many wrong codes, and each one is recorded', async () => {
  const { key } = await enrolled();
  for (let round = 0; round < 5; round++) {
    const agent = await pending();
    for (let count = 0; count < 2; count++) {
      await agent.post('/api/twofactor/verify', { verificationCode: wrongAuthenticatorCode(key) });
    }
  }
  await sink.to(patient.email, 2);
  expect(subjects().filter((subject) => subject?.startsWith('Someone is trying to sign in'))).toHaveLength(1);
  expect(await recorded('two-factor.proven')).toEqual(
    Array(10).fill({ outcome: 'failure', detail: { by: 'authenticator' } }),
  );
});

it('F-03 the owner is notified at the tenth wrong password, and no mail is sent without an account', async () => {
  for (const username of ['no-account@example.org', patient.email]) {
    for (let index = 0; index < 11; index++) {
      const headers = { 'x-forwarded-for': `198.51.100.${index}` };
      await new Agent(portal.issuer).post('/api/session/login', { username, password: 'wrong' }, { headers });
    }
  }
  const { mail } = await sink.to(patient.email);
  expect(mail.subject).toMatch(/^Someone is trying to sign in to your account/);
  expect(sink.received).toHaveLength(1);
});
