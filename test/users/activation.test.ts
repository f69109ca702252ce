import { SmartApp } from '../support/apps/smart-app.js';
import { publicApp } from '../support/clients/clients.js';
import { Agent } from '../support/http/agent.js';
import { errorsOf } from '../support/http/answers.js';
import { linkInMail } from '../support/mail-sink.js';
import { until } from '../support/until.js';
import { linkNoLongerValid, password, useAccountLinks } from '../support/users/account-links.js';
import { people } from '../support/users/people.js';

const links = useAccountLinks();

describe('An activation or password reset link', () => {
  const check = (id: string, token: string, purpose = 'activation', agent = new Agent(links.portal.issuer)) =>
    agent.post(`/api/user/${id}/link`, { purpose, token });

  it('F-14 H-02 names its account while it is valid, and has one refusal for all invalid links', async () => {
    const { id, email, token } = await links.createInvitedUser();
    const good = await check(id, token);
    expect([good.status, good.json()]).toEqual([
      200,
      { email, proof: null, endsTwoFactor: false, signsIn: false, returnUrl: null, app: null, elsewhere: null },
    ]);
    for (const answer of [
      await check(id, 'a'.repeat(43)),
      await check('unknown', token),
      await check('9b5a1bd4-5a7a-4a4a-9d3f-0c7c5b9f0a11', token),
      await check(id, token, 'password-reset'),
    ]) {
      expect([answer.status, answer.json().message]).toEqual([400, linkNoLongerValid]);
    }
    // Checking the link does not use it up.
    expect((await links.activate(id, token)).status).toBe(204);
    expect((await check(id, token)).status).toBe(400);
  });

  it('H-04 is locked after ten wrong tokens for its account in an hour', async () => {
    const { id, token } = await links.createInvitedUser();
    for (let tries = 0; tries < 10; tries += 1) expect((await check(id, `wrong-${tries}`)).status).toBe(400);
    expect((await check(id, token)).status).toBe(429);
  });

  it('names the authorization request of this browser, and none of another browser', async () => {
    const { id, token } = await links.createInvitedUser();
    const browser = new Agent(links.portal.issuer);
    const waiting = await new SmartApp(links.portal, { client: publicApp }, browser).begin();
    expect((await check(id, token, 'activation', browser)).json().returnUrl).toBe(waiting);
    expect((await check(id, token)).json()).toMatchObject({ returnUrl: null });
    // The newest of several requests of one client counts.
    const newer = await new SmartApp(links.portal, { client: publicApp }, browser).begin();
    expect((await check(id, token, 'activation', browser)).json().returnUrl).toBe(newer);
  });
});

describe('Activating an account', () => {
  it('sets the password and confirms the address, and does not sign the user in (H-06)', async () => {
    const { id, email, token } = await links.createInvitedUser();
    expect((await links.signIn(email, password)).status).toBe(401);
    const browser = new Agent(links.portal.issuer);
    const answer = await browser.post(`/api/user/${id}/activate`, { password, token });
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(browser.cookies.size).toBe(0);
    expect((await links.signIn(email, password)).status).toBe(200);
    expect((await links.admin.get(`/api/admin/user/${id}`)).json().emailConfirmed).toBe(true);
  });

  it('H-01 uses a token of 256 bits, of which only the hash is stored', async () => {
    const { id, token } = await links.createInvitedUser();
    expect(Buffer.from(token, 'base64url')).toHaveLength(32);
    const rows = await links.portal.query('SELECT * FROM account_link WHERE account_id = $1', [id]);
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(token);
  });

  it('H-01 refuses a link of another purpose or another account', async () => {
    const [one, two] = [await links.createInvitedUser(), await links.createInvitedUser()];
    expect((await links.reset(one.id, one.token)).status).toBe(400);
    expect((await links.activate(two.id, one.token)).status).toBe(400);
    expect((await links.activate(one.id, one.token)).status).toBe(204);
  });

  it('H-02 works once, also when twenty requests use the link at the same time on two nodes', async () => {
    const { id, token } = await links.createInvitedUser();
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => links.activate(id, token, password, i % 2)));
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(19);
    const again = await links.activate(id, token);
    expect([again.status, again.json().message]).toEqual([400, linkNoLongerValid]);
  });

  it('H-03 is refused 72 hours after the mail', async () => {
    const { id, token } = await links.createInvitedUser();
    await links.untilAllMailsAreSent();
    const [row] = await links.portal.query<{ hours: number }>(
      'SELECT extract(epoch FROM expires_at - now())::float8 / 3600 AS hours FROM account_link WHERE account_id = $1',
      [id],
    );
    expect(row?.hours).toBeGreaterThan(71.9);
    expect(row?.hours).toBeLessThanOrEqual(72);
    await links.portal.query("UPDATE account_link SET expires_at = now() - interval '1 second' WHERE account_id = $1", [
      id,
    ]);
    expect((await links.activate(id, token)).status).toBe(400);
  });

  it('R-09 is possible for the full time from the moment the mail was sent', async () => {
    await links.sink.stop();
    const email = 'later@example.org';
    const claims = [{ name: 'fhirUser', value: 'Patient/later' }];
    await links.admin.post('/api/admin/user', { fullName: 'Later', email, userType: 'Patient', claims });
    await links.portal.query(
      "UPDATE account_link SET expires_at = expires_at - interval '3 days' WHERE mail_id IN (SELECT key::uuid FROM job)",
    );
    await links.sink.restart();
    await until(async () => {
      await links.portal.query("UPDATE job SET due_at = now() WHERE due_at < now() + interval '1 minute'");
      await links.portal.query("SELECT pg_notify('mail', '')");
      return links.sink.received.some(({ to }) => to.includes(email));
    });
    const { u, t } = linkInMail(await links.sink.to(email));
    await links.untilAllMailsAreSent();
    const [row] = await links.portal.query<{ hours: number }>(
      'SELECT extract(epoch FROM expires_at - now())::float8 / 3600 AS hours FROM account_link WHERE account_id = $1',
      [u],
    );
    expect(Math.round(row?.hours ?? 0)).toBe(72);
    expect((await links.activate(u, t)).status).toBe(204);
  });

  it('H-07 is still possible after a mail scanner has opened the link', async () => {
    const { id, email, token } = await links.createInvitedUser();
    const { url } = linkInMail(await links.sink.to(email));
    const scanner = new Agent(links.portal.issuer);
    for (const address of [url, url, `/api/user/${id}/activate?token=${token}`]) await scanner.get(address);
    expect((await links.activate(id, token)).status).toBe(204);
  });

  it('signs out another user who is signed in in that browser', async () => {
    const { id, token } = await links.createInvitedUser();
    const another = new Agent(links.portal.issuer);
    const { email: username, password: word } = people.admin;
    await another.post('/api/session/login', { username, password: word });
    expect((await another.post(`/api/user/${id}/activate`, { password, token: 'wrong' })).status).toBe(400);
    expect((await another.get('/api/session')).status).toBe(200);
    expect((await another.post(`/api/user/${id}/activate`, { password, token })).status).toBe(204);
    expect((await another.get('/api/session')).status).toBe(401);
    expect((await links.admin.get('/api/session')).status).toBe(200);
  });

  it('D-07 has a page that sends its address to no other host', async () => {
    const { email } = await links.createInvitedUser();
    const { headers } = await new Agent(links.portal.issuer).get(linkInMail(await links.sink.to(email)).url);
    expect(headers['referrer-policy']).toBe('no-referrer');
  });

  it('F-14 answers an unknown account and a wrong, used or expired token with the same refusal', async () => {
    const { id, token } = await links.createInvitedUser();
    const used = await links.createInvitedUser();
    await links.activate(used.id, used.token);
    const answers = await Promise.all([
      links.activate(id, `${token}x`),
      links.activate(id, 'a'),
      links.activate('00000000-0000-4000-8000-000000000000', token),
      links.activate('no-id', token),
      links.activate(used.id, used.token),
      // The link is checked before the password.
      links.activate(id, 'a', 'short'),
    ]);
    for (const answer of answers) expect([answer.status, answer.text]).toEqual([answers[0]?.status, answers[0]?.text]);
    expect([answers[0]?.status, answers[0]?.json().message]).toEqual([400, linkNoLongerValid]);
  });

  it('H-10 is refused after ten wrong tokens for one account, also with the right token', async () => {
    const { id, token } = await links.createInvitedUser();
    for (let guess = 0; guess < 10; guess += 1) expect((await links.activate(id, `guess-${guess}`)).status).toBe(400);
    const refused = await links.activate(id, token);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3000);
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it.each<[string, string, string]>([
    ['too short', 'short', 'Password requirements not fulfilled.'],
    ['common', 'password1234', 'This password is too common. Please choose one that is harder to guess.'],
  ])('H-12 refuses a password that is %s, and the link stays valid', async (_what, chosen, message) => {
    const { id, token } = await links.createInvitedUser();
    const answer = await links.activate(id, token, chosen);
    expect(answer.status).toBe(400);
    expect(errorsOf(answer)[0]?.field).toBe('password');
    expect(errorsOf(answer)[0]?.messages).toContain(message);
    expect((await links.activate(id, token)).status).toBe(204);
  });

  it('refuses unknown members, and names missing ones', async () => {
    const { id, token } = await links.createInvitedUser();
    const agent = new Agent(links.portal.issuer);
    expect((await agent.post(`/api/user/${id}/activate`, { password, token, userType: 'Admin' })).status).toBe(400);
    expect(errorsOf(await agent.post(`/api/user/${id}/activate`, {}))).toEqual([
      { field: 'password', messages: ['Field is required'] },
      { field: 'token', messages: ['Field is required'] },
    ]);
  });
});
