import { DialectGateway, tokenKinds } from '../../support/fhir/dialect-gateway.js';
import { dialect } from '../../support/fhir/dialects.js';

let gateway: DialectGateway;
beforeAll(async () => {
  gateway = await DialectGateway.start(dialect('HAPI'));
});
beforeEach(() => gateway.server.reset());
afterAll(() => gateway.close());

const xml = { accept: 'application/fhir+xml' };
const form = { 'content-type': 'application/x-www-form-urlencoded' };

describe('_format in a request', () => {
  it.each(['json', 'application/json;charset=utf-8', 'application/fhir+json', 'Application/FHIR+JSON', 'text/json'])(
    'as %s overrides the Accept header, with each kind of token',
    async (format) => {
      const query = `_format=${encodeURIComponent(format)}`;
      for (const kind of tokenKinds) {
        const statuses = [
          await gateway.fetch(`/Patient/a?${query}`, kind, { headers: xml }),
          await gateway.fetch(`/Observation?patient=a&${query}`, kind, { headers: xml }),
          await gateway.fetch('/Observation/_search', kind, {
            method: 'POST',
            body: `patient=a&${query}`,
            headers: { ...form, ...xml },
          }),
        ].map(({ status }) => status);
        expect([kind, statuses]).toEqual([kind, [200, 200, 200]]);
      }
      const metadata = await gateway.gateway.fetch(`/metadata?${query}`, undefined, { headers: xml });
      expect(metadata.status).toBe(200);
    },
  );

  it('that is missing leaves the Accept header to decide, also about the CapabilityStatement', async () => {
    for (const kind of tokenKinds) {
      expect((await gateway.fetch('/Patient/a', kind, { headers: xml })).status).toBe(406);
      const search = { method: 'POST', body: 'patient=a', headers: { ...form, ...xml } };
      expect((await gateway.fetch('/Observation/_search', kind, search)).status).toBe(406);
    }
    const metadata = (path: string, accept: string) => gateway.gateway.fetch(path, undefined, { headers: { accept } });
    expect((await metadata('/metadata', 'application/fhir+xml')).status).toBe(406);
    expect((await metadata('/metadata?_format=xml', 'application/fhir+json')).status).toBe(406);
    expect((await metadata('/metadata', 'text/html,application/xhtml+xml,*/*;q=0.8')).status).toBe(200);
    expect((await metadata('/metadata', 'application/json+fhir')).status).toBe(200);
  });
});

describe('A search by POST in the record of a patient', () => {
  const found = async (response: Response) => {
    const { entry = [] } = (await response.json()) as { entry?: { resource: { id: string } }[] };
    return [response.status, entry.map(({ resource }) => resource.id)];
  };
  it.each(tokenKinds)('finds what the one by GET finds, with the token for %s', async (kind) => {
    for (const id of ['a', 'b']) {
      const asked = await found(await gateway.fetch(`/Patient/${id}/Observation?category=laboratory`, kind));
      const search = { method: 'POST', body: 'category=laboratory', headers: form };
      expect(await found(await gateway.fetch(`/Patient/${id}/Observation/_search`, kind, search))).toEqual(asked);
      const both = { method: 'POST', headers: form };
      const path = `/Patient/${id}/Observation/_search?category=laboratory`;
      expect(await found(await gateway.fetch(path, kind, both))).toEqual(asked);
    }
    expect((await gateway.fetch('/Patient/a/Observation/_search', kind)).status).toBe(405);
  });
});

describe('A browser’s preflight request', () => {
  const allowed = async (asked: string) => {
    const headers = { origin: 'https://app.example', 'access-control-request-headers': asked };
    const response = await gateway.gateway.fetch('/Patient/a', undefined, { method: 'OPTIONS', headers });
    return (response.headers.get('access-control-allow-headers') ?? '').toLowerCase().split(/ *, */);
  };

  it('may ask for any header of tracing, caches and libraries', async () => {
    const asked = [
      ...['authorization', 'baggage', 'cache-control', 'content-type', 'pragma', 'request-id', 'sentry-trace'],
      ...['traceparent', 'tracestate', 'x-correlation-id', 'x-request-id', 'x-requested-with'],
    ];
    expect(await allowed(asked.join(','))).toEqual(expect.arrayContaining(asked));
  });

  it('gets the usual headers for what is no list of names', async () => {
    for (const asked of ['a b', 'x'.repeat(65), Array.from({ length: 51 }, (_, index) => `x-${index}`).join(',')]) {
      const names = await allowed(asked);
      expect(names).toContain('authorization');
      expect(names).not.toContain(asked.split(',')[0]);
    }
  });

  it('lets the app read the headers of FHIR', async () => {
    const response = await gateway.fetch('/Patient/a', 'patient');
    for (const name of [
      'Location',
      'Content-Location',
      'ETag',
      'Last-Modified',
      'Retry-After',
      'X-Progress',
      'X-Correlation-Id',
    ]) {
      expect(response.headers.get('access-control-expose-headers')).toContain(name);
    }
  });
});

it.each(['/.well-known/openid-configuration', '/.well-known/x'])('%s below the base does not exist', async (path) => {
  const response = await gateway.gateway.fetch(path);
  expect([response.status, await response.json()]).toEqual([
    404,
    expect.objectContaining({ resourceType: 'OperationOutcome' }),
  ]);
});
