import { randomUUID } from 'node:crypto';
import { decodeJwt } from 'jose';
import type { UserSignIn } from '../../src/contract/users/helpdesk.js';
import type { CopiedInvitation, UserView } from '../../src/contract/users/users.js';
import { managementScope } from '../../src/oidc/domain/access-tokens.js';
import { basicAuthorization, SmartApp } from '../support/apps/smart-app.js';
import { backendService, publicApp, sharedSecret } from '../support/clients/clients.js';
import { Agent, type Answer } from '../support/http/agent.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { linkNoLongerValid, newPassword, password } from '../support/users/account-links.js';
import { alterAccounts, login, signInByPassword } from '../support/users/authenticator.js';
import { PasskeyDevice, passkeyOptions, signInByPasskey } from '../support/users/passkey-device.js';
import { people } from '../support/users/people.js';

const app = { ...publicApp, requireConsent: false, allowContactScopes: true, alwaysIncludeUserClaimsInIdToken: true };
const manager = { ...backendService, clientId: 'manager', clientName: 'Provisioning', clientType: 'ManagementApi' };

let portal: TestPortal;
let admin: Agent;
let count = 0;

beforeAll(async () => {
  portal = await startPortal({
    config: { clients: [app, manager], users: [people.admin, people.patient] },
  });
  admin = await signInByPassword(portal, people.admin);
});

beforeEach(() => portal.query('DELETE FROM rate_limit'));
afterAll(() => portal.close());

async function invited(): Promise<{ id: string; email: string }> {
  count += 1;
  const email = `handed-${count}@example.org`;
  const claims = [{ name: 'fhirUser', value: `Patient/${count}` }];
  const answer = await admin.post('/api/admin/user', { fullName: 'Ida Field', email, userType: 'Patient', claims });
  expect(answer.status).toBe(201);
  return answer.json<{ id: string; email: string } & Record<string, unknown>>();
}

const ask = (id: string, by = admin): Promise<Answer> => by.post(`/api/admin/user/${id}/invitation-link`, undefined);
async function copied(id: string): Promise<{ token: string; expires: string }> {
  const answer = await ask(id);
  expect([answer.status, answer.text]).toEqual([201, expect.stringContaining('/account/activate?u=')]);
  const { link, expires } = answer.json<CopiedInvitation & Record<string, unknown>>();
  const { searchParams, origin, pathname } = new URL(link);
  expect([origin, pathname, searchParams.get('u')]).toEqual([new URL(portal.issuer).origin, '/account/activate', id]);
  return { token: searchParams.get('t') ?? '', expires };
}
const stranger = () => new Agent(portal.issuer);
const activate = (id: string, token: string) => stranger().post(`/api/user/${id}/activate`, { password, token });
const helpFor = async (id: string) =>
  (await admin.get(`/api/admin/user/${id}/sign-in`)).json<UserSignIn & Record<string, unknown>>();
async function isVerified(browser: Agent): Promise<unknown> {
  const inApp = new SmartApp(portal, { client: app, scope: 'openid email' }, browser);
  const code = new URL(await inApp.follow(inApp.authorizationPath)).searchParams.get('code') ?? '';
  const { id_token } = (await inApp.exchange(code)).json<{ id_token: string }>();
  return decodeJwt(id_token).email_verified;
}

describe('The link of an invitation, where no mail server is configured,', () => {
  it('is shown to an administrator once, works once for 72 hours, and is stored as a hash', async () => {
    const { id, email } = await invited();
    const { token, expires } = await copied(id);
    const hours = (Date.parse(expires) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(71.9);
    expect(hours).toBeLessThanOrEqual(72);
    for (const table of ['account_link', 'job', 'audit_event']) {
      expect(JSON.stringify(await portal.query(`SELECT * FROM ${table}`))).not.toContain(token);
    }
    expect(await portal.query("SELECT FROM job WHERE kind = 'mail'")).toEqual([]);
    expect((await activate(id, token)).status).toBe(204);
    expect((await login(stranger(), { email, password })).status).toBe(200);
    const again = await activate(id, token);
    expect([again.status, again.json().message]).toEqual([400, linkNoLongerValid]);
  });

  it('ends the link before', async () => {
    const { id } = await invited();
    const [first, second] = [await copied(id), await copied(id)];
    expect((await activate(id, first.token)).status).toBe(400);
    expect((await activate(id, second.token)).status).toBe(204);
  });

  it('is recorded with the administrator and the user', async () => {
    const { id } = await invited();
    await copied(id);
    const events = "SELECT user_id, outcome, detail FROM audit_event WHERE subject = $1 AND type LIKE 'user.inv%'";
    const [{ id: adminId } = { id: '' }] = await portal.query<{ id: string }>(
      'SELECT id FROM account WHERE email = $1',
      [people.admin.email],
    );
    expect(await portal.query(events, [id])).toEqual([{ user_id: adminId, outcome: 'success', detail: {} }]);
  });

  it('is given five times a day for a user, as invitations by mail are', async () => {
    const { id } = await invited();
    for (let times = 1; times <= 5; times += 1) await copied(id);
    expect((await ask(id)).status).toBe(429);
  });

  it('is offered in the help for a user until the invitation is accepted', async () => {
    const { id } = await invited();
    expect(await helpFor(id)).toMatchObject({ canCopyInvitation: true, obstacles: [{ code: 'invitation-waits' }] });
    const { token, expires } = await copied(id);
    const [obstacle] = (await helpFor(id)).obstacles;
    expect([obstacle?.code, Math.abs(Date.parse(obstacle?.until ?? '') - Date.parse(expires)) < 5000]).toEqual([
      'not-activated',
      true,
    ]);
    await activate(id, token);
    expect(await helpFor(id)).toMatchObject({ canCopyInvitation: false, obstacles: [] });
  });

  it.each<[kind: string, status: number, change: string]>([
    ['a user with a password', 409, "email_confirmed = true, password_hash = 'x'"],
    ['a user with passkeys alone', 409, 'email_confirmed = true'],
    ['a user of another provider', 409, "is_external = true, issuer = 'https://login.example', subject = 's'"],
    ['an administrator', 404, "user_type = 'Admin', claims = '[]'"],
  ])('is refused for %s', async (_kind, status, change) => {
    const { id } = await invited();
    await alterAccounts(portal, `UPDATE account SET ${change} WHERE id = '${id}'`);
    expect((await ask(id)).status).toBe(status);
    await alterAccounts(portal, `DELETE FROM account WHERE id = '${id}'`);
    expect((await ask(id)).status).toBe(404);
  });

  it('is given for a practitioner and for an account that only acts for patients', async () => {
    const email = 'handed-doctor@example.org';
    const claims = [{ name: 'fhirUser', value: 'Practitioner/7' }];
    const doctor = { fullName: 'Dora Field', email, userType: 'Practitioner', claims };
    const { id } = (await admin.post('/api/admin/user', doctor)).json<UserView & Record<string, unknown>>();
    expect((await activate(id, (await copied(id)).token)).status).toBe(204);
    const carer = await invited();
    await alterAccounts(
      portal,
      `UPDATE account SET user_type = 'RelatedPerson', claims = '[]' WHERE id = '${carer.id}'`,
    );
    expect((await activate(carer.id, (await copied(carer.id)).token)).status).toBe(204);
  });

  it('is for administrators at a browser: no service, patient or visitor gets it', async () => {
    const { id } = await invited();
    const form = { grant_type: 'client_credentials', scope: managementScope };
    const headers = basicAuthorization(manager.clientId, sharedSecret);
    const token = (await stranger().postForm('/connect/token', form, { headers })).json<{ access_token: string }>();
    const service = await stranger().send(`/api/admin/user/${id}/invitation-link`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token.access_token}` },
    });
    expect(service.status).toBe(403);
    expect((await ask(id, await signInByPassword(portal, people.patient))).status).toBe(403);
    expect((await ask(id, stranger())).status).toBe(401);
    expect((await ask(randomUUID())).status).toBe(404);
  });

  it('proves no address: apps get it as not verified, also after the user has changed the password', async () => {
    const { id, email } = await invited();
    await activate(id, (await copied(id)).token);
    const browser = stranger();
    await login(browser, { email, password });
    expect(await isVerified(browser)).toBe(false);
    const change = { currentPassword: password, newPassword };
    expect((await browser.post('/api/user/reset-password', change)).status).toBe(204);
    const later = stranger();
    await login(later, { email, password: newPassword });
    expect(await isVerified(later)).toBe(false);
  });

  it('leaves the address unproven for administrators, until a link by mail sets a password', async () => {
    const { id, email } = await invited();
    const list = `/api/admin/user?searchTerm=${email}`;
    const seen = async () => [
      (await admin.get(`/api/admin/user/${id}`)).json<UserView & Record<string, unknown>>(),
      (await admin.get(list)).json<{ users: UserView[] }>().users[0],
    ];
    for (const user of await seen()) expect(user).toMatchObject({ emailConfirmed: false });
    await activate(id, (await copied(id)).token);
    for (const user of await seen()) expect(user).toMatchObject({ emailConfirmed: true, emailUnproven: true });
    await alterAccounts(portal, `UPDATE account SET email_unproven = false WHERE id = '${id}'`);
    for (const user of await seen()) expect(user).not.toHaveProperty('emailUnproven');
  });

  it('takes a passkey in place of a password, which proves no address either', async () => {
    const { id } = await invited();
    const { token } = await copied(id);
    const browser = stranger();
    const device = new PasskeyDevice(portal.issuer);
    const link = { purpose: 'activation', token };
    const response = device.register(await passkeyOptions(browser, `/api/user/${id}/passkey/options`, link));
    expect((await browser.post(`/api/user/${id}/passkey`, { ...link, response })).status).toBe(204);
    expect((await signInByPasskey(browser, device)).status).toBe(200);
    expect(await isVerified(browser)).toBe(false);
    expect((await ask(id)).status).toBe(409);
  });
});
