import { Limits } from '../../../src/platform/limits/limits.js';
import { basicAuthorization, SmartApp } from '../../support/apps/smart-app.js';
import { backendService, publicApp, sharedSecret } from '../../support/clients/clients.js';
import { DatabaseProxy } from '../../support/database/database-proxy.js';
import { Agent, type Answer } from '../../support/http/agent.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { until } from '../../support/until.js';
import { people } from '../../support/users/people.js';

const startsPerMinute = 200;
const bundle = startsPerMinute / 100;
const provider = {
  scheme: 'hospital',
  displayName: 'Hospital ID',
  // No server listens there.
  authority: 'http://localhost:9',
  clientId: 'gatehouse',
  clientSecret: 'not-a-secret',
};

let portal: TestPortal;
let proxy: DatabaseProxy;
const heard: string[] = [];

beforeAll(async () => {
  portal = await startPortal({
    nodes: 2,
    config: {
      server: { trustedProxies: ['127.0.0.1'] },
      limits: { startsPerMinute },
      identityProviders: [provider],
      users: [people.patient],
      clients: [publicApp, backendService],
    },
    reachDatabase: (database) => {
      proxy = new DatabaseProxy(database, (sql) => heard.push(sql));
      return proxy.open();
    },
  });
});

afterAll(async () => {
  await portal.close();
  await proxy.shut();
});

const rows = async (table: string) => (await portal.query(`SELECT FROM ${table}`)).length;

/** Extends the minute of the limit, so that a slow machine cannot leave it. */
const holdTheMinute = (from: string) =>
  portal.query(
    `INSERT INTO rate_limit (key, points, expire)
     SELECT 'start-' || kind || ':' || $1, 0, (extract(epoch FROM now()) + 3600) * 1000
       FROM unnest(ARRAY['authorization', 'pushed-authorization', 'external-sign-in', 'sign-out']) kind`,
    [from],
  );

type Begin = (agent: Agent, headers: Record<string, string>) => Promise<Answer>;
const query = () => new SmartApp(portal, { client: publicApp }).query();
const form = () => Object.fromEntries(new URLSearchParams(query()));
/** A sign-in at an identity provider is stored only if the provider can be reached. */
const starts: Record<string, { begin: Begin; table: string; rows: number; status: number }> = {
  'an authorization request': {
    begin: (agent, headers) => agent.get(`/connect/authorize?${query()}`, { headers }),
    table: 'oidc_record',
    rows: 1,
    status: 303,
  },
  'a request that is pushed': {
    begin: (agent, headers) => agent.postForm('/connect/par', form(), { headers }),
    table: 'oidc_record',
    rows: 1,
    status: 201,
  },
  'a sign-in at another provider': {
    begin: (agent, headers) => agent.get('/connect/authorize/external?scheme=hospital', { headers }),
    table: 'external_sign_in',
    rows: 0,
    status: 303,
  },
  'a sign-out': {
    begin: (agent, headers) => agent.get('/connect/endsession', { headers }),
    table: 'oidc_record',
    rows: 1,
    status: 200,
  },
};

/** Begins this number at once, at the two nodes in turn. */
function beginMany(begin: Begin, from: string, count: number): Promise<Answer[]> {
  const headers = { 'x-forwarded-for': from, accept: 'text/html' };
  return Promise.all(
    Array.from({ length: count }, (_, index) => begin(new Agent(portal.issuer, portal.ports[index % 2]), headers)),
  );
}

describe('S-04 The number of starts without a sign-in', () => {
  it.each(Object.keys(starts))(
    'is limited per address and minute over all nodes, and refused starts store nothing: %s',
    async (name) => {
      const { begin, table, rows: each, status } = starts[name] as (typeof starts)[string];
      const from = `203.0.113.${Object.keys(starts).indexOf(name) + 1}`;
      await holdTheMinute(from);
      const empty = await rows(table);
      const given: Answer[] = [];
      for (let round = 0; round < 6; round += 1) given.push(...(await beginMany(begin, from, startsPerMinute / 5)));
      const before = await rows(table);
      const accepted = given.filter((answer) => answer.status === status);
      const refused = given.filter((answer) => answer.status === 429);
      expect(accepted.length + refused.length).toBe(given.length);
      expect(before - empty).toBe(accepted.length * each);
      expect(accepted.length).toBeLessThanOrEqual(startsPerMinute);
      // A node reserves starts in bundles; the unused rest of a bundle is not available to the other node.
      expect(accepted.length).toBeGreaterThan(startsPerMinute - bundle);

      const [again] = await beginMany(begin, from, 1);
      expect(again?.status).toBe(429);
      expect(again?.location).toBeUndefined();
      expect(Number(again?.headers['retry-after'])).toBeGreaterThan(0);
      expect(await rows(table)).toBe(before);

      const [elsewhere] = await beginMany(begin, '203.0.113.200', 1);
      expect(elsewhere?.status).toBe(status);
    },
  );
});

describe('A client address that has reached the limit of starts', () => {
  const from = '198.51.100.7';
  const headers = { 'x-forwarded-for': from };

  beforeAll(async () => {
    await holdTheMinute(from);
    for (const { begin } of Object.values(starts)) await beginMany(begin, from, startsPerMinute + 2 * bundle);
  });

  it('sees a page in the browser', async () => {
    for (const path of [`/connect/authorize?${query()}`, '/connect/authorize/external?scheme=hospital']) {
      const page = await new Agent(portal.issuer).get(path, { headers: { ...headers, accept: 'text/html' } });
      expect([page.status, page.headers['content-type']]).toEqual([429, 'text/html; charset=utf-8']);
      expect(page.text).toContain('<meta name="gatehouse-error" content="429">');
    }
  });

  it('gets an OAuth error as an app', async () => {
    const answer = await new Agent(portal.issuer).postForm('/connect/par', form(), { headers });
    expect([answer.status, answer.json()]).toEqual([
      429,
      {
        error: 'temporarily_unavailable',
        error_description: `too many requests, please wait. Reference: ${answer.headers['x-launch-reference']}`,
        error_uri: `${portal.issuer}/help/errors/temporarily_unavailable`,
      },
    ]);
  });

  it('is redirected to the refusal after posting a form', async () => {
    const posted = await new Agent(portal.issuer).postForm('/connect/authorize', form(), { headers });
    expect(posted.status).toBe(303);
    expect((await new Agent(portal.issuer).get(posted.location ?? '', { headers })).status).toBe(429);
  });

  it('can continue earlier requests and get tokens', async () => {
    const issued = await new Agent(portal.issuer).postForm(
      '/connect/token',
      { grant_type: 'client_credentials', scope: 'system/*.rs' },
      { headers: { ...headers, ...basicAuthorization(backendService.clientId, sharedSecret) } },
    );
    expect(issued.status).toBe(200);
    const resumed = await new Agent(portal.issuer).get(`/connect/authorize/${'a'.repeat(43)}`, { headers });
    expect(resumed.status).toBe(400);
  });
});

describe('A limit for frequent requests', () => {
  const limits = () => portal.apps[0]?.get(Limits, { strict: false }) as Limits;
  /** Without the removal of expired rows, once a minute. */
  const counts = () => heard.filter((sql) => sql.includes('rate_limit') && !sql.startsWith('DELETE')).length;

  it('reads the database once for a hundredth of its points, and not at all when they are used up', async () => {
    const limit = { name: 'often', points: 1000, seconds: 3600 };
    const before = counts();
    for (let taken = 0; taken < 1000; taken += 1) await limits().takeReservedPoint(limit, 'key');
    expect(counts() - before).toBe(100);
    await expect(limits().takeReservedPoint(limit, 'key')).rejects.toMatchObject({ kind: 'throttled' });
    const full = counts();
    for (let refused = 0; refused < 50; refused += 1) {
      await expect(limits().takeReservedPoint(limit, 'key')).rejects.toMatchObject({ kind: 'throttled' });
    }
    expect(counts()).toBe(full);
    await limits().takeReservedPoint(limit, 'another key');
  });

  it('has all its points again when its time is over', async () => {
    const limit = { name: 'short', points: 3, seconds: 1 };
    const isGiven = () =>
      limits()
        .takeReservedPoint(limit, 'key')
        .then(
          () => true,
          () => false,
        );
    await until(async () => !(await isGiven()));
    await until(isGiven);
  });
});
