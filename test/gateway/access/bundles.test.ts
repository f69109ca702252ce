import { readBundle } from '../../../src/gateway/domain/bundle-request.js';
import { Refusal } from '../../../src/gateway/domain/refusal.js';
import { startGateway, startUpstream, type TestGateway, type Upstream } from '../../support/fhir/gateway.js';

let upstream: Upstream;
let gateway: TestGateway;
let everything: string;
let onePatient: string;

const observation = (patient: string, more: object = {}) => ({
  resourceType: 'Observation',
  subject: { reference: `Patient/${patient}` },
  ...more,
});

beforeAll(async () => {
  upstream = await startUpstream((request, response) => {
    const path = request.url ?? '';
    const id = /^\/r4\/Observation\/([^/?]+)$/.exec(path)?.[1];
    response.writeHead(request.method === 'POST' && path !== '/r4' ? 201 : 200, {
      'Content-Type': 'application/fhir+json',
      ETag: 'W/"1"',
    });
    const searchset = { resourceType: 'Bundle', type: 'searchset', entry: [{ resource: observation('p2') }] };
    if (id === 'broken') response.end('{"resourceType":"Observation"}},{"x":');
    else if (id === 'large') response.end(JSON.stringify(observation('p1', { note: 'x'.repeat(11 * 1024 * 1024) })));
    else if (id !== undefined) response.end(JSON.stringify(observation(id.replace(/^of-/, ''), { id })));
    else response.end(JSON.stringify(path === '/r4' ? { resourceType: 'Bundle', type: 'x' } : searchset));
  });
  gateway = await startGateway(upstream.url);
  everything = gateway.tokenFor('system/*.cruds');
  onePatient = gateway.tokenFor('patient/*.cruds', { patient: 'p1' });
});

beforeEach(() => {
  upstream.requests.length = 0;
});

afterAll(async () => {
  await gateway.close();
  upstream.close();
});

const get = (url: string) => ({ request: { method: 'GET', url } });
const write = (method: string, url: string, resource: object) => ({ resource, request: { method, url } });
const bundleOf = (type: string, entry: unknown) => ({ resourceType: 'Bundle', type, entry });

function post(token: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return gateway.fetch('', token, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { 'content-type': 'application/fhir+json', ...headers },
  });
}

interface BatchAnswer {
  type: string;
  entry: { resource?: Record<string, unknown>; response: { status: string; etag?: string; outcome?: object } }[];
}

async function batch(token: string, ...entry: unknown[]): Promise<BatchAnswer['entry']> {
  const response = await post(token, bundleOf('batch', entry));
  expect(response.status).toBe(200);
  const answer = (await response.json()) as BatchAnswer;
  expect(answer.type).toBe('batch-response');
  return answer.entry;
}
const asked = () => upstream.requests.map(({ method, url }) => `${method} ${url}`);

describe('a batch', () => {
  test('runs the permitted entries and refuses the others one by one', async () => {
    const token = gateway.tokenFor('patient/Observation.rs', { patient: 'p1' });
    const entries = await batch(
      token,
      get('Observation/of-p1'),
      get('Observation/of-p2'),
      get('Condition/1'),
      get('Observation'),
      write('POST', 'Observation', observation('p1')),
      { request: { method: 'DELETE', url: 'Observation/of-p1' } },
    );
    expect(entries.map(({ response }) => response.status)).toEqual(['200', '404', '403', '200', '403', '403']);
    expect(entries[0]).toMatchObject({ resource: { id: 'of-p1' }, response: { etag: 'W/"1"' } });
    expect(entries[1]?.resource).toBeUndefined();
    expect(entries[3]?.resource).toEqual({ resourceType: 'Bundle', type: 'searchset' });
    expect(asked()).toEqual([
      'GET /r4/Observation/of-p1',
      'GET /r4/Observation/of-p2',
      'GET /r4/Observation?patient=Patient%2Fp1',
    ]);
  });

  test('with a limited scope writes only after each check', async () => {
    const entries = await batch(
      onePatient,
      write('POST', 'Observation', observation('p2')),
      write('PUT', 'Observation/of-p2', observation('p1', { id: 'of-p2' })),
      write('PUT', 'Observation/of-p1', observation('p1', { id: 'of-p1' })),
    );
    expect(entries.map(({ response }) => response.status)).toEqual(['403', '404', '200']);
    expect(upstream.requests.filter(({ method }) => method !== 'GET')).toEqual([
      expect.objectContaining({
        url: '/r4/Observation/of-p1',
        headers: expect.objectContaining({ 'if-match': 'W/"1"' }),
      }),
    ]);
  });

  test('keeps decimals as they were written', async () => {
    const body = JSON.stringify(bundleOf('batch', [write('POST', 'Observation', observation('p1', { value: 7 }))]));
    expect((await post(onePatient, body.replace('"value":7', '"value":1.50'))).status).toBe(200);
    expect(upstream.requests[0]?.body).toContain('"value":1.50');
  });

  test('survives responses that are not JSON or endless', async () => {
    const entries = await batch(
      everything,
      get('Observation/broken'),
      get('Observation/large'),
      get('Observation/of-p1'),
    );
    expect(entries.map(({ response, resource }) => [response.status, resource?.id])).toEqual([
      ['502', undefined],
      ['200', undefined],
      ['200', 'of-p1'],
    ]);
  });

  test.each<[string, unknown]>([
    ['a batch in a batch', write('POST', '', bundleOf('batch', []))],
    ['a slash first', get('/Observation/1')],
    ['an absolute address', get('http://evil.example/r4/Observation/1')],
    ['an address of another host', get('//evil.example/Observation/1')],
    ['a step in the path', get('Observation/../Patient/1')],
    ['GraphQL', get('Patient/1/$graphql?query=a')],
    ['a paging state of the server', get('?_getpages=1')],
    ['a type that is not the body’s', write('POST', 'Observation', { resourceType: 'Patient' })],
    ['an id that is not the body’s', write('PUT', 'Observation/1', observation('p1', { id: '2' }))],
    ['a patch', write('PATCH', 'Observation/1', observation('p1'))],
    ['an unheard-of method', { request: { method: 'TRACE', url: 'Observation/1' } }],
    ['a body on a read', write('GET', 'Observation/1', observation('p1'))],
    ['no body on a create', { request: { method: 'POST', url: 'Observation' } }],
    ['a second resource', { ...write('POST', 'Observation', observation('p1')), contained: [] }],
    ['an unknown condition', { request: { method: 'GET', url: 'Observation/1', prefer: 'x' } }],
    ['a header in a condition', { request: { method: 'GET', url: 'Observation/1', ifNoneMatch: 'x\r\ncookie: y' } }],
    [
      'a condition on a create',
      {
        ...write('POST', 'Observation', observation('p1')),
        request: { method: 'POST', url: 'Observation', ifNoneExist: 'code=a' },
      },
    ],
    ['an address as its name', { ...write('POST', 'Observation', observation('p1')), fullUrl: 'http://x/Patient/2' }],
    [
      'a reference by a search',
      write('POST', 'Observation', observation('p1', { performer: [{ reference: 'Practitioner?identifier=1' }] })),
    ],
    ['no request', { resource: observation('p1') }],
    ['nothing', null],
  ])('refuses %s for every client, and so does a transaction', async (_what, entry) => {
    const [single] = await batch(everything, entry);
    expect(Number(single?.response.status)).toBeGreaterThanOrEqual(400);
    expect(single?.response.outcome).toMatchObject({ resourceType: 'OperationOutcome' });
    const transaction = await post(everything, bundleOf('transaction', [get('Observation/1'), entry]));
    expect(transaction.status).toBeGreaterThanOrEqual(400);
    expect(await transaction.json()).toMatchObject({ resourceType: 'OperationOutcome' });
    expect(asked()).toEqual([]);
  });
});

describe('a transaction through the gateway', () => {
  const entries = [
    { fullUrl: 'urn:uuid:0f1c', ...write('POST', 'Observation', observation('p1')) },
    { request: { method: 'DELETE', url: 'Observation/1', ifMatch: 'W/"1"' } },
    get('Observation/1'),
  ];

  test('is forwarded as one where the token permits all of its types', async () => {
    const response = await post(everything, bundleOf('transaction', entries), { cookie: 'a=b' });
    expect(response.status).toBe(200);
    // A resource is read for the record before it is deleted.
    expect(asked()).toEqual(['GET /r4/Observation/1', 'POST /r4']);
    expect(JSON.parse(upstream.requests[1]?.body ?? '')).toEqual(bundleOf('transaction', entries));
    expect(upstream.requests[1]?.headers.cookie).toBeUndefined();
  });

  test('is refused as a whole when one entry is not permitted or not valid in a transaction', async () => {
    const token = gateway.tokenFor('system/Observation.cr');
    expect((await post(token, bundleOf('transaction', entries))).status).toBe(403);
    const ofType = gateway.tokenFor('system/Observation.cruds');
    for (const [by, entry] of [
      [ofType, get('Observation?code=a')],
      [ofType, get('Observation?subject:Patient.name=x')],
      [everything, get('Observation/1/_history')],
    ] as const) {
      expect((await post(by, bundleOf('transaction', [...entries, entry]))).status).toBe(403);
    }
    expect(asked()).toEqual([]);
  });
});

describe('a body that is not a valid batch or transaction', () => {
  test.each([
    ['no JSON', '<Bundle/>', 400],
    ['another resource', observation('p1'), 400],
    ['a document', bundleOf('document', []), 400],
    ['entries that are no list', bundleOf('batch', { 0: get('Observation/1') }), 400],
    ['entries twice', '{"resourceType":"Bundle","type":"batch","entry":[],"entry":[{}]}', 400],
    ['too many entries', bundleOf('batch', Array(101).fill(get('Observation/1'))), 413],
  ])('is refused: %s', async (_what, body, status) => {
    expect((await post(everything, body)).status).toBe(status);
    expect(asked()).toEqual([]);
  });

  test('is refused in another format, or with another method in a header', async () => {
    const body = bundleOf('batch', []);
    expect((await post(everything, body, { 'content-type': 'application/fhir+xml' })).status).toBe(415);
    expect((await post(everything, body, { 'content-encoding': 'gzip' })).status).toBe(415);
    expect((await post(everything, body, { 'x-http-method-override': 'DELETE' })).status).toBe(400);
  });

  test('is distinguished from an empty Bundle', () => {
    expect(readBundle({ resourceType: 'Bundle', type: 'batch' })).toEqual({ type: 'batch', entries: [] });
    expect(() => readBundle([])).toThrow(Refusal);
  });
});
