import { DialectGateway, tokenKinds } from '../../support/fhir/dialect-gateway.js';
import { dialect } from '../../support/fhir/dialects.js';

let gateway: DialectGateway;
beforeAll(async () => {
  gateway = await DialectGateway.start(dialect('HAPI'));
});
beforeEach(() => {
  gateway.server.requests.length = 0;
});
afterAll(() => gateway.close());

const input = (...parameter: object[]) => ({ resourceType: 'Parameters', ...(parameter.length > 0 && { parameter }) });
const text = async (response: Response) => [response.status, (await response.text()).replace(/_link=[\w-]+/g, '')];

describe.each(tokenKinds)('An operation by POST with the token for %s', (kind) => {
  it.each<[string, string, object[]]>([
    ['/Patient/a/$everything', '', []],
    ['/Patient/a/$everything', '?_type=Observation', [{ name: '_type', valueCode: 'Observation' }]],
    [
      '/Patient/a/$everything',
      '?_type=Observation%2CPatient&_count=2',
      [
        { name: '_type', valueString: 'Observation' },
        { name: '_count', valueInteger: 2 },
        { name: '_type', valueString: 'Patient' },
      ],
    ],
    ['/Patient/b/$everything', '', []],
    ['/Patient/$everything', '?_type=Observation', [{ name: '_type', valueCode: 'Observation' }]],
    [
      '/Observation/$lastn',
      '?patient=a&category=laboratory&max=2',
      [
        { name: 'patient', valueString: 'a' },
        { name: 'category', valueCode: 'laboratory' },
        { name: 'max', valuePositiveInt: 2 },
      ],
    ],
    ['/Observation/$lastn', '?patient=Patient%2Fb', [{ name: 'patient', valueReference: { reference: 'Patient/b' } }]],
    ['/Observation/$lastn', '?max=1', [{ name: 'max', valueInteger: 1 }]],
  ])('%s has the same answer as by GET with %s', async (path, query, parameters) => {
    const asked = await text(await gateway.fetch(path + query, kind));
    expect(await text(await gateway.send('POST', path, kind, input(...parameters)))).toEqual(asked);
    if (parameters.length > 0) return;
    expect(await text(await gateway.fetch(path, kind, { method: 'POST' }))).toEqual(asked);
  });

  it('may be an entry of a batch', async () => {
    const everything = (request: object) => ({
      request: { method: 'POST', url: 'Patient/a/$everything' },
      resource: input({ name: '_type', valueCode: 'Observation' }),
      ...request,
    });
    const asked = { request: { method: 'GET', url: 'Patient/a/$everything?_type=Observation' }, resource: undefined };
    const bundle = { resourceType: 'Bundle', type: 'batch', entry: [everything({}), everything(asked)] };
    const { entry } = (await (await gateway.send('POST', '/', kind, bundle)).json()) as { entry: unknown[] };
    const [posted, got] = entry.map((one) => JSON.stringify(one).replace(/_link=[\w-]+/g, ''));
    expect(posted).toBe(got);
  });

  it.each<[number, string, unknown]>([
    [400, '/Patient/a/$everything', { resourceType: 'Patient', id: 'a' }],
    [400, '/Patient/a/$everything', input({ name: '_typeFilter', valueString: 'Observation?code=a' })],
    [400, '/Patient/a/$everything', input({ name: '_type', valueCoding: { display: 'Observation' } })],
    [400, '/Patient/a/$everything', input({ name: '_type', part: [] })],
    [400, '/Patient/a/$everything', input({ name: '_type', valueCode: 'Observation', valueString: 'Patient' })],
    [400, '/Patient/a/$everything', input({ valueCode: 'Observation' })],
    [400, '/Patient/a/$everything', { resourceType: 'Parameters', parameter: { name: '_type' } }],
    [400, '/Observation/$lastn', input({ name: 'access_token', valueString: 'x' })],
    [400, '/Observation/$lastn', input({ name: '_filter', valueString: 'x' })],
    [400, '/$export', input({ name: 'patient', valueReference: { reference: 'Patient/a' } })],
  ])('is refused with %i at %s for the body %j', async (status, path, body) => {
    const response = await gateway.send('POST', path, kind, body);
    expect([response.status, path]).toEqual([status, path]);
    expect(gateway.server.requests).toEqual([]);
  });
});

it('begins an export with the parameters of the body', async () => {
  const parameters = [
    { name: '_type', valueString: 'Patient' },
    { name: '_since', valueInstant: '2026-01-01T00:00:00Z' },
    { name: '_type', valueString: 'Observation' },
  ];
  const begun = await gateway.send('POST', '/$export', 'everything', input(...parameters), { prefer: 'respond-async' });
  expect(begun.status).toBe(202);
  expect(begun.headers.get('content-location')).toContain(`${gateway.gateway.base}/_page?_link=`);
  const sent = gateway.server.requests.map(({ method, url }) => `${method} ${decodeURIComponent(url)}`);
  expect(sent).toEqual(['GET /r4/$export?_type=Patient,Observation&_since=2026-01-01T00:00:00Z']);
});

it.each(['patient', 'practitioner', 'service'] as const)(
  'begins no export for the token for %s, however it is asked',
  async (kind) => {
    for (const method of ['GET', 'POST']) {
      const response = await gateway.fetch('/$export', kind, { method, headers: { prefer: 'respond-async' } });
      expect([method, response.status]).toEqual([method, 403]);
    }
  },
);
