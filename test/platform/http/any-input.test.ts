import fc from 'fast-check';
import { discoveryPath, enginePaths } from '../../../src/oidc/domain/engine-paths.js';
import { Flow } from '../../support/apps/flow.js';
import {
  backendService,
  confidentialApp,
  publicApp,
  redirectUri,
  sharedSecret,
} from '../../support/clients/clients.js';
import { Agent } from '../../support/http/agent.js';
import { awkwardText, bodyFor, membersOf } from '../../support/http/any-input.js';
import { addressOf, type Route, routesOf } from '../../support/http/routes.js';
import { startFhirPortal } from '../../support/portal/fhir-portal.js';
import type { TestPortal } from '../../support/portal/portal.js';
import { isLong, runs } from '../../support/runs.js';
import { addPasskey } from '../../support/users/passkey-device.js';
import { people } from '../../support/users/people.js';

/** Routes that end the session of the other requests. */
const endings = /^\/logout|\/api\/session\/logout|\/api\/user\/sessions/;

let portal: TestPortal;
let routes: Route[];
let known: string[];
let returnUrl: string;
const browsers = new Map<string, Agent>();
/** Of the users, by the names of their browsers. */
const passkeys = new Map<string, string>();

beforeAll(async () => {
  const clients = [publicApp, confidentialApp, backendService];
  portal = await startFhirPortal({ config: { users: Object.values(people), clients } });
  routes = routesOf(portal).filter((route) => !endings.test(route.path));
  for (const { email, password, userType } of [people.admin, people.patient, people.practitioner]) {
    const browser = new Agent(portal.issuer);
    await browser.post('/api/session/login', { username: email, password });
    browsers.set(userType, browser);
    passkeys.set(userType, (await addPasskey(browser)).passkey.id);
  }
  const flow = await Flow.begin(portal, publicApp);
  browsers.set('flow', flow.app.browser);
  returnUrl = flow.returnUrl;
  const rows = await portal.query<{ id: string }>('SELECT id FROM client UNION ALL SELECT id FROM account');
  known = [
    ...rows.map(({ id }) => id),
    ...passkeys.values(),
    ...clients.map(({ clientId }) => clientId),
    ...Object.values(people).flatMap(({ email, password }) => [email, password]),
    returnUrl,
    '123456',
    'fhirUser',
    'Patient/1',
    'Patient',
    '01:00:00',
    '#112233',
    redirectUri,
  ];
});

afterAll(() => portal.close());

const fitting = fc.nat().map((index) => known[index % known.length] ?? '');
const text = fc.oneof(fitting, awkwardText);
const named = (names: string[], maxLength: number, value: fc.Arbitrary<string> = text) =>
  fc.array(
    fc.tuple(
      fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...names) }, { weight: 1, arbitrary: awkwardText }),
      value,
    ),
    { maxLength },
  );
const query = (pairs: [string, string][]) => new URLSearchParams(pairs).toString();

describe('Any generated input', () => {
  it('S-05 to a route of the portal is answered, and never by an internal error', async () => {
    const calls = fc.nat().chain((number) => {
      const route = routes[number % routes.length] as Route;
      const { access, body, query: asked } = route;
      const allowed = access?.to === 'user-types' ? access.types : ['Patient'];
      return fc.record({
        route: fc.constant(route),
        part: text,
        pending: fc.boolean(),
        pairs: named(asked ? membersOf(asked) : ['returnUrl', 'ReturnUrl', 'u', 't'], 8),
        body: body && body !== Object ? bodyFor(body, fitting) : fc.jsonValue(),
        browser: fc.constantFrom(...allowed, ...allowed, ...allowed, ...browsers.keys(), 'unknown'),
      });
    });
    await fc.assert(
      fc.asyncProperty(calls, async ({ route, part, pending, pairs, body, browser: chosen }) => {
        const address = addressOf(route, () => encoded(part));
        // A pending authorization belongs to the browser that began it.
        const browser = pending && chosen === 'Patient' ? 'flow' : chosen;
        const hasBody = route.method !== 'GET' && route.method !== 'DELETE';
        const agent = browsers.get(browser) ?? new Agent(portal.issuer);
        const answer = await agent.send(`${address}?${query(pending ? [['returnUrl', returnUrl], ...pairs] : pairs)}`, {
          method: route.method,
          ...(hasBody ? { body: JSON.stringify(body) } : {}),
        });
        if (answer.status >= 500 && !/fhir-connection-required/.test(answer.text))
          throw new Error(`${route.method} ${address} → ${answer.status} ${answer.text.slice(0, 300)}`);
        if (answer.status >= 400 && address.startsWith('/api/'))
          // A form of an earlier version gets what collides, too.
          expect(
            Object.keys(answer.json())
              .filter((member) => answer.status !== 409 || member !== 'conflict')
              .sort(),
          ).toEqual(['codes', 'errors', 'message', 'statusMessage', 'title']);
      }),
      runs(250, 10_000),
    );
  });
});

/** PostgreSQL refuses them. */
const unstorable = ['a\0b', 'a\ud800'];

/** The ids that a route finds something by. */
function idsFor({ path }: Route, browser: string): string[] {
  if (!path.includes(':')) return [''];
  return path.includes('passkeys/') ? [passkeys.get(browser) ?? ''] : known.slice(0, 4);
}

it('A text that cannot be stored, in any member of a body, is never answered by an internal error', async () => {
  const failures: string[] = [];
  let count = 0;
  for (const route of routes) {
    const { body, method } = route;
    if (!body || body === Object || method === 'DELETE') continue;
    const bodies = fc.sample(bodyFor(body, fitting), { numRuns: isLong ? 40 : 8, seed: 1 });
    const objects = bodies.filter(
      (one): one is object => one !== null && typeof one === 'object' && !Array.isArray(one),
    );
    for (const browser of ['Admin', 'Patient', 'flow']) {
      // What a body may hold is the same for each id.
      for (const id of idsFor(route, browser).slice(0, isLong ? 4 : 1)) {
        for (const member of membersOf(body)) {
          for (const [turn, one] of objects.slice(0, isLong ? 20 : 2).entries()) {
            const address = addressOf(route, () => id);
            const answer = await browsers.get(browser)?.send(address, {
              method,
              body: JSON.stringify({ ...one, [member]: unstorable[turn % 2] }),
            });
            count += 1;
            if (answer && answer.status >= 500 && !/fhir-connection-required/.test(answer.text))
              failures.push(`${method} ${address}, ${member} → ${answer.status}`);
          }
        }
      }
    }
  }
  expect(count).toBeGreaterThan(500);
  expect([...new Set(failures)]).toEqual([]);
});

/** Texts and lists that a check may take long for, at about the length that a body may have. */
const longValues: Record<string, unknown> = {
  letters: 'a'.repeat(90_000),
  'empty lines': '\n'.repeat(45_000),
  spaces: `a${' '.repeat(90_000)}b`,
  'parts of a host name': `https://${'a.'.repeat(45_000)}`,
  'an address of a mail': `${'a.'.repeat(45_000)}@b`,
  'words of a scope': 'patient/*.rs '.repeat(6_900),
  'equal lines': 'https://app.example.org/callback\n'.repeat(2_700),
  'lists in lists': JSON.parse(`${'['.repeat(2_000)}${']'.repeat(2_000)}`),
  'many texts': Array.from({ length: 9_000 }, (_, index) => `a${index}`),
  'many objects': Array.from({ length: 20_000 }, () => ({})),
};

it('A text or list as long as a body may be, in any member, takes a node less than a second', async () => {
  const slow: string[] = [];
  let sentOnes = 0;
  for (const route of routes) {
    const { access, body, method } = route;
    if (!body || body === Object || method === 'DELETE') continue;
    const [browser = 'Patient'] = access?.to === 'user-types' ? access.types : ['flow'];
    const agent = browsers.get(browser) ?? new Agent(portal.issuer);
    const [fitting = {}] = fc.sample(bodyFor(body, fc.constant('a')), { numRuns: 1, seed: 3 });
    const other = typeof fitting === 'object' && !Array.isArray(fitting) ? fitting : {};
    for (const [index, member] of membersOf(body).entries()) {
      for (const [turn, [kind, value]] of Object.entries(longValues).entries()) {
        if (!isLong && (index + turn) % 9 > 0) continue;
        const sent = JSON.stringify({ ...other, [member]: value });
        const address = addressOf(route, () => idsFor(route, browser)[0] ?? '');
        const begun = process.cpuUsage();
        const answer = await agent.send(address, { method, body: sent });
        const { user, system } = process.cpuUsage(begun);
        sentOnes += 1;
        if (answer.status >= 500 || user + system > 1_000_000)
          slow.push(
            `${method} ${route.path}, ${member} of ${kind}: ${answer.status} after ${(user + system) / 1_000} ms`,
          );
      }
    }
  }
  expect(sentOnes).toBeGreaterThan(isLong ? 1_000 : 100);
  expect(slow).toEqual([]);
});

const namesOfParameters =
  `client_id redirect_uri response_type scope state nonce code_challenge code_challenge_method aud launch prompt max_age
  login_hint id_token_hint ui_locales response_mode request request_uri resource claims acr_values grant_type code
  code_verifier refresh_token client_secret client_assertion client_assertion_type token token_type_hint dpop_jkt ix xsrf
  post_logout_redirect_uri logout_hint logout returnUrl iss error fhirContext username`.split(/\s+/);
const valuesOfParameters = [
  ...['code', 'S256', 'plain', 'none', 'login', 'consent', 'query', 'form_post', 'fragment', '0', '3600', 'yes'],
  ...['authorization_code', 'refresh_token', 'client_credentials', 'urn:ietf:params:oauth:grant-type:device_code'],
  ...[
    'openid fhirUser launch/patient patient/*.rs offline_access',
    'system/*.rs',
    'patient/Observation.rs?category=a|b',
  ],
  ...[
    'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    'eyJhbGciOiJub25lIn0.e30.',
    'eyJhbGciOiJSUzM4NCJ9.e30.AA',
  ],
  ...['access_token', 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', sharedSecret, '{"userinfo":{"a":null}}'],
];
const authorizations = [
  `Basic ${btoa(`${backendService.clientId}:${sharedSecret}`)}`,
  ...[
    'Basic',
    'Basic ====',
    'Basic AA==',
    'Basic Og==',
    'Bearer',
    'Bearer x.y.z',
    'Bearer ~',
    'DPoP a.b.c',
    'Negotiate x',
  ],
];

/** Texts of the characters that a header may contain. */
const headerText = fc.string({
  unit: fc
    .integer({ min: 32, max: 255 })
    .filter((code) => code !== 127)
    .map((code) => String.fromCharCode(code)),
  maxLength: 60,
});

describe('Any generated input to the OAuth endpoints', () => {
  it('S-05 is answered, and never by an internal error', async () => {
    const pairs = named(namesOfParameters, 14, fc.oneof(fc.constantFrom(...valuesOfParameters), text));
    const paths = [
      ...Object.values(enginePaths),
      discoveryPath,
      `${enginePaths.authorization}/callback`,
      `${enginePaths.authorization}/x`,
      `${enginePaths.end_session}/confirm`,
      '/logout',
      '/connect/authorize/external',
      '/federation/x/signin',
      '/connect/launchContext',
    ];
    const requests = fc.record({
      path: fc.constantFrom(...paths),
      method: fc.constantFrom('GET', 'GET', 'POST', 'POST', 'POST', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'),
      query: pairs,
      body: fc.oneof({ weight: 6, arbitrary: pairs.map(query) }, awkwardText, fc.json()),
      headers: fc.record(
        {
          authorization: fc.oneof(fc.constantFrom(...authorizations), headerText),
          dpop: headerText,
          cookie: headerText,
          accept: fc.oneof(fc.constantFrom('text/html', 'application/json', '*/*'), headerText),
          origin: fc.oneof(fc.constantFrom('null', 'https://elsewhere.example', portal.issuer), headerText),
          'content-type': fc.oneof(
            fc.constantFrom('application/x-www-form-urlencoded', 'application/json', 'multipart/form-data; boundary=x'),
            headerText,
          ),
          'accept-language': headerText,
          'x-forwarded-for': headerText,
          'x-http-method-override': fc.constantFrom('DELETE', 'x'),
        },
        { requiredKeys: [] },
      ),
      browser: fc.constantFrom('flow', 'unknown', 'Admin'),
    });
    await fc.assert(
      fc.asyncProperty(requests, async ({ path, method, query: asked, body, headers, browser }) => {
        const agent = browsers.get(browser) ?? new Agent(portal.issuer);
        const sends = !['GET', 'HEAD', 'OPTIONS'].includes(method);
        const form = { 'content-type': 'application/x-www-form-urlencoded' };
        const { status, text: said } = await agent.send(`${path}?${query(asked)}`, {
          method,
          headers: { ...form, ...headers },
          ...(sends ? { body } : {}),
        });
        if (status >= 500) throw new Error(`${method} ${path} → ${status} ${said.slice(0, 300)}`);
      }),
      runs(250, 10_000),
    );
  });
});

/** An address cannot contain half a surrogate pair, which is replaced. */
function encoded(part: string): string {
  return encodeURIComponent(Buffer.from(part).toString());
}
