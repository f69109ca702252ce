import { DialectGateway, tokenKinds } from '../../support/fhir/dialect-gateway.js';
import { categorySystem } from '../../support/fhir/dialect-server/records.js';
import { dialect } from '../../support/fhir/dialects.js';

let gateway: DialectGateway;
beforeAll(async () => {
  gateway = await DialectGateway.start(dialect('Medplum'));
});
beforeEach(() => {
  gateway.server.reset();
  gateway.server.requests.length = 0;
});
afterAll(() => gateway.close());

const observation = (more: object = {}) => ({
  resourceType: 'Observation',
  status: 'final',
  category: [{ coding: [{ system: categorySystem, code: 'laboratory' }] }],
  code: { text: 'Glucose' },
  subject: { reference: 'Patient/a' },
  valueQuantity: { value: 1.5 },
  ...more,
});
const bundle = (...entry: object[]) => ({ resourceType: 'Bundle', type: 'transaction', entry });
const create = { method: 'POST', url: 'Observation' };
const update = { method: 'PUT', url: 'Observation/a-obs-1' };
const stored = (id: string) =>
  gateway.server.stored().find((one) => one.id === id) as Record<string, unknown> | undefined;

describe.each(tokenKinds)('A transaction with the token for %s', (kind) => {
  const send = (...entry: object[]) => gateway.send('POST', '/', kind, bundle(...entry));

  it('may name its entries by the address of the resource, here or elsewhere', async () => {
    for (const base of [gateway.gateway.base, 'http://example.org/fhir']) {
      const fullUrl = `${base}/Observation/a-obs-1`;
      const changed = observation({ id: 'a-obs-1', status: 'amended' });
      const response = await send(
        { fullUrl, resource: changed, request: update },
        { resource: observation({ derivedFrom: [{ reference: fullUrl }] }), request: create },
      );
      expect([base, response.status]).toEqual([base, 200]);
      expect(stored('a-obs-1')?.status).toBe('amended');
      expect(gateway.server.stored().at(-1)).toMatchObject({ derivedFrom: [{ reference: 'Observation/a-obs-1' }] });
    }
  });

  it.each(['urn:uuid:obs_1', 'urn:uuid:61ebe359-bfdc-4613-8bf2-c5e300945f0a', 'urn:oid:1.2.3', 'urn:uuid:a:b~c'])(
    'may name its entries by %s',
    async (fullUrl) => {
      const response = await send(
        { fullUrl, resource: observation(), request: create },
        { resource: observation({ derivedFrom: [{ reference: fullUrl }] }), request: create },
      );
      expect(response.status).toBe(200);
      expect(gateway.server.stored().at(-1)).toMatchObject({
        derivedFrom: [{ reference: expect.stringMatching(/^Observation\/new-/) }],
      });
    },
  );

  it('may have 1,000 entries if the token is not limited, and 100 if it is', async () => {
    const isLimited = kind === 'patient' || kind === 'categories';
    const entries = (count: number) =>
      Array.from({ length: count }, () => ({ resource: observation(), request: create }));
    expect((await send(...entries(isLimited ? 100 : 1_000))).status).toBe(200);
    const tooMany = await send(...entries(isLimited ? 101 : 1_001));
    expect([tooMany.status, await tooMany.text()]).toEqual([
      413,
      expect.stringContaining(isLimited ? 'a transaction may have 100 entries' : 'A transaction may have 1000 entries'),
    ]);
  });

  it('may be made of the answer to a search', async () => {
    const found = (await (await gateway.fetch('/Observation?patient=a&category=laboratory', kind)).json()) as {
      entry: { fullUrl: string; resource: { id: string } }[];
    };
    const link = [{ relation: 'self', url: 'x' }];
    const entries = found.entry.map((entry) => ({
      ...entry,
      link,
      request: { method: 'PUT', url: `Observation/${entry.resource.id}` },
    }));
    expect((await send(...entries)).status).toBe(200);
  });

  it('may create what has the address of another resource as its name, and means the new one by it', async () => {
    const fullUrl = `${gateway.gateway.base}/Observation/b-obs-1`;
    const response = await send(
      { fullUrl, resource: observation(), request: create },
      { resource: observation({ derivedFrom: [{ reference: 'Observation/b-obs-1' }] }), request: create },
    );
    expect(response.status).toBe(200);
    expect(JSON.stringify(gateway.server.stored().at(-1))).not.toContain('b-obs-1');
  });

  it('is refused where a name does not fit, or is that of two entries', async () => {
    const resource = observation({ id: 'a-obs-1' });
    const other = { fullUrl: `${gateway.gateway.base}/Observation/a-obs-2`, resource, request: update };
    expect((await send(other)).status).toBe(400);
    const same = { fullUrl: 'urn:uuid:1', resource: observation(), request: create };
    expect((await send(same, same)).status).toBe(400);
    expect(gateway.server.requests.filter(({ method }) => method === 'POST')).toEqual([]);
  });
});

const patient = (more: object = {}) => ({
  resourceType: 'Patient',
  text: { status: 'generated', div: '<div xmlns="http://www.w3.org/1999/xhtml">Some narrative</div>' },
  active: true,
  name: [{ use: 'official', family: 'Chalmers', given: ['Peter', 'James'] }],
  birthDate: '1974-12-25',
  ...more,
});

/** As the example of a transaction in FHIR R4 (bundle-transaction): every kind of request in one Bundle. */
const everyKind = () => ({
  ...bundle(
    { fullUrl: 'urn:uuid:1', resource: patient(), request: { method: 'POST', url: 'Patient' } },
    {
      fullUrl: 'urn:uuid:2',
      resource: patient({ identifier: [{ system: 'http:/example.org/fhir/ids', value: '234234' }] }),
      request: { method: 'POST', url: 'Patient', ifNoneExist: 'identifier=http:/example.org/fhir/ids|234234' },
    },
    {
      fullUrl: 'http://example.org/fhir/Patient/123',
      resource: patient({ id: '123' }),
      request: { method: 'PUT', url: 'Patient/123' },
    },
    {
      fullUrl: 'urn:uuid:4',
      resource: patient(),
      request: { method: 'PUT', url: 'Patient?identifier=http:/example.org/fhir/ids|456456' },
    },
    {
      fullUrl: 'http://example.org/fhir/Patient/a',
      resource: patient({ id: 'a' }),
      request: { method: 'PUT', url: 'Patient/a', ifMatch: 'W/"1"' },
    },
    { fullUrl: 'http://example.org/fhir/Patient/234', request: { method: 'DELETE', url: 'Patient/234' } },
    { fullUrl: 'urn:uuid:6', request: { method: 'DELETE', url: 'Patient?identifier=123456' } },
    {
      fullUrl: 'urn:uuid:7',
      resource: { resourceType: 'Parameters', parameter: [{ name: 'code', valueCode: '1963-8' }] },
      request: { method: 'POST', url: 'ValueSet/$lookup' },
    },
    { fullUrl: 'urn:uuid:8', request: { method: 'GET', url: 'Patient?name=Chalmers&_count=1' } },
    {
      request: {
        method: 'GET',
        url: 'Patient/b',
        ifNoneMatch: 'W/"4"',
        ifModifiedSince: '2015-08-31T08:14:33+10:00',
      },
    },
  ),
  id: 'bundle-transaction',
  meta: { lastUpdated: '2014-08-18T01:43:30Z' },
});

it('A search in a record is refused for a parameter that the server does not list, alone and in a transaction', async () => {
  const url = 'Patient/a/Observation?unheard-of=x';
  const token = gateway.gateway.tokenFor('system/*.cruds');
  const body = JSON.stringify(bundle({ request: { method: 'GET', url } }));
  const headers = { 'content-type': 'application/fhir+json' };
  expect((await gateway.gateway.fetch(`/${url}`, token)).status).toBe(400);
  expect((await gateway.gateway.fetch('/', token, { method: 'POST', body, headers })).status).toBe(400);
  expect(gateway.server.requests.filter(({ method }) => method === 'POST')).toEqual([]);
});

describe('A transaction with every kind of request', () => {
  const fhirUser = () => `${gateway.gateway.base}/Practitioner/dr`;
  const send = (scope: string, facts: object = {}) =>
    gateway.gateway.fetch('/', gateway.gateway.tokenFor(scope, facts), {
      method: 'POST',
      body: JSON.stringify(everyKind()),
      headers: { 'content-type': 'application/fhir+json' },
    });

  it.each<[string, boolean]>([
    ['system/*.cruds system/ValueSet.$lookup', false],
    ['user/*.cruds user/*.$lookup', true],
  ])('passes whole with the scopes %s', async (scope, isOfUser) => {
    const response = await send(scope, isOfUser ? { fhirUser: fhirUser() } : {});
    const text = await response.text();
    expect([response.status, text.slice(0, 300)]).toEqual([200, text.slice(0, 300)]);
    const { entry } = JSON.parse(text) as {
      entry: { resource?: { link?: { relation: string; url: string }[] }; response: { status: string } }[];
    };
    expect(entry.map(({ response }) => response.status)).toEqual([
      ...['201', '201', '201', '201', '200', '204', '204', '200', '200', '200'],
    ]);
    expect(entry[7]?.resource).toMatchObject({ parameter: [{ name: 'display', valueString: '1963-8' }] });
    const next = entry[8]?.resource?.link?.find(({ relation }) => relation === 'next')?.url ?? '';
    expect(next).toMatch(gateway.gateway.base);
    const further = await gateway.gateway.fetch(
      next.slice(gateway.gateway.base.length),
      gateway.gateway.tokenFor(scope, isOfUser ? { fhirUser: fhirUser() } : {}),
    );
    expect([further.status, text.includes(gateway.server.url)]).toEqual([200, false]);
  });

  it.each([
    'system/*.cruds',
    'system/Patient.cruds system/ValueSet.cruds system/*.$lookup',
    'system/*.rs system/*.$lookup',
  ])('is refused as a whole with the scopes %s', async (scope) => {
    expect((await send(scope)).status).toBe(403);
    expect(gateway.server.requests.filter(({ method }) => method === 'POST')).toEqual([]);
  });
});
