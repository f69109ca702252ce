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
