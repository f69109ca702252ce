import { SmartApp } from '../support/apps/smart-app.js';
import { publicApp } from '../support/clients/clients.js';
import { Agent } from '../support/http/agent.js';
import { linkInMail, type MailSink, newLink, startMailSink } from '../support/mail-sink.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { ageAcceptedCodes, authenticatorCode, enableTwoFactor, login } from '../support/users/authenticator.js';
import { people } from '../support/users/people.js';

const { admin, patient, practitioner } = people;
let sink: MailSink;
let portal: TestPortal;
let administrator: Agent;

beforeAll(async () => {
  sink = await startMailSink();
  portal = await startPortal({
    nodes: 2,
    config: { email: sink.config, clients: [publicApp], users: [admin, patient, practitioner] },
  });
  administrator = new Agent(portal.issuer);
  await login(administrator, admin);
});

afterAll(async () => {
  await portal.close();
  await sink.stop();
});

/** Deletes the account as an administrator. */
async function remove(email: string): Promise<void> {
  const [row] = await portal.query<{ id: string }>('SELECT id FROM account WHERE email = $1', [email]);
  expect((await administrator.send(`/api/admin/user/${row?.id}`, { method: 'DELETE' })).status).toBe(204);
}

it('F-09 a deleted account cannot be used by any session, token, link or pending sign-in, on any node', async () => {
  const app = new SmartApp(portal, { scope: 'openid fhirUser launch/patient patient/*.rs offline_access' });
  const { refresh_token = '' } = await app.tokens(patient);
  const { key } = await enableTwoFactor(app.browser);
  await ageAcceptedCodes(portal);
  const waiting = new Agent(portal.issuer, portal.ports[1]);
  expect((await login(waiting, patient)).json()).toEqual({ is2faEnabled: true });
  const { u, t } = await newLink(sink, patient.email, '/password/reset', () =>
    new Agent(portal.issuer).post('/api/user/forgot-password', { email: patient.email }),
  );
  await remove(patient.email);

  const refused = await app.refresh(refresh_token);
  expect([refused.status, refused.json().error]).toEqual([400, 'invalid_grant']);
  const second = await waiting.post('/api/twofactor/verify', { verificationCode: authenticatorCode(key) });
  expect([401, 404]).toContain(second.status);
  expect((await waiting.get('/api/session')).status).toBe(401);
  const body = { password: 'willow-harbour-3075', token: t };
  const put = (id: string) => waiting.send(`/api/user/forgot-password/${id}/reset`, { method: 'PUT', body });
  const link = await put(u);
  expect([link.status, link.text]).toEqual([400, (await put('00000000-0000-4000-8000-000000000000')).text]);
  expect((await login(waiting, patient)).status).toBe(401);
});

it('F-09 an account that is locked by failed sign-ins can still be used with its sessions, tokens and links', async () => {
  const app = new SmartApp(portal, { scope: 'openid fhirUser user/*.rs offline_access' });
  const { refresh_token = '' } = await app.tokens(practitioner);
  const stranger = new Agent(portal.issuer);
  for (let count = 0; count < 5; count++) await login(stranger, { ...practitioner, password: 'wrong' });
  expect((await login(stranger, practitioner)).status).toBe(429);
  expect((await app.refresh(refresh_token)).status).toBe(200);
  expect((await app.browser.get('/api/session')).status).toBe(200);
  await stranger.post('/api/user/forgot-password', { email: practitioner.email });
  const { u, t: token } = linkInMail(await sink.to(practitioner.email));
  const body = { password: 'willow-harbour-3075', token };
  expect((await stranger.send(`/api/user/forgot-password/${u}/reset`, { method: 'PUT', body })).status).toBe(204);
});
