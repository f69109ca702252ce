/** Administrators sign users out and unlock them, on any node, once or twice. */
import { decodeJwt } from 'jose';
import type { UserSignIn } from '../../src/contract/users/helpdesk.js';
import { useLogoutReceiver } from '../support/apps/logout-receiver.js';
import { SmartApp } from '../support/apps/smart-app.js';
import { Agent, type Answer } from '../support/http/agent.js';
import { race, raceTimeout, rounds } from '../support/http/races.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { until } from '../support/until.js';
import { login } from '../support/users/authenticator.js';
import { people } from '../support/users/people.js';

const { patient, otherPatient } = people;
const receiver = useLogoutReceiver();
const firefox = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0';
const phone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 Version/18.5 Mobile/15E148 Safari/604.1';
let portal: TestPortal;
let admin: Agent;
let id: string;

beforeAll(async () => {
  portal = await startPortal({
    nodes: 2,
    config: {
      outbound: { allowedPrivateHosts: ['localhost'] },
      clients: receiver.clients.map((client) => ({ ...client, requireConsent: false })),
      users: [people.admin, patient, otherPatient],
    },
  });
  admin = new Agent(portal.issuer);
  await login(admin, people.admin);
  id = await idOf(patient.email);
});

afterAll(() => portal.close());

beforeEach(async () => {
  await portal.query('DELETE FROM rate_limit');
  await portal.query("DELETE FROM oidc_record WHERE model = 'Session' AND account_id = $1", [id]);
});

async function idOf(email: string): Promise<string> {
  const [row] = await portal.query<{ id: string }>('SELECT id FROM account WHERE email = $1', [email]);
  return row?.id ?? '';
}

async function sessions(): Promise<UserSignIn['sessions']> {
  const answer = await admin.get(`/api/admin/user/${id}/sign-in`);
  return answer.json<UserSignIn & Record<string, unknown>>().sessions;
}

async function signedIn(userAgent = '', browser = new Agent(portal.issuer)): Promise<Agent> {
  const { email: username, password } = patient;
  const answer = await browser.post(
    '/api/session/login',
    { username, password },
    { headers: { 'user-agent': userAgent } },
  );
  expect(answer.status).toBe(200);
  return browser;
}

const isSignedIn = async (browser: Agent) => (await browser.get('/api/session')).status === 200;
const signOut = (session = '', agent = admin): Promise<Answer> =>
  agent.send(`/api/admin/user/${id}/session${session && `/${session}`}`, { method: 'DELETE' });
const ended = () =>
  portal.query<{ detail: object }>("SELECT detail FROM audit_event WHERE type = 'sessions.ended' AND subject = $1", [
    id,
  ]);

describe('The sessions of a user', () => {
  it('are listed with the browser, the times and the apps, and with nothing else', async () => {
    const browser = await signedIn(firefox);
    await new SmartApp(portal, {}, browser).tokens(patient);
    await signedIn(phone);
    await signedIn('curl/8.14.1');
    const times = { id: expect.any(String), signedIn: expect.any(String), lastUsed: expect.any(String) };
    expect(await sessions()).toEqual(
      expect.arrayContaining([
        { ...times, browser: { name: 'Firefox', system: 'Windows' }, apps: ['Heart Companion'] },
        { ...times, browser: { name: 'Safari', system: 'iOS' }, apps: [] },
        { ...times, browser: { name: null, system: null }, apps: [] },
      ]),
    );
  });

  it('that began before browsers were recorded have none', async () => {
    await signedIn(firefox);
    await portal.query("UPDATE oidc_record SET payload = payload - 'family' WHERE model = 'Session'");
    expect(await sessions()).toMatchObject([{ browser: { name: null, system: null } }]);
  });
});

describe('An administrator', () => {
  it('signs one browser of a user out on every node, and its apps are notified', async () => {
    const [first, second] = [await signedIn(firefox), await signedIn(phone)];
    const { id_token = '' } = await new SmartApp(portal, {}, first).tokens(patient);
    const one = (await sessions()).find(({ browser }) => browser.name === 'Firefox');
    const before = (await ended()).length;
    expect((await signOut(one?.id)).status).toBe(204);
    for (const port of portal.ports) {
      first.port = port;
      expect(await isSignedIn(first)).toBe(false);
    }
    expect(await isSignedIn(second)).toBe(true);
    await until(() => receiver.tokens.length === 1);
    expect(decodeJwt(receiver.tokens[0]?.token ?? '').sid).toBe(decodeJwt(id_token).sid);
    expect((await signOut(one?.id)).status).toBe(204);
    expect(await ended()).toHaveLength(before + 1);
    expect((await ended()).at(-1)).toEqual({ detail: { sessions: 1 } });
  });

  it('signs all browsers of a user out, and no other user', async () => {
    const browsers = [await signedIn(firefox), await signedIn(phone)];
    const other = new Agent(portal.issuer);
    await login(other, otherPatient);
    expect((await signOut()).status).toBe(204);
    for (const browser of browsers) expect(await isSignedIn(browser)).toBe(false);
    expect([await isSignedIn(other), await isSignedIn(admin)]).toEqual([true, true]);
  });

  it.each(['0', 'unknown', '%00', '%F0%9F%92%A5', 'x'.repeat(2000), "';--"])(
    'signs no browser out by the id %j',
    async (session) => {
      const browser = await signedIn();
      expect((await signOut(session)).status).toBeLessThan(500);
      expect(await isSignedIn(browser)).toBe(true);
    },
  );

  it('does not sign out by the id of another user’s session', async () => {
    const browser = await signedIn();
    const [session] = await sessions();
    const other = `/api/admin/user/${await idOf(otherPatient.email)}/session/${session?.id}`;
    expect((await admin.send(other, { method: 'DELETE' })).status).toBe(204);
    expect(await isSignedIn(browser)).toBe(true);
  });

  it('does none of it to an administrator, or to an unknown user', async () => {
    for (const user of [await idOf(people.admin.email), '00000000-0000-4000-8000-000000000000', 'no-id']) {
      const at = `/api/admin/user/${user}`;
      const answers = [
        await admin.get(`${at}/sign-in`),
        await admin.send(`${at}/session`, { method: 'DELETE' }),
        await admin.send(`${at}/session/x`, { method: 'DELETE' }),
        await admin.post(`${at}/unlock`, undefined),
        await admin.post(`${at}/reset-second-factor`, { currentPassword: people.admin.password }),
      ];
      expect([user, ...answers.map(({ status }) => status)]).toEqual([user, 404, 404, 404, 404, 404]);
    }
    expect(await isSignedIn(admin)).toBe(true);
  });
});

describe('At the same time on two nodes', () => {
  it(
    'administrators who sign a user out are all answered, and it is recorded once',
    async () => {
      for (let round = 0; round < rounds; round += 1) {
        const browsers = [await signedIn(firefox), await signedIn(phone)];
        const before = (await ended()).length;
        const answers = await race(portal, (agent) => {
          agent.cookies.clear();
          for (const [name, value] of admin.cookies) agent.cookies.set(name, value);
          return signOut('', agent);
        });
        expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 204));
        for (const browser of browsers) expect(await isSignedIn(browser)).toBe(false);
        expect(await ended()).toHaveLength(before + 1);
      }
    },
    raceTimeout,
  );

  it(
    'a user who signs in while they are signed out is signed in or not, and never gets a failure',
    async () => {
      for (let round = 0; round < rounds; round += 1) {
        const answers = await race(
          portal,
          async (agent, index) => {
            if (index % 2 === 0) return (await signOut()) && signOut();
            return login(agent, patient);
          },
          8,
        );
        expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
        await signOut();
        expect(await sessions()).toEqual([]);
      }
    },
    raceTimeout,
  );
});
