import { Limits } from '../../src/platform/limits/limits.js';
import { Agent, type Answer } from '../support/http/agent.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { isLong } from '../support/runs.js';
import { KeptUsers } from '../support/users/kept-users.js';
import { people } from '../support/users/people.js';

const { patient, practitioner } = people;
let portal: TestPortal;
let users: KeptUsers;

beforeAll(async () => {
  portal = await startPortal({
    nodes: 2,
    // The tests act as a proxy, so that they can use many addresses.
    config: { users: [patient, practitioner], server: { trustedProxies: ['127.0.0.1'] } },
  });
  users = await KeptUsers.of(portal);
});
beforeEach(() => users.restore());
afterAll(() => portal.close());

interface Attempt {
  username?: string;
  password?: string;
  from?: string;
  node?: number;
  browser?: Agent;
}

/** An attempt to sign in, by default the patient's with a wrong password from one address. */
function attempt({
  username = patient.email,
  password = 'not the password',
  from = '192.0.2.1',
  node = 0,
  browser = new Agent(portal.issuer, portal.ports[node]),
}: Attempt = {}): Promise<Answer> {
  return browser.post('/api/session/login', { username, password }, { headers: { 'x-forwarded-for': from } });
}

async function statuses(attempts: Attempt[]): Promise<number[]> {
  const given: number[] = [];
  for (const one of attempts) given.push((await attempt(one)).status);
  return given;
}

const times = (count: number, one: (index: number) => Attempt = () => ({})) =>
  Array.from({ length: count }, (_, index) => one(index));

async function letPass(limit: string): Promise<void> {
  await portal.query('DELETE FROM rate_limit WHERE key LIKE $1', [`${limit}:%`]);
}

describe('failed sign-ins to one account from one address', () => {
  it('F-03 F-05 are limited to five in five minutes over both nodes; then the right password is refused, too', async () => {
    expect(await statuses(times(5, (index) => ({ node: index % 2 })))).toEqual([401, 401, 401, 401, 401]);
    const refused = await attempt({ password: patient.password, node: 1 });
    expect(refused.status).toBe(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(240);
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(300);
  });

  it('F-03 are counted together for all spellings of the account’s address', async () => {
    const written = ['amelia.ward@example.org', 'AMELIA.WARD@EXAMPLE.ORG', ' Amelia.Ward@example.org '];
    expect(await statuses(times(6, (index) => ({ username: written[index % 3] ?? '' })))).toEqual([
      401, 401, 401, 401, 401, 429,
    ]);
  });

  it('F-01 F-03 are limited in the same way for an address without an account', async () => {
    for (const username of ['unknown@example.org', `${'x'.repeat(240)}@example.org`]) {
      expect(await statuses(times(6, () => ({ username })))).toEqual([401, 401, 401, 401, 401, 429]);
    }
    const [known, unknown] = [await attempt(), await attempt({ username: 'another@example.org' })];
    expect([unknown.status, unknown.text]).toEqual([known.status, known.text]);
  });

  it('F-03 are counted from zero after the right password', async () => {
    for (let round = 0; round < 3; round++) {
      expect(await statuses(times(4))).toEqual([401, 401, 401, 401]);
      expect((await attempt({ password: patient.password })).status).toBe(200);
    }
  });

  it('F-03 do not lock the account at another address, nor another account at this address', async () => {
    await statuses(times(6));
    expect((await attempt({ password: patient.password, from: '192.0.2.2' })).status).toBe(200);
    expect((await attempt({ username: practitioner.email, password: practitioner.password })).status).toBe(200);
  });

  it('F-06 have at most five of many simultaneous passwords verified', async () => {
    const many = isLong ? 500 : 100;
    const answers = await Promise.all(times(many, (index) => ({ node: index % 2 })).map(attempt));
    const count = (status: number) => answers.filter((answer) => answer.status === status).length;
    expect([count(401), count(429)]).toEqual([5, many - 5]);
  });

  it('F-05 leave no rows behind when they no longer count', async () => {
    await statuses(times(2));
    await portal.query("UPDATE rate_limit SET expire = 1 WHERE key LIKE 'login-pair:%'");
    expect(await portal.apps[0]?.get(Limits, { strict: false }).sweep()).toBe(1);
    expect(await portal.query("SELECT FROM rate_limit WHERE key LIKE 'login-pair:%'")).toEqual([]);
    expect(await portal.query("SELECT FROM rate_limit WHERE key LIKE 'login-account:%'")).toHaveLength(1);
  });

  it('F-05 are limited also while the counters cannot be stored', async () => {
    await portal.query('ALTER TABLE rate_limit RENAME TO away');
    try {
      expect(await statuses(times(6))).toEqual([401, 401, 401, 401, 401, 429]);
    } finally {
      await portal.query('ALTER TABLE away RENAME TO rate_limit');
    }
  });
});

describe('failed sign-ins to one account from many addresses', () => {
  const from = (index: number) => `198.51.100.${index}`;

  /** For so long that a slow machine does not outlast the delay. */
  async function delayOwner(): Promise<void> {
    await statuses(times(11, (index) => ({ from: from(index) })));
    await portal.query("UPDATE rate_limit SET points = 1000 WHERE key LIKE 'login-account:%'");
    await letPass('login-delay');
    await attempt({ from: from(12) });
  }

  it('F-03 permit one attempt after a growing delay from the tenth failure on', async () => {
    expect(await statuses(times(10, (index) => ({ from: from(index) })))).toEqual(Array(10).fill(401));
    await portal.query("UPDATE rate_limit SET points = 14 WHERE key LIKE 'login-account:%'");
    for (const [failure, delay] of [32, 64, 128].entries()) {
      expect((await attempt({ from: from(20 + failure) })).status).toBe(401);
      const refused = await attempt({ from: from(30 + failure), password: patient.password });
      expect(refused.status).toBe(429);
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(delay / 2);
      expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(delay);
      await letPass('login-delay');
    }
    // After the delay the right password succeeds and resets the limit.
    expect((await attempt({ from: from(40), password: patient.password })).status).toBe(200);
    expect((await attempt({ from: from(41) })).status).toBe(401);
  });

  it('F-03 delay the owner by at most a quarter of an hour', async () => {
    await delayOwner();
    const wait = Number((await attempt({ from: from(13) })).headers['retry-after']);
    expect(wait).toBeGreaterThan(450);
    expect(wait).toBeLessThanOrEqual(900);
  });

  it('F-03 do not delay the owner in a browser that was signed in before', async () => {
    const browser = new Agent(portal.issuer);
    expect((await attempt({ browser, password: patient.password, from: from(30) })).status).toBe(200);
    await delayOwner();
    await statuses(times(6, () => ({ from: from(30) })));
    expect((await attempt({ password: patient.password, from: from(30) })).status).toBe(429);
    expect((await attempt({ browser, password: patient.password, from: from(30) })).status).toBe(200);
  });

  it('G-10 are not delayed in a known browser for its own account only, and not for a forged cookie', async () => {
    const browser = new Agent(portal.issuer);
    await attempt({ browser, username: practitioner.email, password: practitioner.password, from: from(30) });
    await delayOwner();
    expect((await attempt({ browser, password: patient.password, from: from(30) })).status).toBe(429);
    for (const value of ['x', 'a.9999999999.', `a.9999999999.${'b'.repeat(43)}`]) {
      browser.cookies.set('gatehouse_known', value);
      expect((await attempt({ browser, password: patient.password, from: from(30) })).status).toBe(429);
    }
  });

  it('F-03 are limited to five in a known browser, which then counts as unknown', async () => {
    const browser = new Agent(portal.issuer);
    await attempt({ browser, password: patient.password });
    await delayOwner();
    expect(await statuses(times(6, () => ({ browser })))).toEqual([401, 401, 401, 401, 401, 429]);
  });
});

describe('failed sign-ins to many accounts from one address', () => {
  const username = (index: number) => `person${index}@example.org`;

  it('F-04 are limited to fifty accounts an hour; then the right password is refused, too', async () => {
    const first = await Promise.all(times(50, (index) => ({ username: username(index) })).map(attempt));
    expect(first.map(({ status }) => status)).toEqual(Array(50).fill(401));
    const refused = await attempt({ password: patient.password });
    expect([refused.status, Number(refused.headers['retry-after']) > 3500]).toEqual([429, true]);
    expect((await attempt({ password: patient.password, from: '192.0.2.9' })).status).toBe(200);
  });

  it('F-04 count an account once, and not when its owner signs in', async () => {
    await Promise.all(times(48, (index) => ({ username: username(index) })).map(attempt));
    for (let count = 0; count < 3; count++) expect((await attempt({ password: patient.password })).status).toBe(200);
    expect(await statuses(times(3, () => ({ username: username(0) })))).toEqual([401, 401, 401]);
    expect(
      await statuses([{ username: username(48) }, { username: username(49) }, { username: username(50) }]),
    ).toEqual([401, 401, 429]);
  });

  it('F-04 are counted per IPv6 network, and forwarded headers from untrusted peers are ignored', async () => {
    const attempts = times(50, (index) => ({ username: username(index), from: `2001:db8::${index}` }));
    await Promise.all(attempts.map(attempt));
    expect((await attempt({ from: '2001:db8:0:0:ffff::1' })).status).toBe(429);
    expect((await attempt({ from: '2001:db8:0:1::1' })).status).toBe(401);
    // The client wrote the entries before the proxy's own one.
    expect((await attempt({ from: '203.0.113.7, 2001:db8::1' })).status).toBe(429);
  });

  it('F-15 with stolen pairs are limited over both nodes, and each failure is recorded', async () => {
    const [{ last } = { last: '0' }] = await portal.query<{ last: string }>(
      'SELECT coalesce(max(id), 0) AS last FROM audit_event',
    );
    const pairs = times(80, (index) => ({ username: username(index), node: index % 2 }));
    // The right credentials are at the end of the list.
    const fitting = [patient, practitioner].map(({ email, password }, node) => ({ username: email, password, node }));
    const answers = [...(await Promise.all(pairs.map(attempt))), ...(await Promise.all(fitting.map(attempt)))];
    const count = (status: number) => answers.filter((answer) => answer.status === status).length;
    expect([count(200), count(401), count(429)]).toEqual([0, 50, 32]);
    const [recorded] = await portal.query<{ failures: number }>(
      `SELECT count(*)::int AS failures FROM audit_event
        WHERE id > $1 AND type = 'login' AND outcome = 'failure' AND address = '192.0.2.1'`,
      [last],
    );
    expect(recorded?.failures).toBe(50);
    expect((await attempt({ password: patient.password, from: '192.0.2.9' })).status).toBe(200);
  });
});
