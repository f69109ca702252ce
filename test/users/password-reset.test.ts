import { SmartApp } from '../support/apps/smart-app.js';
import { Agent, type Answer } from '../support/http/agent.js';
import { errorsOf } from '../support/http/answers.js';
import { linkInMail, newLink } from '../support/mail-sink.js';
import { linkNoLongerValid, newPassword, password, useAccountLinks } from '../support/users/account-links.js';
import { enableTwoFactor, login } from '../support/users/authenticator.js';
import { addPasskey } from '../support/users/passkey-device.js';
import { people } from '../support/users/people.js';

const links = useAccountLinks();
const limited = (name: string) => `DELETE FROM rate_limit WHERE key LIKE '${name}%'`;

describe('Resetting a forgotten password', () => {
  it('works by a mailed link, ends all sessions and refresh tokens, and notifies the user by mail (H-06)', async () => {
    const { id, email } = await links.createActiveUser();
    const app = new SmartApp(links.portal);
    const { refresh_token = '' } = await app.tokens({ email, password });
    const token = await links.requestResetToken(email);
    expect((await app.browser.get('/api/session')).status).toBe(200);
    const browser = new Agent(links.portal.issuer);
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
    expect((await links.signIn(email, password)).status).toBe(401);
    expect((await links.signIn(email, newPassword)).status).toBe(200);
    const notice = await links.sink.to(email, 3);
    expect(notice.mail.subject).toBe('Your password for Gatehouse was changed');
  });

  it('F-13 answers alike for every address, and sends at most five mails an hour', async () => {
    const { email } = await links.createActiveUser();
    const comparable = ({ status, text, headers }: Answer) => {
      const { 'x-correlation-id': _, date: __, 'set-cookie': cookies = [], ...rest } = headers;
      // The cookie says that a link was asked for, whether or not there is an account.
      return { status, text, rest, cookies: cookies.map((cookie) => cookie.replace(/=\d+\.[\w-]{43};/, '=…;')) };
    };
    expect(comparable(await links.requestReset('no-account@example.org'))).toEqual(
      comparable(await links.requestReset(email)),
    );
    await links.portal.query(limited('start-forgotten-password'));
    for (let times = 0; times < 6; times += 1) {
      expect((await links.requestReset(email)).status).toBe(200);
      await links.portal.query(limited('start-forgotten-password'));
    }
    const requests = await links.portal.query(
      "SELECT FROM audit_event WHERE type = 'password.reset-requested' AND subject = (SELECT id::text FROM account WHERE email = $1)",
      [email],
    );
    expect(requests).toHaveLength(5);
  });

  it('F-13 is possible for all users behind one network address, up to the general limit of starts a minute', async () => {
    const [one, two] = [await links.createActiveUser(), await links.createActiveUser()];
    const linksOf = ({ id }: { id: string }) =>
      links.portal.query("SELECT FROM account_link WHERE purpose = 'password-reset' AND account_id = $1", [id]);
    // By the second node, which refuses for the rest of the minute.
    const strangersAsk = () =>
      Promise.all(
        Array.from({ length: 20 }, (_, at) => links.requestReset(`unknown-${at}-${links.count}@example.org`, 1)),
      );
    await links.portal.query(limited('start-forgotten-password'));
    await strangersAsk();
    await links.requestReset(one.email, 1);
    expect(await linksOf(one)).toHaveLength(1);
    await links.portal.query("UPDATE rate_limit SET points = $1 WHERE key LIKE 'start-forgotten-password%'", [
      links.portal.config.limits.startsPerMinute,
    ]);
    await strangersAsk();
    expect((await links.requestReset(two.email, 1)).status).toBe(200);
    expect(await linksOf(two)).toEqual([]);
    await links.portal.query(limited('start-forgotten-password'));
  });

  it.each([
    ['', 'The Email field is required.'],
    [null, 'The Email field is required.'],
    ['unknown', 'The Email field is not a valid e-mail address'],
    ['a\u0000@example.org', 'The Email field is not a valid e-mail address'],
  ])('names the problem of the address %p', async (email, message) => {
    const answer = await links.requestReset(email);
    expect([answer.status, errorsOf(answer)]).toEqual([400, [{ field: 'email', messages: [message] }]]);
  });

  it('sends no mail for an account of an identity provider', async () => {
    const { id, email } = await links.createActiveUser();
    await links.portal.query('UPDATE account SET is_external = true WHERE id = $1', [id]);
    expect((await links.requestReset(email)).status).toBe(200);
    expect(await links.portal.query('SELECT FROM account_link WHERE account_id = $1', [id])).toEqual([]);
  });

  it('H-03 is refused one hour after the mail', async () => {
    const { id, email } = await links.createActiveUser();
    const token = await links.requestResetToken(email);
    await links.untilAllMailsAreSent();
    const [row] = await links.portal.query<{ minutes: number }>(
      'SELECT extract(epoch FROM expires_at - now())::float8 / 60 AS minutes FROM account_link WHERE account_id = $1',
      [id],
    );
    expect(Math.round(row?.minutes ?? 0)).toBe(60);
    await links.portal.query("UPDATE account_link SET expires_at = now() - interval '1 second' WHERE account_id = $1", [
      id,
    ]);
    const answer = await links.reset(id, token);
    expect([answer.status, answer.json().message]).toEqual([400, linkNoLongerValid]);
  });

  it('H-05 invalidates earlier links by a new link, a changed password or a deleted account', async () => {
    const { id, email } = await links.createActiveUser();
    const first = await links.requestResetToken(email);
    const second = await links.requestResetToken(email);
    expect((await links.reset(id, first)).status).toBe(400);
    const browser = new Agent(links.portal.issuer);
    await browser.post('/api/session/login', { username: email, password });
    const changed = await browser.post('/api/user/reset-password', { currentPassword: password, newPassword });
    expect(changed.status).toBe(204);
    expect((await links.reset(id, second, 'another-lantern-6620')).status).toBe(400);
    const third = await links.requestResetToken(email);
    expect((await links.admin.send(`/api/admin/user/${id}`, { method: 'DELETE' })).status).toBe(204);
    expect((await links.reset(id, third)).status).toBe(400);
  });

  it('H-09 sends a link to the issuer for any Host of the request', async () => {
    const { email } = await links.createActiveUser();
    const foreign = await new Agent(links.portal.issuer).post(
      '/api/user/forgot-password',
      { email },
      { headers: { host: 'evil.example' } },
    );
    expect(foreign.status).toBe(421);
    await new Agent(links.portal.issuer).post(
      '/api/user/forgot-password',
      { email },
      { headers: { 'x-forwarded-host': 'evil.example' } },
    );
    expect(linkInMail(await links.sink.to(email, 2)).url).toMatch(
      new RegExp(`^${links.portal.issuer}/password/reset\\?u=`),
    );
  });

  it('H-12 refuses the current password as the new one', async () => {
    const { id, email } = await links.createActiveUser();
    const token = await links.requestResetToken(email);
    const answer = await links.reset(id, token, password);
    expect([answer.status, errorsOf(answer)]).toEqual([
      400,
      [{ field: 'password', messages: ['The new password must differ from the one before.'] }],
    ]);
    expect((await links.reset(id, token)).status).toBe(204);
  });

  it('unlocks an account that was locked by failed sign-ins of others', async () => {
    const { id, email } = await links.createActiveUser();
    await links.signIn(email, 'a wrong one');
    expect(
      await links.portal.query("UPDATE rate_limit SET points = 100 WHERE key LIKE 'login-account%' RETURNING key"),
    ).toHaveLength(1);
    await links.signIn(email, 'a wrong one');
    expect((await links.signIn(email, password)).status).toBe(429);
    const token = await links.requestResetToken(email);
    await links.reset(id, token);
    expect((await links.signIn(email, newPassword)).status).toBe(200);
  });
});

it('R-09 no request fails while the mail server is down', async () => {
  const { email } = await links.createActiveUser();
  await links.sink.stop();
  try {
    expect((await links.requestReset(email)).status).toBe(200);
    const claims = [{ name: 'fhirUser', value: 'Patient/down' }];
    const form = { fullName: 'Down', email: 'down@example.org', userType: 'Patient', claims };
    expect((await links.admin.post('/api/admin/user', form)).status).toBe(201);
  } finally {
    await links.sink.restart();
  }
});

describe('The link of a forgotten password signs the user in', () => {
  /** Asks for a link in this browser, and returns its token. */
  async function askIn(agent: Agent, email: string): Promise<string> {
    const request = async () => expect((await agent.post('/api/user/forgot-password', { email })).status).toBe(200);
    return (await newLink(links.sink, email, '/password/reset', request)).t;
  }
  const signsIn = async (agent: Agent, id: string, token: string, purpose = 'password-reset') =>
    (await agent.post(`/api/user/${id}/link`, { purpose, token })).json<{ signsIn: boolean }>().signsIn;
  const newAgent = (node = 0) => new Agent(links.portal.issuer, links.portal.ports[node]);
  const quiet = () => links.untilAllMailsAreSent();

  it('in the browser that has asked for it, whose cookie pages cannot read', async () => {
    const { id, email } = await links.createActiveUser();
    await quiet();
    const browser = newAgent();
    const answer = await browser.post('/api/user/forgot-password', { email: ` ${email.toUpperCase()} ` });
    expect(answer.headers['set-cookie']).toEqual([
      expect.stringMatching(/^gatehouse_link_asked=\d+\.[\w-]{43}; Max-Age=7200; Path=\/; HttpOnly; SameSite=Lax$/),
    ]);
    const { t: token } = linkInMail(await links.sink.to(email, 2));
    expect(await signsIn(browser, id, token)).toBe(true);
    const other = newAgent(1);
    for (const [name, value] of browser.cookies) other.cookies.set(name, value);
    expect(await signsIn(other, id, token)).toBe(true);

    const reset = await browser.send(`/api/user/forgot-password/${id}/reset`, {
      method: 'PUT',
      body: { password: newPassword, token },
    });
    expect(reset.status).toBe(204);
    // No call of the link begins a session: the page signs in with the password, by the call of every sign-in.
    expect((await browser.get('/api/session')).status).toBe(401);
    expect(browser.cookies.has('gatehouse_link_asked')).toBe(false);
  });

  it.each<[string, (owner: { id: string; email: string }) => Promise<boolean>]>([
    ['in another browser', async ({ id, email }) => signsIn(newAgent(), id, await askIn(newAgent(), email))],
    [
      'in a browser that has asked for a link of another account (a link of an attacker, login CSRF)',
      async (victim) => {
        const attacker = await links.createActiveUser();
        await quiet();
        const browser = newAgent();
        await askIn(browser, victim.email);
        return signsIn(browser, attacker.id, await askIn(newAgent(), attacker.email));
      },
    ],
    [
      'in the browser of an attacker who has asked for the link of another account, and in that of its owner',
      async ({ id, email }) => {
        const token = await askIn(newAgent(), email);
        return (await signsIn(newAgent(), id, token)) || signsIn(newAgent(1), id, token);
      },
    ],
    [
      'to a scanner of mails that reads it before the owner, who then is',
      async ({ id, email }) => {
        const browser = newAgent();
        const token = await askIn(browser, email);
        const scanner = newAgent();
        expect((await scanner.get(`/password/reset?u=${id}&t=${token}`)).status).toBeLessThan(500);
        const scanned = await signsIn(scanner, id, token);
        expect(await signsIn(browser, id, token)).toBe(true);
        return scanned;
      },
    ],
    [
      'two hours after it was asked for',
      async ({ id, email }) => {
        const browser = newAgent();
        const token = await askIn(browser, email);
        const [until = '', proof = ''] = browser.cookies.get('gatehouse_link_asked')?.split('.') ?? [];
        const forge = (time: number) => browser.cookies.set('gatehouse_link_asked', `${time}.${proof}`);
        forge(Number(until) + 60);
        return signsIn(browser, id, token);
      },
    ],
    [
      'with an authenticator app',
      async ({ id, email }) => {
        const agent = newAgent();
        await login(agent, { email, password });
        await enableTwoFactor(agent);
        await quiet();
        const browser = newAgent();
        return signsIn(browser, id, await askIn(browser, email));
      },
    ],
    [
      'with a passkey',
      async ({ id, email }) => {
        const agent = newAgent();
        await login(agent, { email, password });
        await addPasskey(agent);
        await quiet();
        const browser = newAgent();
        return signsIn(browser, id, await askIn(browser, email));
      },
    ],
    [
      'with an invitation, also in the browser of the administrator who has sent it',
      async () => {
        const { id, token } = await links.createInvitedUser();
        return signsIn(links.admin, id, token, 'activation');
      },
    ],
    [
      'as an administrator',
      async () => {
        const browser = newAgent();
        const { id } = (await links.admin.get('/api/session')).json<{ id: string }>();
        return signsIn(browser, id, await askIn(browser, people.admin.email));
      },
    ],
  ])('not %s', async (_, attempt) => {
    const owner = await links.createActiveUser();
    await quiet();
    expect(await attempt(owner)).toBe(false);
  });

  it('not where another site has made the browser ask for it', async () => {
    const { email } = await links.createActiveUser();
    const browser = newAgent();
    const forced = await browser.post(
      '/api/user/forgot-password',
      { email },
      { headers: { origin: 'https://evil.example' } },
    );
    expect([forced.status, forced.headers['set-cookie']]).toEqual([403, undefined]);
  });
});
