import { randomUUID } from 'node:crypto';
import { type RequestOptions, request } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { fileBodyType, filesPath } from '../../src/contract/rules/request-files.js';
import type { UserType } from '../../src/contract/session.js';
import { Agent } from '../support/http/agent.js';
import { addressOf, type Route, routesOf } from '../support/http/routes.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { isLong } from '../support/runs.js';
import { people } from '../support/users/people.js';

/** GET routes with an effect, each with its own protection (security E-06). */
const changingReads = [/^\/logout$/, /^\/connect\/authorize\/external$/, /^\/federation\//];

let portal: TestPortal;
let routes: Route[];
const browsers = new Map<string, Agent>();

beforeAll(async () => {
  portal = await startPortal({ config: { users: Object.values(people) } });
  routes = routesOf(portal);
  for (const { email: username, password, userType } of [people.admin, people.patient, people.practitioner]) {
    const browser = new Agent(portal.issuer);
    expect((await browser.post('/api/session/login', { username, password })).status).toBe(200);
    browsers.set(userType, browser);
  }
});

afterAll(() => portal.close());

/** The address of the route for an unknown id. */
const absent = (route: Pick<Route, 'path'>) => addressOf(route, randomUUID);

const takesBody = ({ method }: Route) => method !== 'GET' && method !== 'DELETE';

const call = (browser: Agent, route: Route) =>
  browser.send(absent(route), { method: route.method, ...(takesBody(route) ? bodyFor(route) : {}) });

/** A file has a type of its own. */
const bodyFor = ({ path }: Route) =>
  path === filesPath ? { body: 'file', headers: { 'content-type': fileBodyType } } : { body: {} };

/** The status of a request that browsers cannot send. */
const statusOf = (line: RequestOptions): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const { host } = new URL(portal.issuer);
    const options = { host: '127.0.0.1', port: portal.ports[0], path: '/api/session', headers: { host }, ...line };
    request(options, (answer) => resolve(answer.resume().statusCode))
      .on('error', reject)
      .end();
  });

describe('Every route', () => {
  it('I-01 declares which callers it admits', () => {
    expect(routes.length).toBeGreaterThan(20);
    expect(routes.filter(({ access }) => access === undefined)).toEqual([]);
    for (const { path, access } of routes.filter((route) => route.path.startsWith('/api/admin'))) {
      // The first administrator is created while no user can be signed in.
      if (/adminmanagement/.test(path)) continue;
      expect([path, access]).toEqual([path, { to: 'user-types', types: ['Admin'] }]);
    }
  });

  it('I-01 refuses a caller who is not signed in', async () => {
    for (const route of routes.filter(({ access }) => access?.to === 'user-types')) {
      const answer = await call(new Agent(portal.issuer), route);
      expect([route.method, route.path, answer.status]).toEqual([route.method, route.path, 401]);
      expect(Object.keys(answer.json()).sort()).toEqual(['codes', 'errors', 'message', 'statusMessage', 'title']);
    }
  });

  const levels = (count: number) => `{"username":${'['.repeat(count)}${']'.repeat(count)}}`;
  const tooMuch: [string, string][] = [
    ['101 levels', levels(101)],
    ['3,000 levels', levels(3_000)],
    ['20,000 levels', levels(20_000)],
    ['100,000 levels', levels(100_000)],
    ['20,000 members', JSON.stringify(Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`k${at}`, 1])))],
    ['80,000 items', JSON.stringify({ claims: Array(80_000).fill({}) })],
  ];
  // Usually a third of the routes is tried with each.
  it.each(tooMuch.map(([what, body], number) => ({ what, body, number })))(
    'S-05 refuses a body with $what, with a message',
    async ({ body, number }) => {
      const isJson = ({ path }: Route) => path.startsWith('/api/') && path !== filesPath;
      const all = routes.filter((one) => takesBody(one) && isJson(one));
      for (const route of all.filter((_, index) => isLong || index % 3 === number % 3)) {
        const browser = browsers.get('Admin') ?? new Agent(portal.issuer);
        const answer = await browser.send(absent(route), { method: route.method, body });
        expect([route.path, answer.status, answer.text.length < 500]).toEqual([route.path, 400, true]);
      }
    },
  );

  it('is refused at another spelling or form of its address', async () => {
    const browser = browsers.get('Admin') ?? new Agent(portal.issuer);
    for (const path of ['/API/session', '/api/Session', '/METRICS']) {
      const answer = await browser.get(path, { headers: { accept: 'application/json' } });
      expect([path, answer.status]).toEqual([path, 404]);
    }
    // The absolute form of an address (RFC 9112 §3.2.2), and two Host headers.
    for (const line of [
      { path: `${portal.issuer}/api/session` },
      { path: 'http://evil.example/api/session' },
      { path: '*', method: 'OPTIONS' },
      { headers: ['Host', new URL(portal.issuer).host, 'Host', 'evil.example'] },
      { headers: ['Host', 'evil.example', 'Host', new URL(portal.issuer).host] },
    ]) {
      expect([line, await statusOf(line)]).toEqual([line, 400]);
    }
  });

  it.each(['Patient', 'Practitioner', 'Admin'] as const)(
    'I-01 I-02 admits %s only where it declares so',
    async (type) => {
      const browser = browsers.get(type) ?? new Agent(portal.issuer);
      for (const route of routes) {
        const { access } = route;
        if (access?.to !== 'user-types' || access.types.includes(type)) continue;
        const answer = await call(browser, route);
        expect([route.method, route.path, answer.status]).toEqual([route.method, route.path, 403]);
      }
      const open = routes.filter(
        ({ access }) => access?.to === 'user-types' && access.types.includes(type as UserType),
      );
      for (const route of open.filter(({ method }) => method === 'GET')) {
        const { status } = await call(browser, route);
        expect([route.path, status]).not.toEqual([route.path, 401]);
        expect(status).toBeLessThan(500);
      }
    },
  );

  it('E-06 changes nothing when it is called by GET', async () => {
    const reads = routes.filter(
      ({ method, path }) => method === 'GET' && !changingReads.some((one) => one.test(absent({ path }))),
    );
    for (const type of ['Admin', 'Patient']) {
      const browser = browsers.get(type) ?? new Agent(portal.issuer);
      const read = async (route: Route) => {
        await call(browser, route);
        await browser.send(absent(route), { method: 'HEAD' });
      };
      const before = await contents();
      for (const route of reads) await read(route);
      if (isDeepStrictEqual(await contents(), before)) continue;
      // Which of them has changed something is told by reading the tables after each one, which takes far longer.
      for (const route of reads) {
        const earlier = await contents();
        await read(route);
        expect([route.path, await contents()]).toEqual([route.path, earlier]);
      }
      throw new Error('one of the routes has changed something, and not again when all were called once more');
    }
  });

  it.each([
    ['no JSON', '{'],
    ['no object', '[]'],
    ['nothing', 'null'],
    ['an unknown member', { 'no such member': true }],
    ['text with NUL', { name: '\u0000', email: '\u0000', value: '\u0000' }],
    ['too much', { value: 'x'.repeat(400_000) }],
  ])('refuses a body that is %s, and never answers with an internal error', async (_, body) => {
    for (const route of routes.filter(takesBody)) {
      const type = route.access?.to === 'user-types' ? route.access.types[0] : 'Patient';
      const browser = browsers.get(type ?? '') ?? new Agent(portal.issuer);
      const answer = await browser.send(absent(route), { method: route.method, body });
      if (route.path.startsWith('/api/')) {
        expect([route.method, route.path, answer.status < 500]).toEqual([route.method, route.path, true]);
        if (answer.status >= 400)
          expect(Object.keys(answer.json()).sort()).toEqual(['codes', 'errors', 'message', 'statusMessage', 'title']);
      }
    }
  });
});

/**
 * The content of the database without times of use, and without what records requests: audit events, and launches,
 * which are written up to a second after a refused request.
 */
async function contents(): Promise<Record<string, string>> {
  const tables = await portal.query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename !~ '^(audit|launch)'",
  );
  const digests = tables.map(({ name }) => {
    const row = name === 'oidc_record' ? 'ROW(model, id_hash, payload, consumed_at)' : 't';
    return `SELECT '${name}' AS name, md5(coalesce(string_agg(${row}::text, E'\\n' ORDER BY ${row}::text), '')) FROM ${name} t`;
  });
  const found = await portal.query<{ name: string; md5: string }>(digests.join(' UNION ALL '));
  return Object.fromEntries(found.map(({ name, md5 }) => [name, md5]));
}
