import { expectRefusal } from '../../support/fhir/demo-gateway.js';
import { startGateway, startUpstream, type TestGateway, type Upstream } from '../../support/fhir/gateway.js';

const searchParam = [{ name: 'identifier' }, { name: 'code' }, { name: 'patient' }];
const metadata = {
  resourceType: 'CapabilityStatement',
  fhirVersion: '4.0.1',
  rest: [
    {
      mode: 'server',
      resource: [
        {
          type: 'Observation',
          searchParam,
          conditionalCreate: true,
          conditionalUpdate: true,
          conditionalDelete: 'single',
        },
        { type: 'Patient', searchParam },
      ],
    },
  ],
};
const observation = { resourceType: 'Observation', status: 'final' };

let upstream: Upstream;
let gateway: TestGateway;
let everything: string;
/** The answer to searches, where a test has one. */
let searchset: object | undefined;

beforeAll(async () => {
  upstream = await startUpstream(({ url = '' }, response) => {
    const found = url.startsWith('/r4/Observation?') ? searchset : undefined;
    const body = url === '/r4/metadata' ? metadata : (found ?? { ...observation, id: 'o1' });
    response.writeHead(200, { 'Content-Type': 'application/fhir+json' }).end(JSON.stringify(body));
  });
  gateway = await startGateway(upstream.url);
  await gateway.loadCapabilities();
  everything = gateway.tokenFor('system/*.cruds');
});

beforeEach(() => {
  upstream.requests.length = 0;
  searchset = undefined;
});

afterAll(async () => {
  await gateway.close();
  upstream.close();
});

function change(
  method: string,
  path: string,
  token = everything,
  headers: Record<string, string> = {},
): Promise<Response> {
  const body = method === 'DELETE' ? null : JSON.stringify(observation);
  const type: Record<string, string> = body === null ? {} : { 'content-type': 'application/fhir+json' };
  return gateway.fetch(path, token, { method, body, headers: { ...type, ...headers } });
}
const asked = () =>
  upstream.requests.map(({ method, url, headers }) => [method, url, headers['if-none-exist'], headers.prefer]);

describe('a conditional change', () => {
  test('is forwarded with strict handling where all resources of the type are permitted', async () => {
    await change('POST', '/Observation', everything, {
      'if-none-exist': '?identifier=urn:x|1',
      prefer: 'return=minimal',
    });
    await change('PUT', '/Observation?identifier=urn:x|1&code=a,b');
    await change('DELETE', '/Observation?identifier=urn:x%7C1&_format=json');
    expect(asked()).toEqual([
      ['POST', '/r4/Observation', 'identifier=urn%3Ax%7C1', 'return=minimal, handling=strict'],
      ['PUT', '/r4/Observation?identifier=urn%3Ax%7C1&code=a%2Cb', undefined, 'handling=strict'],
      // A resource is read for the record before it is deleted.
      ['GET', '/r4/Observation?identifier=urn%3Ax%7C1', undefined, 'handling=strict'],
      ['DELETE', '/r4/Observation?identifier=urn%3Ax%7C1', undefined, 'handling=strict'],
    ]);
  });

  test('identifies its resource by a condition as well as by an address', async () => {
    const header = { 'if-none-exist': `patient=${gateway.base}/Patient/1` };
    await change('POST', '/Observation', everything, header);
    expect(upstream.requests[0]?.headers['if-none-exist']).toBe(
      `patient=${encodeURIComponent(`${upstream.url}/Patient/1`)}`,
    );
  });

  test.each([
    ['POST', 'system/*.c', 'to search'],
    ['PUT', 'system/*.us', 'to create'],
    ['PUT', 'system/*.cu', 'to search'],
    ['DELETE', 'system/*.d', 'to search'],
    ['DELETE', 'system/*.d system/Observation.s?status=final', 'to search by what can be checked'],
  ])('is refused to %s with %s, which is not permitted %s', async (method, scope) => {
    const token = gateway.tokenFor(scope, { patient: 'p1' });
    const create = method === 'POST';
    const headers: Record<string, string> = create ? { 'if-none-exist': 'identifier=1' } : {};
    await expectRefusal(
      await change(method, create ? '/Observation' : '/Observation?identifier=1', token, headers),
      403,
    );
    expect(asked()).toEqual([]);
  });

  test.each([
    ['no condition', ''],
    ['nothing but a format', '_format=json'],
    ['a condition without a value', 'identifier='],
    ['an empty alternative', 'identifier=a,'],
    ['a bar without a value', 'identifier=|'],
    ['a parameter that the server does not know', 'identity=1'],
    ['one that it knows and one that it does not', 'identifier=1&unheard-of=2'],
    ['a modifier', 'identifier:not=1'],
    ['a chain', 'patient.name=x'],
    ['a reverse chain', '_has:Observation:patient:code=x'],
    ['an inclusion', 'identifier=1&_include=Observation:patient'],
    ['a control parameter', '_id=1'],
    ['a token', 'access_token=x'],
    ['another type', 'Patient?identifier=1'],
  ])('is refused with %s for every client', async (_what, condition) => {
    for (const method of ['PUT', 'DELETE']) await expectRefusal(await change(method, `/Observation?${condition}`), 400);
    await expectRefusal(await change('POST', '/Observation', everything, { 'if-none-exist': condition || '?' }), 400);
    expect(asked()).toEqual([]);
  });

  test('is refused when the FHIR server does not confirm strict handling', async () => {
    for (const method of ['PUT', 'DELETE']) await expectRefusal(await change(method, '/Patient?identifier=1'), 400);
    const patch = { method: 'PATCH', body: '[]', headers: { 'content-type': 'application/json-patch+json' } };
    await expectRefusal(await gateway.fetch('/Observation?identifier=1', everything, patch), 400);
    expect(asked()).toEqual([]);
  });

  test('is treated alike in batches and transactions', async () => {
    const request = { method: 'POST', url: 'Observation', ifNoneExist: 'identifier=1' };
    const bundle = (type: string) =>
      JSON.stringify({ resourceType: 'Bundle', type, entry: [{ request, resource: observation }] });
    const post = (token: string, type: string) =>
      gateway.fetch('', token, {
        method: 'POST',
        body: bundle(type),
        headers: { 'content-type': 'application/fhir+json' },
      });
    await post(everything, 'batch');
    await post(everything, 'transaction');
    expect(asked().map(([method, url]) => [method, url])).toEqual([
      ['POST', '/r4/Observation'],
      ['POST', '/r4'],
    ]);
    await expectRefusal(await post(gateway.tokenFor('system/*.c'), 'transaction'), 403);
  });

  test('by If-None-Exist is possible for a create only', async () => {
    await expectRefusal(await change('PUT', '/Observation/o1', everything, { 'if-none-exist': 'identifier=1' }), 400);
  });
});

describe('a search whose result must not be wider than requested', () => {
  test('is refused for a parameter that the server does not know', async () => {
    const limited = gateway.tokenFor('patient/*.rs', { patient: 'p1' });
    const narrowed = gateway.tokenFor('system/Observation.rs?category=laboratory');
    for (const token of [limited, narrowed]) {
      expect(await expectRefusal(await gateway.fetch('/Observation?unheard-of=x', token), 400)).toContain('unheard-of');
      await expectRefusal(await gateway.fetch('/Observation?unheard-of:not=x', token), 400);
    }
    await expectRefusal(await gateway.fetch('/Patient/p1/Observation?unheard-of=x', everything), 400);
    await expectRefusal(await gateway.fetch('/Patient/p1/Condition', everything), 404);
    expect(asked()).toEqual([]);
  });

  test('inside of a patient compartment is sent with strict handling', async () => {
    await gateway.fetch('/Patient/p1/Observation?code=a', everything, { headers: { prefer: 'handling=lenient' } });
    expect(asked()).toEqual([['GET', '/r4/Observation?code=a&patient=Patient%2Fp1', undefined, 'handling=strict']]);
  });
});

test.each([
  ['further matches at an address that is not known as its own', 'http://10.0.0.7/r4?page=2'],
  ['further matches', undefined],
])(
  'a change of what a condition finds is refused under a limited token if the FHIR server has %s',
  async (_, elsewhere) => {
    const own = { ...observation, subject: { reference: 'Patient/p1' } };
    searchset = {
      resourceType: 'Bundle',
      type: 'searchset',
      link: [{ relation: 'next', url: elsewhere ?? `${upstream.url}?page=2` }],
      entry: [{ resource: { ...own, id: 'o1' } }],
    };
    const token = gateway.tokenFor('patient/*.cruds', { patient: 'p1' });
    const body = JSON.stringify(own);
    const headers = { 'content-type': 'application/fhir+json' };
    const response = await gateway.fetch('/Observation?identifier=a', token, { method: 'PUT', body, headers });
    expect([response.status, await response.text()]).toEqual([412, expect.stringContaining('finds too much')]);
    expect(upstream.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
  },
);
