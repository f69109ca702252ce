import type { CurrentUser } from '../../src/contract/session.js';
import { startUpstream, type Upstream } from '../support/fhir/gateway.js';
import { Agent } from '../support/http/agent.js';
import { untilFhirServerIsAvailable } from '../support/portal/fhir-portal.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { signInAtProvider } from '../support/providers/external-sign-in.js';
import { startIdentityProvider, type TestIdentityProvider } from '../support/providers/identity-provider.js';
import { login } from '../support/users/authenticator.js';
import { people } from '../support/users/people.js';

const system = 'http://hospital.example/mrn';
const patients = [
  { id: 'p1', mrn: '1001', born: '1948-03-14' },
  { id: 'p2', mrn: '1002', born: '1980-01-01' },
  // Two patients with one number, distinguished by their dates of birth.
  { id: 'p3', mrn: '1003', born: '1990-05-05' },
  { id: 'p4', mrn: '1003', born: '1991-06-06' },
  { id: 'p5', mrn: '1005', born: '1970-01-01' },
];
const practitioners = [{ id: 'd5', mrn: '1005', born: '1970-01-01' }];

let provider: TestIdentityProvider;
let upstream: Upstream;
let portal: TestPortal;
/** The requests to the FHIR server, except for its metadata. */
let searches: string[] = [];
let mood: 'well' | 'down' | 'html' | 'ignores-conditions' = 'well';

beforeAll(async () => {
  upstream = await startUpstream(({ url = '' }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://ward');
    const type = pathname.split('/').at(-1) ?? '';
    const answer = (body: unknown) =>
      response.writeHead(200, { 'Content-Type': 'application/fhir+json' }).end(JSON.stringify(body));
    if (type === 'metadata') return answer(metadata);
    searches.push(`${type}: ${[...searchParams].map((pair) => pair.join('=')).join(' and ')}`);
    if (mood === 'down') return response.writeHead(503).end();
    if (mood === 'html') return response.writeHead(200, { 'Content-Type': 'text/html' }).end('<html>');
    const [identifier, born] = [searchParams.get('identifier'), searchParams.get('birthdate')];
    const found = (type === 'Patient' ? patients : practitioners).filter(
      (one) =>
        mood === 'ignores-conditions' ||
        (identifier === `${system}|${one.mrn}` && (born === null || born === one.born)),
    );
    const count = Number(searchParams.get('_count'));
    return answer({
      resourceType: 'Bundle',
      type: 'searchset',
      link: found.length > count ? [{ relation: 'next', url: 'more' }] : [],
      entry: found.slice(0, count).map(({ id }) => ({ resource: { resourceType: type, id } })),
    });
  });
  provider = await startIdentityProvider();
  const identifier = { parameter: 'identifier', claim: 'mrn', system };
  const birthdate = { parameter: 'birthdate', claim: 'birthdate' };
  portal = await startPortal({
    config: {
      fhir: { baseUrl: upstream.url, timeoutMs: 2_000 },
      users: [people.admin],
      identityProviders: [
        provider.entry({ fhirUser: { lookup: [{ type: 'Patient', match: [identifier] }] } }),
        provider.entry({ scheme: 'both', fhirUser: { lookup: [{ type: 'Patient', match: [identifier, birthdate] }] } }),
        provider.entry({
          scheme: 'types',
          fhirUser: {
            lookup: [
              { type: 'Patient', match: [identifier] },
              { type: 'Practitioner', match: [identifier] },
            ],
          },
        }),
        provider.entry({
          scheme: 'unknown',
          fhirUser: { lookup: [{ type: 'Patient', match: [{ parameter: 'shoe-size', claim: 'mrn' }] }] },
        }),
      ],
    },
  });
  provider.trust(portal, 'hospital', 'both', 'types', 'unknown');
  const admin = new Agent(portal.issuer);
  await login(admin, people.admin);
  await untilFhirServerIsAvailable(admin);
});

beforeEach(async () => {
  [searches, mood] = [[], 'well'];
  await portal.query('DELETE FROM account WHERE issuer IS NOT NULL');
});

afterAll(async () => {
  await portal.close();
  await provider.close();
  await upstream.close();
});

const searchParam = [{ name: 'identifier' }, { name: 'birthdate' }];
const metadata = {
  resourceType: 'CapabilityStatement',
  fhirVersion: '4.0.1',
  rest: [
    {
      mode: 'server',
      resource: [
        {
          type: 'Patient',
          searchParam,
          operation: [{ name: 'everything', definition: 'http://example.org/everything' }],
        },
        { type: 'Practitioner', searchParam },
      ],
      operation: [{ name: 'export', definition: 'http://example.org/export' }],
    },
  ],
};

/** Signs in with these claims. Returns the address that the browser is redirected to, and the user. */
async function come(claims: object, scheme = 'hospital') {
  provider.members.visitor = { name: 'Vera Visitor', ...claims };
  const { browser, answer } = await signInAtProvider(portal, provider, 'visitor', { scheme });
  const user = (await browser.get('/api/session')).json<CurrentUser & Record<string, unknown>>();
  return { to: answer.location?.slice(portal.issuer.length), userType: user.userType, claims: user.claims };
}

const recordOf = (id: string) => [{ name: 'fhirUser', value: id }];

describe('The FHIR record of an external user at the first sign-in', () => {
  it('is searched on the FHIR server', async () => {
    expect(await come({ mrn: '1001' })).toEqual({ to: '/', userType: 'Patient', claims: recordOf('Patient/p1') });
    expect(searches).toEqual([`Patient: _count=2 and identifier=${system}|1001`]);
  });

  it('is searched once', async () => {
    await come({ mrn: '1001' });
    mood = 'down';
    expect(await come({ mrn: '1002' })).toEqual({ to: '/', userType: 'Patient', claims: recordOf('Patient/p1') });
    expect(searches).toHaveLength(1);
  });

  it('must match all conditions', async () => {
    expect(await come({ mrn: '1003', birthdate: '1991-06-06' }, 'both')).toMatchObject({
      claims: recordOf('Patient/p4'),
    });
    expect(searches).toEqual([`Patient: _count=2 and identifier=${system}|1003 and birthdate=1991-06-06`]);
  });

  it('is not searched when the claim of a condition is missing', async () => {
    for (const claims of [
      { mrn: '1001' },
      { birthdate: '1948-03-14' },
      { mrn: '1001', birthdate: '' },
      { mrn: ['1001', '1002'], birthdate: '1948-03-14' },
    ]) {
      expect((await come(claims, 'both')).to).toBe('/account/error');
    }
    expect(searches).toEqual([]);
  });

  it('is searched again at the next sign-in when there is no match', async () => {
    expect((await come({ mrn: '9999' })).to).toBe('/account/error');
    expect(await portal.query('SELECT user_type FROM account WHERE subject = $1', ['visitor'])).toEqual([
      { user_type: 'Incomplete' },
    ]);
    expect(await come({ mrn: '1002' })).toMatchObject({ to: '/', claims: recordOf('Patient/p2') });
  });

  it('is refused with two matches', async () => {
    expect((await come({ mrn: '1003' })).to).toBe('/login?error=ambiguous-record');
    expect((await come({ mrn: '1005' }, 'types')).to).toBe('/login?error=ambiguous-record');
    mood = 'ignores-conditions';
    expect((await come({ mrn: '1001' })).to).toBe('/login?error=ambiguous-record');
    expect(await portal.query('SELECT FROM account WHERE issuer IS NOT NULL')).toEqual([]);
  });

  it('may have one of several types', async () => {
    expect(await come({ mrn: '1001' }, 'types')).toMatchObject({ userType: 'Patient', claims: recordOf('Patient/p1') });
  });

  it('is searched by the escaped value of the claim', async () => {
    for (const mrn of ['1001,1002', '|', 'other|1001', '1001&_id=p2', '1001$x', '\\']) await come({ mrn });
    expect(searches).toEqual([
      `Patient: _count=2 and identifier=${system}|1001\\,1002`,
      `Patient: _count=2 and identifier=${system}|\\|`,
      `Patient: _count=2 and identifier=${system}|other\\|1001`,
      `Patient: _count=2 and identifier=${system}|1001&_id=p2`,
      `Patient: _count=2 and identifier=${system}|1001\\$x`,
      `Patient: _count=2 and identifier=${system}|\\\\`,
    ]);
  });

  it.each(['down', 'html'] as const)('cannot be searched while the FHIR server is %s', async (state) => {
    mood = state;
    expect((await come({ mrn: '1001' })).to).toBe('/login?error=fhir-connection-required');
    expect(await portal.query('SELECT FROM account WHERE issuer IS NOT NULL')).toEqual([]);
  });

  it('is not searched by a parameter that the FHIR server does not know and would ignore', async () => {
    expect((await come({ mrn: '1001' }, 'unknown')).to).toBe('/login?error=fhir-connection-required');
    expect(searches).toEqual([]);
  });
});

describe('The operations that a client can be limited to', () => {
  it('are those of the FHIR server', async () => {
    const admin = new Agent(portal.issuer);
    await login(admin, people.admin);
    expect((await admin.get('/api/admin/client/available-operationscopes')).json()).toEqual([
      'patient/*.$export',
      'patient/Patient.$everything',
      'system/*.$export',
      'system/Patient.$everything',
      'user/*.$export',
      'user/Patient.$everything',
    ]);
  });
});
