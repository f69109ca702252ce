import { DialectGateway, tokenKinds } from '../../support/fhir/dialect-gateway.js';
import { categorySystem } from '../../support/fhir/dialect-server/records.js';
import { dialect } from '../../support/fhir/dialects.js';

let gateway: DialectGateway;
beforeAll(async () => {
  gateway = await DialectGateway.start(dialect('HAPI'));
});
beforeEach(() => {
  gateway.server.reset();
  gateway.server.requests.length = 0;
});
afterAll(() => gateway.close());

const ofPatient = (id: string) => `Patient?identifier=https://hospital.example/mrn|mrn-${id}`;
const observation = (more: object = {}) => ({
  resourceType: 'Observation',
  status: 'final',
  category: [{ coding: [{ system: categorySystem, code: 'laboratory' }] }],
  code: { text: 'Glucose' },
  subject: { reference: ofPatient('a') },
  ...more,
});
const create = (resource: object) => ({
  fullUrl: 'urn:uuid:1',
  resource,
  request: { method: 'POST', url: 'Observation' },
});
const bundle = (...entry: object[]) => ({ resourceType: 'Bundle', type: 'transaction', entry });
const changes = () => gateway.server.requests.filter(({ method }) => method !== 'GET');

describe.each(tokenKinds)('A reference by a search in a transaction with the token for %s', (kind) => {
  const send = (resource: object) => gateway.send('POST', '/', kind, bundle(create(resource)));

  it('is sent as the one resource that it finds', async () => {
    const derivedFrom = [
      { reference: `${gateway.gateway.base}/Observation?identifier=a-2`, display: 'before' },
      { reference: 'Observation/a-obs-1' },
    ];
    const value = { valueQuantity: { value: 1.5 }, note: [{ text: ofPatient('b') }] };
    const response = await send(observation({ derivedFrom, ...value }));
    expect(response.status).toBe(200);
    expect(gateway.server.stored().at(-1)).toMatchObject({
      subject: { reference: 'Patient/a' },
      derivedFrom: [{ reference: 'Observation/a-obs-2', display: 'before' }, { reference: 'Observation/a-obs-1' }],
      ...value,
    });
    expect(changes().map(({ body }) => body.replace(/"text":"[^"]*"/g, ''))).toEqual([
      expect.not.stringContaining('identifier='),
    ]);
  });

  it('is refused alike where it finds none and where it finds several, and nothing is changed', async () => {
    const told: unknown[] = [];
    for (const reference of ['Observation?identifier=none', 'Observation?patient=a', 'Observation?patient=b']) {
      const response = await send(observation({ derivedFrom: [{ reference }] }));
      told.push([response.status, await response.json()]);
    }
    expect(told[0]).toEqual([412, expect.objectContaining({ resourceType: 'OperationOutcome' })]);
    expect(told).toEqual([told[0], told[0], told[0]]);
    expect(changes()).toEqual([]);
  });

  it.each<[string, string]>([
    ['that the server does not know', 'Observation?colour=blue'],
    ['that reaches other types', 'Observation?subject.name=Able'],
    ['without a value', 'Observation?identifier='],
    ['for a control parameter', 'Observation?_id=a-obs-1'],
  ])('is refused by a condition %s', async (_what, reference) => {
    const response = await send(observation({ derivedFrom: [{ reference }] }));
    expect(response.status).toBe(400);
    expect(changes()).toEqual([]);
  });

  it('is looked for once, however often it is there', async () => {
    const other = { ...create(observation()), fullUrl: 'urn:uuid:2' };
    expect((await gateway.send('POST', '/', kind, bundle(create(observation()), other))).status).toBe(200);
    const searches = gateway.server.requests.filter(({ url }) => url.includes('identifier'));
    expect(searches).toHaveLength(1);
  });

  it('is there at most 50 times', async () => {
    const derivedFrom = Array.from({ length: 51 }, (_, index) => ({ reference: `Observation?identifier=${index}` }));
    expect((await send(observation({ derivedFrom }))).status).toBe(403);
    expect(gateway.server.requests).toEqual([]);
  });

  it('stays refused outside of a transaction', async () => {
    expect((await gateway.send('POST', '/Observation', kind, observation())).status).toBe(403);
    const batch = { ...bundle(create(observation())), type: 'batch' };
    const answered = (await (await gateway.send('POST', '/', kind, batch)).json()) as {
      entry: { response: { status: string } }[];
    };
    expect(answered.entry[0]?.response.status).toBe('403');
    expect(changes()).toEqual([]);
  });
});

describe.each(['patient', 'categories'] as const)('With the token for %s a reference by a search', (kind) => {
  it('finds nothing of another patient', async () => {
    for (const reference of [ofPatient('b'), ofPatient('none')]) {
      const response = await gateway.send('POST', '/', kind, bundle(create(observation({ subject: { reference } }))));
      expect([reference, response.status]).toEqual([reference, 412]);
    }
    expect(changes()).toEqual([]);
  });

  it('takes a scope to search for its type', async () => {
    const encounter = { reference: 'Encounter?identifier=x' };
    const response = await gateway.send('POST', '/', kind, bundle(create(observation({ encounter }))));
    expect(response.status).toBe(kind === 'patient' ? 412 : 403);
  });
});

it('finds what all records share, for a token of one patient', async () => {
  gateway.server.requests.length = 0;
  const performer = [{ reference: 'Practitioner?family=Doctor' }];
  const response = await gateway.send('POST', '/', 'patient', bundle(create(observation({ performer }))));
  expect(response.status).toBe(200);
  expect(gateway.server.stored().at(-1)).toMatchObject({ performer: [{ reference: 'Practitioner/dr' }] });
});
