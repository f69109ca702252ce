import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { SmartApp } from '../../support/apps/smart-app.js';
import { publicApp } from '../../support/clients/clients.js';
import { Agent } from '../../support/http/agent.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { people } from '../../support/users/people.js';

const quietApp = { ...publicApp, clientId: 'quiet-app', requireConsent: false };
const minute = 60;
const hour = 60 * minute;

let portal: TestPortal;

beforeAll(async () => {
  portal = await startPortal({ config: { users: Object.values(people), clients: [publicApp, quietApp] } });
});

afterAll(() => portal.close());

function signIn(browser: Agent, person: { email: string; password: string }, more: object = {}) {
  const { email: username, password } = person;
  return browser.post('/api/session/login', { username, password, ...more });
}

async function signedIn(
  person: { email: string; password: string } = people.patient,
  more: object = {},
): Promise<Agent> {
  const browser = new Agent(portal.issuer);
  expect((await signIn(browser, person, more)).status).toBe(200);
  return browser;
}

const statusOf = async (browser: Agent, path = '/api/session') => (await browser.get(path)).status;

/** Seconds until the newest session expires. */
async function secondsLeft(): Promise<number> {
  const [row] = await portal.query<{ left: number }>(
    "SELECT extract(epoch FROM expires_at - now())::float8 AS left FROM oidc_record WHERE model = 'Session' ORDER BY created_at DESC LIMIT 1",
  );
  return row?.left ?? 0;
}

/** Changes the sessions as if the users had been idle for this time. */
const idle = (seconds: number) =>
  portal.query(
    "UPDATE oidc_record SET expires_at = expires_at - make_interval(secs => $1), last_used_at = last_used_at - make_interval(secs => $1) WHERE model = 'Session'",
    [seconds],
  );

/** Changes the sessions as if all users had signed in this much earlier and been active since. */
const signedInEarlier = (seconds: number) =>
  portal.query(
    "UPDATE oidc_record SET payload = jsonb_set(payload, '{loginTs}', to_jsonb((payload ->> 'loginTs')::int - $1::int)) WHERE model = 'Session'",
    [seconds],
  );

describe('The cookies of the portal', () => {
  it('E-02 get a new session id with each sign-in, and the earlier ids are invalid', async () => {
    const browser = await signedIn();
    const first = new Map(browser.cookies);
    expect((await signIn(browser, people.patient)).status).toBe(200);
    const second = new Map(browser.cookies);
    expect((await signIn(browser, people.otherPatient)).status).toBe(200);
    expect(await statusOf(browser)).toBe(200);
    for (const cookies of [first, second]) {
      const old = new Agent(portal.issuer);
      for (const [name, value] of cookies) old.cookies.set(name, value);
      expect(await statusOf(old)).toBe(401);
    }
  });

  it('E-02 that were set before the sign-in are worthless after it', async () => {
    const attacker = new SmartApp(portal);
    await attacker.authorize();
    const victim = new Agent(portal.issuer);
    for (const [name, value] of attacker.browser.cookies) victim.cookies.set(name, value);
    victim.cookies.set('gatehouse_session', 'planted-by-an-attacker');
    await signIn(victim, people.patient);
    expect(victim.cookies.get('gatehouse_session')).not.toBe('planted-by-an-attacker');
    expect(await statusOf(attacker.browser)).toBe(401);
  });

  it('E-02 are replaced at the sign-in itself, so that the app’s request does not have to', async () => {
    const app = new SmartApp(portal, { client: quietApp });
    await app.signIn(people.otherPatient);
    const before = new Map(app.browser.cookies);
    const again = new SmartApp(portal, { client: quietApp, parameters: { prompt: 'login' } }, app.browser);
    const returnUrl = await again.begin();
    await again.signIn(people.otherPatient, returnUrl);
    const after = app.browser.cookies.get('gatehouse_session');
    expect(await again.follow(returnUrl)).toContain('code=');
    expect(app.browser.cookies.get('gatehouse_session')).toBe(after);
    expect(await statusOf(app.browser)).toBe(200);
    const old = new Agent(portal.issuer);
    for (const [name, value] of before) old.cookies.set(name, value);
    expect(await statusOf(old)).toBe(401);
  });

  it('are refused when their value was changed', async () => {
    const browser = await signedIn();
    browser.cookies.set('gatehouse_session', `${browser.cookies.get('gatehouse_session')}x`);
    expect(await statusOf(browser)).toBe(401);
    browser.cookies.set('gatehouse_session', 'x'.repeat(10_000));
    expect(await statusOf(browser)).toBe(401);
  });
});

describe('A call that changes data', () => {
  const change = (browser: Agent, headers: Record<string, string>) =>
    browser.send('/api/grant?clientId=unknown', { method: 'DELETE', headers });

  it('E-03 E-05 is refused from another site, also for signing in', async () => {
    const browser = await signedIn();
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: portal.issuer.replace('http:', 'https:') },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: portal.issuer, 'sec-fetch-site': 'cross-site' },
    ] as Record<string, string>[]) {
      const answer = await change(browser, headers);
      expect([headers, answer.status]).toEqual([headers, 403]);
      expect(Object.keys(answer.json()).sort()).toEqual(['codes', 'errors', 'message', 'statusMessage', 'title']);
      const { email: username, password } = people.otherPatient;
      const forced = await browser.post('/api/session/login', { username, password }, { headers });
      expect(forced.status).toBe(403);
    }
    expect((await browser.get('/api/session')).json()).toMatchObject({ email: people.patient.email });
  });

  it('E-03 is accepted from the portal’s own pages, and from clients other than browsers', async () => {
    const browser = await signedIn();
    expect((await change(browser, { origin: portal.issuer, 'sec-fetch-site': 'same-origin' })).status).toBe(404);
    expect((await change(browser, {})).status).toBe(404);
  });

  it('E-04 must have a JSON body, which a form of another site cannot send', async () => {
    const { email: username, password } = people.patient;
    const browser = new Agent(portal.issuer);
    const form = await browser.postForm('/api/session/login', { username, password });
    const text = await browser.post('/api/session/login', JSON.stringify({ username, password }), {
      headers: { 'content-type': 'text/plain' },
    });
    expect([form.status, text.status]).toEqual([415, 415]);
    expect(await statusOf(browser)).toBe(401);
  });
});

describe('A session', () => {
  it('E-07 ends 30 minutes after its last use, and 15 for an administrator', async () => {
    const patient = await signedIn();
    expect(await secondsLeft()).toBeCloseTo(30 * minute, -1);
    await idle(30 * minute - 20);
    expect(await statusOf(patient)).toBe(200);
    expect(await secondsLeft()).toBeCloseTo(30 * minute, -1);
    await idle(30 * minute + 1);
    expect(await statusOf(patient)).toBe(401);
    const admin = await signedIn(people.admin);
    expect(await secondsLeft()).toBeCloseTo(15 * minute, -1);
    await idle(15 * minute + 1);
    expect(await statusOf(admin)).toBe(401);
  });

  it('E-07 is not extended by the dashboard’s polling', async () => {
    const admin = await signedIn(people.admin);
    await idle(10 * minute);
    const before = await secondsLeft();
    for (let poll = 0; poll < 3; poll += 1) {
      expect(await statusOf(admin, '/api/admin/dashboard/firely-server-status')).toBe(200);
    }
    expect(await secondsLeft()).toBeLessThanOrEqual(before);
    expect(await statusOf(admin, '/api/admin/dashboard')).toBe(200);
    expect(await secondsLeft()).toBeGreaterThan(before + 5 * minute);
  });

  it('E-07 reports its remaining time, which does not extend it', async () => {
    const timeLeft = async (browser: Agent) => (await browser.get('/api/session/time-left')).json();
    const admin = await signedIn(people.admin);
    const fresh = await timeLeft(admin);
    expect(fresh).toEqual({ secondsLeft: expect.any(Number), warnAt: 2 * minute, extendable: false });
    expect(Math.abs(Number(fresh.secondsLeft) - 15 * minute)).toBeLessThan(5);
    await idle(13 * minute);
    const before = await secondsLeft();
    for (let times = 0; times < 3; times += 1) {
      const { secondsLeft: left, extendable } = await timeLeft(admin);
      expect([Number(left) <= 2 * minute, extendable]).toEqual([true, true]);
    }
    expect(await secondsLeft()).toBeLessThanOrEqual(before);
    expect(await statusOf(admin)).toBe(200);
    expect(Number((await timeLeft(admin)).secondsLeft)).toBeGreaterThan(14 * minute);
    await signedInEarlier(12 * hour - minute);
    await idle(14 * minute);
    expect((await timeLeft(admin)).extendable).toBe(false);
    await idle(hour);
    expect(await statusOf(admin, '/api/session/time-left')).toBe(401);
  });

  it('E-08 ends after twelve hours of use, by pages and by apps alike', async () => {
    const app = new SmartApp(portal, { client: quietApp });
    await app.signIn(people.patient);
    await signedInEarlier(12 * hour - 5 * minute);
    await idle(29 * minute);
    expect(await statusOf(app.browser)).toBe(200);
    expect(await secondsLeft()).toBeLessThanOrEqual(5 * minute + 1);
    expect((await app.authorize()).location).toContain('code=');
    expect(await secondsLeft()).toBeLessThanOrEqual(5 * minute + 1);
  });

  it('E-08 that is remembered lasts two weeks for a patient, and no longer than others for an administrator', async () => {
    const patient = await signedIn(people.patient, { rememberLogin: true });
    expect(await secondsLeft()).toBeCloseTo(14 * 24 * hour, -1);
    await signedInEarlier(13 * 24 * hour);
    await idle(13 * 24 * hour);
    expect(await statusOf(patient)).toBe(200);
    expect(await secondsLeft()).toBeLessThanOrEqual(24 * hour + 1);
    await signedIn(people.admin, { rememberLogin: true });
    expect(await secondsLeft()).toBeCloseTo(15 * minute, -1);
  });

  it('E-08 ends when the browser is closed, unless it is remembered', async () => {
    const lineOf = async (more: object) => {
      const answer = await signIn(new Agent(portal.issuer), people.patient, more);
      return answer.headers['set-cookie']?.find((line) => line.startsWith('gatehouse_session='));
    };
    expect(await lineOf({})).not.toMatch(/expires|max-age/i);
    expect(await lineOf({ rememberLogin: true })).toMatch(/expires=/i);
    const app = new SmartApp(portal, { client: quietApp });
    await app.signIn(people.patient);
    const resumed = await app.authorize();
    for (const line of resumed.headers['set-cookie'] ?? []) {
      if (line.startsWith('gatehouse_session=')) expect(line).not.toMatch(/expires|max-age/i);
    }
  });
});

describe('Signing in with a password', () => {
  it('F-01 has one error message for all reasons, and reports an incomplete account only after the right password', async () => {
    await portal.query('UPDATE account SET user_type = $1 WHERE email = $2', ['Incomplete', people.practitioner.email]);
    const attempt = (username: string, password: string) =>
      new Agent(portal.issuer).post('/api/session/login', { username, password });
    const answers = [
      await attempt(people.patient.email, 'not-the-password'),
      await attempt('no-account@example.org', 'not-the-password'),
      await attempt('no address at all', 'not-the-password'),
      await attempt(people.practitioner.email, 'not-the-password'),
    ];
    const seen = answers.map(({ status, text, headers }) => ({
      status,
      text,
      headers: { ...headers, date: '', 'x-correlation-id': '' },
    }));
    for (const one of seen) expect(one).toEqual(seen[0]);
    expect(seen[0]?.status).toBe(401);
    const owner = await attempt(people.practitioner.email, people.practitioner.password);
    expect([owner.status, owner.json().message]).toEqual([
      403,
      'Your account setup has not been completed yet. Please try again later.',
    ]);
    expect(owner.headers['set-cookie']?.some((line) => line.includes('session')) ?? false).toBe(false);
  });

  it('is refused with a client error for a malformed form', async () => {
    const { email: username, password } = people.patient;
    for (const body of [
      {},
      [],
      'null',
      '{',
      { username },
      { username, password, isAdmin: true },
      { username: { $ne: '' }, password },
      { username: ['a'], password },
      { username: `${username}\u0000`, password },
      { username: '\ud800@example.org', password },
      { username: 'x'.repeat(10_000), password },
      { username, password: 'x'.repeat(10_000) },
      { username, password, rememberLogin: 'yes' },
      { username, password, returnUrl: 1 },
      `{"username":"a","password":"${'x'.repeat(300_000)}"}`,
      `{"__proto__":{"username":"a"},"password":"b"}`,
    ]) {
      const answer = await new Agent(portal.issuer).post('/api/session/login', body);
      expect([400, 401, 413]).toContain(answer.status);
      expect(Object.keys(answer.json()).sort()).toEqual(['codes', 'errors', 'message', 'statusMessage', 'title']);
    }
  });
});

describe('A session that ends during a request', () => {
  /** Ends all sessions of an account, as a new password does, in a transaction that the request has to wait for. */
  async function endDuring<T>(request: () => Promise<T>): Promise<T> {
    const ending = new pg.Client(portal.connection);
    await ending.connect();
    try {
      await ending.query('BEGIN');
      await ending.query("DELETE FROM oidc_record WHERE model = 'Session'");
      const answer = request();
      await sleep(300);
      await ending.query('COMMIT');
      return await answer;
    } finally {
      await ending.end();
    }
  }

  it('E-10 is not restored by an app’s request, which gets no code', async () => {
    const app = new SmartApp(portal, { client: quietApp });
    await app.signIn(people.patient);
    await portal.query("DELETE FROM oidc_record WHERE model <> 'Session'");
    const answer = await endDuring(() => app.authorize());
    expect(String(answer.location)).not.toContain('code=');
    expect(await statusOf(app.browser)).toBe(401);
    expect(
      await portal.query("SELECT FROM oidc_record WHERE model IN ('Session', 'AuthorizationCode', 'Grant')"),
    ).toEqual([]);
  });

  it('E-10 is not restored by continuing an authorization', async () => {
    const app = new SmartApp(portal, { client: quietApp });
    const returnUrl = await app.begin();
    await app.signIn(people.patient, returnUrl);
    const at = await endDuring(() => app.follow(returnUrl));
    expect(at).not.toContain('code=');
    expect(await statusOf(app.browser)).toBe(401);
  });

  it('E-10 is not restored by a sign-in in it', async () => {
    const browser = await signedIn();
    const old = new Map(browser.cookies);
    await endDuring(() => signIn(browser, people.patient));
    const before = new Agent(portal.issuer);
    for (const [name, value] of old) before.cookies.set(name, value);
    expect(await statusOf(before)).toBe(401);
  });

  it('E-09 has ended also when its sign-out coincides with a change of its id', async () => {
    for (let round = 0; round < 10; round += 1) {
      const app = new SmartApp(portal, { client: quietApp });
      const returnUrl = await app.begin();
      await app.signIn(people.patient, returnUrl);
      const other = new Agent(portal.issuer);
      for (const [name, value] of app.browser.cookies) other.cookies.set(name, value);
      await Promise.all([app.follow(returnUrl), other.signOut()]);
      expect(await statusOf(app.browser)).toBe(401);
      expect(await statusOf(other)).toBe(401);
    }
  });
});

it('E-07 a session with an idle limit of one minute is extended by use', async () => {
  const account = { ...portal.config.account, session: { ...portal.config.account.session, idleMinutes: 1 } };
  const brief = await startPortal({ config: { users: [people.patient], account } });
  try {
    const browser = new Agent(brief.issuer);
    expect((await signIn(browser, people.patient)).status).toBe(200);
    await brief.query(
      "UPDATE oidc_record SET expires_at = now() + interval '40 seconds', last_used_at = now() - interval '20 seconds'",
    );
    expect((await browser.get('/api/session/time-left')).json()).toMatchObject({ warnAt: 20, extendable: true });
    expect(await statusOf(browser)).toBe(200);
    expect(Number((await browser.get('/api/session/time-left')).json().secondsLeft)).toBeGreaterThan(50);
  } finally {
    await brief.close();
  }
});
