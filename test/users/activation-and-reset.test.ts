import type { ProblemBody } from '../../src/contract/problem.js';
import type { UserView } from '../../src/contract/users.js';
import { Agent, type Answer } from '../support/agent.js';
import { publicApp } from '../support/clients.js';
import { linkOf, type MailSink, startMailSink } from '../support/mail-sink.js';
import { people } from '../support/people.js';
import { startPortal, type TestPortal } from '../support/portal.js';
import { SmartApp } from '../support/smart-app.js';
import { until } from '../support/until.js';

const password = 'copper-meadow-8841';
const newPassword = 'willow-harbour-3075';
const noLongerValid = 'This link is no longer valid. Please ask for a new one.';
const limited = (name: string) => `DELETE FROM rate_limit WHERE key LIKE '${name}%'`;

let sink: MailSink;
let portal: TestPortal;
let admin: Agent;
let counter = 0;

async function signIn(email: string, word: string): Promise<Answer> {
  return new Agent(portal.issuer).post('/api/session/login', { username: email, password: word });
}

/** A new patient and the link that was sent. */
async function invited(): Promise<{ id: string; email: string; token: string }> {
  counter += 1;
  const email = `invited-${counter}@example.org`;
  const claims = [{ name: 'fhirUser', value: `Patient/${counter}` }];
  const answer = await admin.post('/api/admin/user', { fullName: 'Ida Field', email, userType: 'Patient', claims });
  const { id } = answer.json<UserView & Record<string, unknown>>();
  return { id, email, token: linkOf(await sink.to(email)).t };
}

async function active(): Promise<{ id: string; email: string }> {
  const { id, email, token } = await invited();
  expect((await activate(id, token)).status).toBe(204);
  return { id, email };
}

/** The link that a person gets who forgot the password; `count` mails have come to the address by then. */
async function forgotten(email: string, count = 2): Promise<string> {
  expect((await forgot(email)).status).toBe(200);
  return linkOf(await sink.to(email, count)).t;
}

/** All mail that was posted has been handed over. */
async function allSent(): Promise<void> {
  await until(async () => (await portal.query("SELECT FROM job WHERE kind = 'mail'")).length === 0);
}

const activate = (id: string, token: string, chosen = password, node = 0) =>
  new Agent(portal.issuer, portal.ports[node]).post(`/api/user/${id}/activate`, { password: chosen, token });
const reset = (id: string, token: string, chosen = newPassword, node = 0) =>
  new Agent(portal.issuer, portal.ports[node]).send(`/api/user/forgot-password/${id}/reset`, {
    method: 'PUT',
    body: { password: chosen, token },
  });
const forgot = (email: unknown, node = 0) =>
  new Agent(portal.issuer, portal.ports[node]).post('/api/user/forgot-password', { email });
const errorsOf = (answer: Answer) => answer.json<ProblemBody & Record<string, unknown>>().errors;

beforeAll(async () => {
  sink = await startMailSink();
  portal = await startPortal({
    nodes: 2,
    config: { email: sink.config, clients: [publicApp], users: [people.admin, people.patient] },
  });
  admin = new Agent(portal.issuer);
  const { email: username, password } = people.admin;
  expect((await admin.post('/api/session/login', { username, password })).status).toBe(200);
});

afterAll(async () => {
  await portal.close();
  await sink.stop();
});

beforeEach(() => portal.query('DELETE FROM rate_limit'));

describe('An activation or password reset link', () => {
  const check = (id: string, token: string, purpose = 'activation', agent = new Agent(portal.issuer)) =>
    agent.post(`/api/user/${id}/link`, { purpose, token });

  it('F-14 H-02 names its account while it is valid, and has one refusal for all invalid links', async () => {
    const { id, email, token } = await invited();
    const good = await check(id, token);
    expect([good.status, good.json()]).toEqual([200, { email, returnUrl: null }]);
    for (const answer of [
      await check(id, 'a'.repeat(43)),
      await check('unknown', token),
      await check('9b5a1bd4-5a7a-4a4a-9d3f-0c7c5b9f0a11', token),
      await check(id, token, 'password-reset'),
    ]) {
      expect([answer.status, answer.json().message]).toEqual([400, noLongerValid]);
    }
    // Looking does not use it up.
    expect((await activate(id, token)).status).toBe(204);
    expect((await check(id, token)).status).toBe(400);
  });

  it('H-04 is locked after ten wrong tokens for its account in an hour', async () => {
    const { id, token } = await invited();
    for (let tries = 0; tries < 10; tries += 1) expect((await check(id, `wrong-${tries}`)).status).toBe(400);
    expect((await check(id, token)).status).toBe(429);
  });

  it('names the authorization request of this browser, and none of another browser', async () => {
    const { id, token } = await invited();
    const browser = new Agent(portal.issuer);
    const waiting = await new SmartApp(portal, { client: publicApp }, browser).begin();
    const { returnUrl } = (await check(id, token, 'activation', browser)).json<{ returnUrl: string }>();
    expect(new URL(returnUrl, portal.issuer).searchParams.get('ix')).toBe(
      new URL(waiting, portal.issuer).searchParams.get('ix'),
    );
    expect((await check(id, token)).json()).toMatchObject({ returnUrl: null });
    await new SmartApp(portal, { client: publicApp }, browser).begin();
    expect((await check(id, token, 'activation', browser)).json()).toMatchObject({ returnUrl: null });
  });
});

describe('Activating an account', () => {
  it('sets the password and confirms the address, and does not sign the user in (H-06)', async () => {
    const { id, email, token } = await invited();
    expect((await signIn(email, password)).status).toBe(401);
    const browser = new Agent(portal.issuer);
    const answer = await browser.post(`/api/user/${id}/activate`, { password, token });
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(browser.cookies.size).toBe(0);
    expect((await signIn(email, password)).status).toBe(200);
    expect((await admin.get(`/api/admin/user/${id}`)).json().emailConfirmed).toBe(true);
  });

  it('H-01 uses a token of 256 bits, of which only the hash is stored', async () => {
    const { id, token } = await invited();
    expect(Buffer.from(token, 'base64url')).toHaveLength(32);
    const rows = await portal.query('SELECT * FROM account_link WHERE account_id = $1', [id]);
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(token);
  });

  it('H-01 refuses a link of another purpose or another account', async () => {
    const [one, two] = [await invited(), await invited()];
    expect((await reset(one.id, one.token)).status).toBe(400);
    expect((await activate(two.id, one.token)).status).toBe(400);
    expect((await activate(one.id, one.token)).status).toBe(204);
  });

  it('H-02 works once, also when twenty requests use the link at the same time on two nodes', async () => {
    const { id, token } = await invited();
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => activate(id, token, password, i % 2)));
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(19);
    const again = await activate(id, token);
    expect([again.status, again.json().message]).toEqual([400, noLongerValid]);
  });

  it('H-03 is refused 72 hours after the mail', async () => {
    const { id, token } = await invited();
    await allSent();
    const [row] = await portal.query<{ hours: number }>(
      'SELECT extract(epoch FROM expires_at - now())::float8 / 3600 AS hours FROM account_link WHERE account_id = $1',
      [id],
    );
    expect(row?.hours).toBeGreaterThan(71.9);
    expect(row?.hours).toBeLessThanOrEqual(72);
    await portal.query("UPDATE account_link SET expires_at = now() - interval '1 second' WHERE account_id = $1", [id]);
    expect((await activate(id, token)).status).toBe(400);
  });

  it('R-09 is possible for the full time from the moment the mail was sent', async () => {
    await sink.stop();
    const email = 'later@example.org';
    const claims = [{ name: 'fhirUser', value: 'Patient/later' }];
    await admin.post('/api/admin/user', { fullName: 'Later', email, userType: 'Patient', claims });
    await portal.query(
      "UPDATE account_link SET expires_at = expires_at - interval '3 days' WHERE mail_id IN (SELECT key::uuid FROM job)",
    );
    await sink.restart();
    await until(async () => {
      await portal.query("UPDATE job SET due_at = now() WHERE due_at < now() + interval '1 minute'");
      await portal.query("SELECT pg_notify('mail', '')");
      return sink.received.some(({ to }) => to.includes(email));
    });
    const { u, t } = linkOf(await sink.to(email));
    await allSent();
    const [row] = await portal.query<{ hours: number }>(
      'SELECT extract(epoch FROM expires_at - now())::float8 / 3600 AS hours FROM account_link WHERE account_id = $1',
      [u],
    );
    expect(Math.round(row?.hours ?? 0)).toBe(72);
    expect((await activate(u, t)).status).toBe(204);
  });

  it('H-07 is still possible after a mail scanner has opened the link', async () => {
    const { id, email, token } = await invited();
    const { url } = linkOf(await sink.to(email));
    const scanner = new Agent(portal.issuer);
    for (const address of [url, url, `/api/user/${id}/activate?token=${token}`]) await scanner.get(address);
    expect((await activate(id, token)).status).toBe(204);
  });

  it('signs out another user who is signed in in that browser', async () => {
    const { id, token } = await invited();
    const another = new Agent(portal.issuer);
    const { email: username, password: word } = people.admin;
    await another.post('/api/session/login', { username, password: word });
    expect((await another.post(`/api/user/${id}/activate`, { password, token: 'wrong' })).status).toBe(400);
    expect((await another.get('/api/session')).status).toBe(200);
    expect((await another.post(`/api/user/${id}/activate`, { password, token })).status).toBe(204);
    expect((await another.get('/api/session')).status).toBe(401);
    expect((await admin.get('/api/session')).status).toBe(200);
  });

  it('D-07 has a page that sends its address to no other host', async () => {
    const { email } = await invited();
    const { headers } = await new Agent(portal.issuer).get(linkOf(await sink.to(email)).url);
    expect(headers['referrer-policy']).toBe('no-referrer');
  });

  it('F-14 answers an unknown account and a wrong, used or expired token with the same refusal', async () => {
    const { id, token } = await invited();
    const used = await invited();
    await activate(used.id, used.token);
    const answers = await Promise.all([
      activate(id, `${token}x`),
      activate(id, 'a'),
      activate('00000000-0000-4000-8000-000000000000', token),
      activate('no-id', token),
      activate(used.id, used.token),
      // Nothing is said about a password before the link was looked at.
      activate(id, 'a', 'short'),
    ]);
    for (const answer of answers) expect([answer.status, answer.text]).toEqual([answers[0]?.status, answers[0]?.text]);
    expect([answers[0]?.status, answers[0]?.json().message]).toEqual([400, noLongerValid]);
  });

  it('H-10 is refused after ten wrong tokens for one account, also with the right token', async () => {
    const { id, token } = await invited();
    for (let guess = 0; guess < 10; guess += 1) expect((await activate(id, `guess-${guess}`)).status).toBe(400);
    const refused = await activate(id, token);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3000);
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it.each<[string, string, string]>([
    ['too short', 'short', 'Password requirements not fulfilled.'],
    ['common', 'password1234', 'This password is too common. Please choose one that is harder to guess.'],
  ])('H-12 refuses a password that is %s, and the link stays valid', async (_what, chosen, message) => {
    const { id, token } = await invited();
    const answer = await activate(id, token, chosen);
    expect(answer.status).toBe(400);
    expect(errorsOf(answer)[0]?.field).toBe('password');
    expect(errorsOf(answer)[0]?.messages).toContain(message);
    expect((await activate(id, token)).status).toBe(204);
  });

  it('refuses unknown members, and names missing ones', async () => {
    const { id, token } = await invited();
    const agent = new Agent(portal.issuer);
    expect((await agent.post(`/api/user/${id}/activate`, { password, token, userType: 'Admin' })).status).toBe(400);
    expect(errorsOf(await agent.post(`/api/user/${id}/activate`, {}))).toEqual([
      { field: 'password', messages: ['Field is required'] },
      { field: 'token', messages: ['Field is required'] },
    ]);
  });
});

describe('Resetting a forgotten password', () => {
  it('works by a mailed link, ends all sessions and refresh tokens, and notifies the user by mail (H-06)', async () => {
    const { id, email } = await active();
    const app = new SmartApp(portal);
    const { refresh_token = '' } = await app.tokens({ email, password });
    const token = await forgotten(email);
    expect((await app.browser.get('/api/session')).status).toBe(200);
    const browser = new Agent(portal.issuer);
    expect(
      (
        await browser.send(`/api/user/forgot-password/${id}/reset`, {
          method: 'PUT',
          body: { password: newPassword, token },
        })
      ).status,
    ).toBe(204);
    expect(browser.cookies.size).toBe(0);
    expect((await app.browser.get('/api/session')).status).toBe(401);
    expect((await app.refresh(refresh_token)).status).toBe(400);
    expect((await signIn(email, password)).status).toBe(401);
    expect((await signIn(email, newPassword)).status).toBe(200);
    const notice = await sink.to(email, 3);
    expect(notice.mail.subject).toBe('Your password for Gatehouse was changed');
  });

  it('F-13 answers alike for every address, and sends at most five mails an hour', async () => {
    const { email } = await active();
    const sameOf = ({ status, text, headers }: Answer) => {
      const { 'x-correlation-id': _, date: __, ...rest } = headers;
      return { status, text, rest };
    };
    expect(sameOf(await forgot('nobody@example.org'))).toEqual(sameOf(await forgot(email)));
    await portal.query(limited('start-forgotten-password'));
    for (let times = 0; times < 6; times += 1) {
      expect((await forgot(email)).status).toBe(200);
      await portal.query(limited('start-forgotten-password'));
    }
    const links = await portal.query(
      "SELECT FROM audit_event WHERE type = 'password.reset-requested' AND subject = (SELECT id::text FROM account WHERE email = $1)",
      [email],
    );
    expect(links).toHaveLength(5);
  });

  it('F-13 is possible for all users behind one network address, up to the general limit of starts a minute', async () => {
    const [one, two] = [await active(), await active()];
    const linksOf = ({ id }: { id: string }) =>
      portal.query("SELECT FROM account_link WHERE purpose = 'password-reset' AND account_id = $1", [id]);
    // By the second node, which refuses for the rest of the minute.
    const strangersAsk = () =>
      Promise.all(Array.from({ length: 20 }, (_, at) => forgot(`unknown-${at}-${counter}@example.org`, 1)));
    await portal.query(limited('start-forgotten-password'));
    await strangersAsk();
    await forgot(one.email, 1);
    expect(await linksOf(one)).toHaveLength(1);
    await portal.query("UPDATE rate_limit SET points = $1 WHERE key LIKE 'start-forgotten-password%'", [
      portal.config.limits.startsPerMinute,
    ]);
    await strangersAsk();
    expect((await forgot(two.email, 1)).status).toBe(200);
    expect(await linksOf(two)).toEqual([]);
    await portal.query(limited('start-forgotten-password'));
  });

  it.each([
    ['', 'The Email field is required.'],
    [null, 'The Email field is required.'],
    ['unknown', 'The Email field is not a valid e-mail address'],
    ['a\u0000@example.org', 'The Email field is not a valid e-mail address'],
  ])('names the problem of the address %p', async (email, message) => {
    const answer = await forgot(email);
    expect([answer.status, errorsOf(answer)]).toEqual([400, [{ field: 'email', messages: [message] }]]);
  });

  it('sends no mail for an account of an identity provider', async () => {
    const { id, email } = await active();
    await portal.query('UPDATE account SET is_external = true WHERE id = $1', [id]);
    expect((await forgot(email)).status).toBe(200);
    expect(await portal.query('SELECT FROM account_link WHERE account_id = $1', [id])).toEqual([]);
  });

  it('H-03 is refused one hour after the mail', async () => {
    const { id, email } = await active();
    const token = await forgotten(email);
    await allSent();
    const [row] = await portal.query<{ minutes: number }>(
      'SELECT extract(epoch FROM expires_at - now())::float8 / 60 AS minutes FROM account_link WHERE account_id = $1',
      [id],
    );
    expect(Math.round(row?.minutes ?? 0)).toBe(60);
    await portal.query("UPDATE account_link SET expires_at = now() - interval '1 second' WHERE account_id = $1", [id]);
    const answer = await reset(id, token);
    expect([answer.status, answer.json().message]).toEqual([400, noLongerValid]);
  });

  it('H-05 invalidates earlier links by a new link, a changed password or a deleted account', async () => {
    const { id, email } = await active();
    const first = await forgotten(email);
    const second = await forgotten(email, 3);
    expect((await reset(id, first)).status).toBe(400);
    const browser = new Agent(portal.issuer);
    await browser.post('/api/session/login', { username: email, password });
    const changed = await browser.post('/api/user/reset-password', { currentPassword: password, newPassword });
    expect(changed.status).toBe(204);
    expect((await reset(id, second, 'another-lantern-6620')).status).toBe(400);
    const third = await forgotten(email, 5);
    expect((await admin.send(`/api/admin/user/${id}`, { method: 'DELETE' })).status).toBe(204);
    expect((await reset(id, third)).status).toBe(400);
  });

  it('H-09 sends a link to the issuer, whatever Host the request has', async () => {
    const { email } = await active();
    const foreign = await new Agent(portal.issuer).post(
      '/api/user/forgot-password',
      { email },
      { headers: { host: 'evil.example' } },
    );
    expect(foreign.status).toBe(421);
    await new Agent(portal.issuer).post(
      '/api/user/forgot-password',
      { email },
      { headers: { 'x-forwarded-host': 'evil.example' } },
    );
    expect(linkOf(await sink.to(email, 2)).url).toMatch(new RegExp(`^${portal.issuer}/password/reset\\?u=`));
  });

  it('H-12 refuses the current password as the new one', async () => {
    const { id, email } = await active();
    const token = await forgotten(email);
    const answer = await reset(id, token, password);
    expect([answer.status, errorsOf(answer)]).toEqual([
      400,
      [{ field: 'password', messages: ['The new password must differ from the one before.'] }],
    ]);
    expect((await reset(id, token)).status).toBe(204);
  });

  it('unlocks an account that was locked by failed sign-ins of others', async () => {
    const { id, email } = await active();
    await signIn(email, 'a wrong one');
    expect(
      await portal.query("UPDATE rate_limit SET points = 100 WHERE key LIKE 'login-account%' RETURNING key"),
    ).toHaveLength(1);
    await signIn(email, 'a wrong one');
    expect((await signIn(email, password)).status).toBe(429);
    const token = await forgotten(email);
    await reset(id, token);
    expect((await signIn(email, newPassword)).status).toBe(200);
  });
});

it('R-09 no request fails while the mail server is down', async () => {
  const { email } = await active();
  await sink.stop();
  try {
    expect((await forgot(email)).status).toBe(200);
    const claims = [{ name: 'fhirUser', value: 'Patient/down' }];
    const form = { fullName: 'Down', email: 'down@example.org', userType: 'Patient', claims };
    expect((await admin.post('/api/admin/user', form)).status).toBe(201);
  } finally {
    await sink.restart();
  }
});
