import { startGateway, type TestGateway } from '../../support/fhir/gateway.js';
import { foreignReferences, kindsAboutOthers, records, sharedKinds } from '../../support/fhir/mixed-kinds.js';
import { RecordServer, type Stored } from '../../support/fhir/record-server.js';
import { inTurn } from '../../support/runs.js';

const server = new RecordServer();
let gateway: TestGateway;
let tokens: Record<string, string>;

beforeAll(async () => {
  await server.start();
  gateway = await startGateway(server.upstream.url);
  await gateway.loadCapabilities();
  const patient = { patient: 'p1' };
  tokens = {
    'patient/*.rs': gateway.tokenFor('patient/*.rs', patient),
    'patient/*.cruds': gateway.tokenFor('patient/*.cruds', patient),
    'user/*.rs of a patient': gateway.tokenFor('user/*.rs', { fhirUser: `${gateway.base}/Patient/p1` }),
    'system/*.rs': gateway.tokenFor('system/*.rs'),
    'user/*.rs of a practitioner': gateway.tokenFor('user/*.rs', { fhirUser: `${gateway.base}/Practitioner/d1` }),
  };
});

afterAll(async () => {
  await gateway.close();
  server.upstream.close();
});

const limited = ['patient/*.rs', 'patient/*.cruds', 'user/*.rs of a patient'];
const unlimited = ['system/*.rs', 'user/*.rs of a practitioner'];
const inAnother = { reference: 'Condition/of-p2' };
const inOwn = { reference: 'Condition/of-p1' };

/** By way: the request for a resource of this type. */
const ways: readonly [way: string, (type: string) => [path: string, init?: RequestInit]][] = [
  ['a read', (type) => [`/${type}/mixed`]],
  ['a read of a version', (type) => [`/${type}/mixed/_history/1`]],
  ['a history', (type) => [`/${type}/mixed/_history`]],
  ['a search', (type) => [`/${type}`]],
  ['a search by id', (type) => [`/${type}?_id=mixed`]],
  ['a search by POST', (type) => [`/${type}/_search`, { method: 'POST', headers: form, body: '_id=mixed' }]],
  ['a search in the record', (type) => [`/Patient/p1/${type}`]],
  ['$everything', () => ['/Patient/p1/$everything']],
  ['a batch with a read', (type) => batchOf(`${type}/mixed`)],
  ['a batch with a search', (type) => batchOf(`${type}?_id=mixed`)],
];
const form = { 'content-type': 'application/x-www-form-urlencoded' };

function batchOf(url: string): [path: string, init: RequestInit] {
  const body = JSON.stringify({ resourceType: 'Bundle', type: 'batch', entry: [{ request: { method: 'GET', url } }] });
  return ['', { method: 'POST', headers: { 'content-type': 'application/fhir+json' }, body }];
}

async function ask(kind: string, path: string, init?: RequestInit): Promise<{ status: number; text: string }> {
  const response = await gateway.fetch(path, tokens[kind], init);
  return { status: response.status, text: await response.text() };
}

/** The resources named `mixed` in an answer, wherever they are in it. */
function mixedIn(text: string): Stored[] {
  const found: Stored[] = [];
  JSON.parse(text, (_name, value) => {
    if (value?.id === 'mixed') found.push(value);
    return value;
  });
  return found;
}

function tellsOfTheOther(text: string): boolean {
  return /p2|Ben/.test(text);
}

const subsetted = { system: 'http://terminology.hl7.org/CodeSystem/v3-ObservationValue', code: 'SUBSETTED' };

describe.each(kindsAboutOthers.map(([kind, make], row) => [kind, make, row] as const))(
  '%s a resource of another record',
  (_kind, make, row) => {
    test.each(ways.map(([way, requestFor], index) => [way, requestFor, row + index] as const))(
      'is withheld as a whole by %s',
      async (_way, requestFor, turn) => {
        server.have(...records, make(inAnother));
        const [path, init] = requestFor(make(inAnother).resourceType);
        for (const token of inTurn(limited, turn)) {
          const { status, text } = await ask(token, path, init);
          expect([token, status, mixedIn(text), tellsOfTheOther(text)]).toEqual([token, expect.any(Number), [], false]);
          expect(status).toBeLessThan(500);
        }
      },
    );

    test('is shown whole to tokens for no patient in particular', async () => {
      server.have(...records, make(inAnother));
      for (const token of unlimited) {
        const { text } = await ask(token, `/${make(inAnother).resourceType}/mixed`);
        expect(JSON.parse(text)).toEqual({ ...make(inAnother), meta: { versionId: '1' } });
      }
    });

    test('is shown whole where what it names is of the same record', async () => {
      const resource = make(inOwn);
      server.have(...records, resource, { ...make({ reference: 'Patient/p1' }), id: 'mixed-too' });
      for (const [way, requestFor] of inTurn(ways, row)) {
        // A search in the record finds a Provenance only that names its patient; $everything has one of any resource.
        const isOrigin = way === '$everything' && resource.resourceType === 'Provenance';
        const isFound = isOrigin || JSON.stringify(resource).includes('Patient/p1');
        if (/search|everything/.test(way) && !isFound) continue;
        // An Appointment and an Account have no such reference.
        if (['Account', 'AppointmentResponse'].includes(resource.resourceType)) continue;
        const [path, init] = requestFor(resource.resourceType);
        const { text } = await ask('patient/*.rs', path, init);
        expect([way, mixedIn(text)]).toEqual([way, [{ ...resource, meta: { versionId: '1' } }]]);
      }
    });
  },
);

test.each(kindsAboutOthers)('%s what cannot be told to be of the same record is withheld', async (_kind, make) => {
  for (const [what, reference] of foreignReferences) {
    server.have(...records, make(reference));
    const { status } = await ask('patient/*.rs', `/${make(reference).resourceType}/mixed`);
    expect([what, status]).toEqual([what, 404]);
  }
});

describe.each(sharedKinds)('%s of several patients', (_kind, make, shown) => {
  test.each(ways.map(([way, requestFor], turn) => [way, requestFor, turn] as const))(
    'is shown by %s without the others, and marked',
    async (_way, requestFor, turn) => {
      for (const other of [{ reference: 'Patient/p2' }, { reference: 'RelatedPerson/of-p2' }]) {
        const resource = make(other);
        server.have(...records, resource);
        const [path, init] = requestFor(resource.resourceType);
        const expected = {
          resourceType: resource.resourceType,
          id: 'mixed',
          ...shown,
          meta: { versionId: '1', tag: [subsetted] },
        };
        for (const token of inTurn(limited, turn)) {
          const { status, text } = await ask(token, path, init);
          expect([token, status, mixedIn(text), tellsOfTheOther(text)]).toEqual([token, 200, [expected], false]);
        }
      }
    },
  );

  test('has nothing in it that cannot be told to be of the same record', async () => {
    for (const [what, reference] of foreignReferences) {
      server.have(...records, make(reference));
      const { text } = await ask('patient/*.rs', `/${make(reference).resourceType}/mixed`);
      expect([what, mixedIn(text)]).toEqual([what, [expect.objectContaining(shown)]]);
      expect([what, tellsOfTheOther(text)]).toEqual([what, false]);
    }
  });

  test('is shown whole to tokens for no patient in particular', async () => {
    const resource = make({ reference: 'Patient/p2' });
    server.have(...records, resource);
    for (const token of unlimited) {
      const { text } = await ask(token, `/${resource.resourceType}/mixed`);
      expect(JSON.parse(text)).toEqual({ ...resource, meta: { versionId: '1' } });
    }
  });

  test('is shown whole to a token for all of them', async () => {
    const resource = make({ reference: 'Patient/p2' });
    server.have(...records, resource);
    const both = gateway.tokenFor('patient/*.rs user/*.rs', { patient: 'p1', fhirUser: `${gateway.base}/Patient/p2` });
    const response = await gateway.fetch(`/${resource.resourceType}/mixed`, both);
    expect(await response.json()).toEqual({ ...resource, meta: { versionId: '1' } });
  });
});
