import { expectRefusal } from '../../support/fhir/demo-gateway.js';
import { startGateway, startUpstream, type TestGateway, type Upstream } from '../../support/fhir/gateway.js';

const now = () => Math.floor(Date.now() / 1000);
const stepUp = [
  { actions: 'cud', acr: 'aal2', maxAge: 300 },
  { actions: 'cud', types: ['Consent'], acr: 'phr' },
  { actions: 'rs', types: ['Condition'], acr: 'aal2' },
];
let upstream: Upstream;
let gateway: TestGateway;

beforeAll(async () => {
  upstream = await startUpstream((request, response) => {
    const isTransaction = request.url === '/r4' && request.method === 'POST';
    response.writeHead(request.method === 'POST' && !isTransaction ? 201 : 200, {
      'Content-Type': 'application/fhir+json',
      ETag: 'W/"1"',
    });
    const bundle = { resourceType: 'Bundle', type: isTransaction ? 'transaction-response' : 'searchset' };
    const id = /\/(\w+)\/(\w+)$/.exec(request.url ?? '');
    response.end(JSON.stringify(id ? { resourceType: id[1], id: id[2] } : bundle));
  });
  gateway = await startGateway(upstream.url, {}, { stepUp });
});
beforeEach(() => {
  upstream.requests.length = 0;
});
afterAll(async () => {
  await gateway.close();
  upstream.close();
});

const tokenOf = (signIn: object, scope = 'user/*.cruds') =>
  gateway.tokenFor(scope, { accountId: 'a', fhirUser: `${gateway.base}/Practitioner/1`, ...signIn });
const send = (token: string, method: string, path: string, body?: object) =>
  gateway.fetch(path, token, {
    method,
    headers: { 'content-type': 'application/fhir+json' },
    ...(body && { body: JSON.stringify(body) }),
  });
const create = (token: string, resourceType = 'Observation') =>
  send(token, 'POST', `/${resourceType}`, { resourceType });
const challenge = (answer: Response) => answer.headers.get('www-authenticate');

const weak = () => ({ acr: 'aal1', authTime: now() });
const strong = () => ({ acr: 'aal2', authTime: now() });

describe('A request that demands a stronger sign-in (RFC 9470)', () => {
  it('is refused with the level and the age that are demanded', async () => {
    const answer = await create(tokenOf(weak()));
    expect(challenge(answer)).toBe(
      'Bearer realm="fhir", error="insufficient_user_authentication", ' +
        'error_description="This needs a stronger or a newer sign-in of the user.", acr_values="aal2", max_age="300"',
    );
    expect(await expectRefusal(answer, 401)).toContain('stronger or a newer sign-in');
    expect(upstream.requests).toEqual([]);
  });

  it.each([
    ['a weaker level', () => ({ acr: 'aal1', authTime: now() }), 401],
    ['no level', () => ({ authTime: now() }), 401],
    ['an unknown level', () => ({ acr: 'gold', authTime: now() }), 401],
    ['the level', () => ({ acr: 'aal2', authTime: now() - 270 }), 201],
    ['a stronger level', () => ({ acr: 'phr', authTime: now() }), 201],
    ['the level too long ago', () => ({ acr: 'aal2', authTime: now() - 302 }), 401],
    ['no time', () => ({ acr: 'phr' }), 401],
  ])('gets its answer by the sign-in that the token names: %s', async (_name, signIn, status) => {
    expect((await create(tokenOf(signIn()))).status).toBe(status);
  });

  it('names the strongest level of the rules that apply', async () => {
    const answer = await create(tokenOf(strong()), 'Consent');
    expect(answer.status).toBe(401);
    expect(challenge(answer)).toContain('acr_values="phr", max_age="300"');
    expect((await create(tokenOf({ acr: 'phr', authTime: now() }), 'Consent')).status).toBe(201);
  });

  it.each([
    ['PUT', '/Observation/1', { resourceType: 'Observation', id: '1' }],
    ['PATCH', '/Observation/1', []],
    ['DELETE', '/Observation/1', undefined],
    ['GET', '/Condition/1', undefined],
    ['GET', '/Condition', undefined],
    ['GET', '/Patient?_revinclude=Condition:subject', undefined],
    ['GET', '/Observation?_include=Observation:focus', undefined],
    ['GET', '/Patient/1/$everything', undefined],
  ] as const)('is each that the rules name: %s %s', async (method, path, body) => {
    const answer = await send(tokenOf(weak()), method, path, body);
    expect([answer.status, challenge(answer)?.includes('insufficient_user_authentication')]).toEqual([401, true]);
    expect(upstream.requests).toEqual([]);
  });

  it.each(['/Observation/1', '/Patient', '/Observation?code=x'])('is no other one: GET %s', async (path) => {
    expect((await send(tokenOf(weak()), 'GET', path)).status).toBe(200);
  });

  it('is none of a service, which has no user', async () => {
    expect((await create(gateway.tokenFor('system/*.cruds'))).status).toBe(201);
  });

  it('is refused for a missing scope first, which a sign-in does not mend', async () => {
    const answer = await create(tokenOf(weak(), 'user/*.rs'));
    expect([answer.status, challenge(answer)?.includes('insufficient_scope')]).toEqual([403, true]);
  });

  it('is a part of a batch by itself, and ends a transaction as a whole', async () => {
    const entry = [
      { request: { method: 'GET', url: 'Observation/1' } },
      { resource: { resourceType: 'Observation' }, request: { method: 'POST', url: 'Observation' } },
    ];
    const batch = await send(tokenOf(weak()), 'POST', '', { resourceType: 'Bundle', type: 'batch', entry });
    const answer = (await batch.json()) as { entry: { response: { status: string } }[] };
    expect(answer.entry.map(({ response }) => response.status.slice(0, 3))).toEqual(['200', '401']);
    upstream.requests.length = 0;
    const whole = { resourceType: 'Bundle', type: 'transaction', entry };
    const refused = await send(tokenOf(weak()), 'POST', '', whole);
    expect([refused.status, challenge(refused)?.includes('insufficient_user_authentication')]).toEqual([401, true]);
    expect(upstream.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
    expect((await send(tokenOf(strong()), 'POST', '', whole)).status).toBe(200);
  });
});
