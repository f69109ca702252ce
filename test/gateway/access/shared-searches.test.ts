import type { Bundle } from '@medplum/fhirtypes';
import fc from 'fast-check';
import { startGateway, type TestGateway } from '../../support/fhir/gateway.js';
import { kindsAboutOthers, records, sharedKinds } from '../../support/fhir/mixed-kinds.js';
import { RecordServer, type Stored } from '../../support/fhir/record-server.js';
import { searchedBy, searchParametersOf } from '../../support/fhir/search-definitions.js';
import { runs } from '../../support/runs.js';

/** A server with everything, and one that has only what the token is shown. */
const [whole, shown] = [new RecordServer(), new RecordServer()];
let gateways: TestGateway[];
let tokens: string[];

beforeAll(async () => {
  await Promise.all([whole.start(), shown.start()]);
  gateways = await Promise.all([whole, shown].map(({ upstream }) => startGateway(upstream.url)));
  await Promise.all(gateways.map((gateway) => gateway.loadCapabilities()));
  tokens = gateways.map((gateway) => gateway.tokenFor('patient/*.rs', { patient: 'p1' }));
});

afterAll(async () => {
  await Promise.all(gateways.map((gateway) => gateway.close()));
  for (const { upstream } of [whole, shown]) upstream.close();
});

const own = [
  'Condition/of-p1',
  'Observation/of-p1',
  'Patient/p1',
  'Practitioner/d1',
  'Device/ward',
  'RelatedPerson/of-p1',
];
const foreign = [
  'Condition/of-p2',
  'Observation/of-p2',
  'Patient/p2',
  'Device/of-p2',
  'RelatedPerson/of-p2',
  'Condition/gone',
];
const tag = [{ system: 'http://terminology.hl7.org/CodeSystem/v3-ObservationValue', code: 'SUBSETTED' }];

interface Made {
  resource: Stored;
  /** The resource that it names. */
  reference: string;
  /** What is shown of it if that is of another record; undefined for nothing. */
  part?: object;
}
const references = fc.constantFrom(...own, ...foreign);
const made: fc.Arbitrary<Made> = fc
  .tuple(fc.constantFrom(...kindsAboutOthers, ...sharedKinds, ...sharedKinds, ...sharedKinds), references)
  .map(([[, make, part], reference]) => ({ resource: make({ reference }), reference, ...(part && { part }) }));

/** What the token is shown of a resource: the oracle knows from its making whether it names another record. */
function partOf({ resource, reference, part }: Made): Stored[] {
  if (own.includes(reference)) return [resource];
  return part ? [{ resourceType: resource.resourceType, id: resource.id, ...part, meta: { tag } }] : [];
}

const modifiers = fc.oneof(
  { weight: 6, arbitrary: fc.constant('') },
  { weight: 1, arbitrary: fc.constantFrom(':Patient', ':Condition', ':missing', ':not', ':identifier', '.name') },
);
/** A value that asks for what a resource names, or for something else. */
const values: fc.Arbitrary<(made: Made) => string> = fc.oneof(
  fc.constant(({ reference }: Made) => reference),
  fc.constant(({ reference }: Made) => reference.split('/')[1] ?? ''),
  references.map(
    (other) =>
      ({ reference }: Made) =>
        `${other},${reference}`,
  ),
  references.map((other) => () => other),
  fc
    .constantFrom('p1', 'true', 'false', 'booked', 'declined', 'r0,r1', '-actor', 'member', '_lastUpdated')
    .map((text) => () => text),
);
const conditions = fc.array(fc.tuple(fc.nat(), modifiers, values), { maxLength: 2 });

/** The search for the type of a resource by its parameters, most of the time by those that name resources. */
function searchFor(one: Made, asked: readonly [number, string, (made: Made) => string][]): string {
  const { resourceType } = one.resource;
  const all = ['_sort', '_id', ...searchParametersOf(resourceType)];
  const naming = all.filter((name) =>
    (searchedBy(resourceType, name)?.paths ?? []).some((path) => isNaming(one, path)),
  );
  const names = [...all, ...naming, ...naming, ...naming, ...naming, ...naming];
  const query = asked.map(([pick, modifier, value]): [string, string] => [
    `${names[pick % names.length]}${modifier}`,
    value(one),
  ]);
  return `/${resourceType}?${new URLSearchParams(query)}`;
}

function isNaming({ resource, reference }: Made, [first = '']: readonly string[]): boolean {
  return JSON.stringify(resource[first] ?? '').includes(reference);
}

interface Answer {
  status: number;
  total: number | undefined;
  hasMore: boolean;
  found: unknown[];
}

async function search(index: number, path: string): Promise<Answer> {
  const gateway = gateways[index] as TestGateway;
  const response = await gateway.fetch(path, tokens[index]);
  const { total, link = [], entry = [] } = (await response.json()) as Bundle;
  const found = entry.map(({ resource }) => ({ ...resource, meta: { tag: resource?.meta?.tag } }));
  return { status: response.status, total, hasMore: link.some(({ relation }) => relation === 'next'), found };
}

function haveBoth(all: readonly Made[]): void {
  const numbered = all.map((one, index) => ({ ...one, resource: { ...one.resource, id: `r${index}` } }));
  whole.have(...records, ...numbered.map(({ resource }) => resource));
  shown.have(...records.filter(({ id }) => !id.endsWith('p2')), ...numbered.flatMap(partOf));
}

describe('a search under a patient’s token', () => {
  it('is answered as by a server that has nothing but what is shown', async () => {
    const seen = { found: 0, part: 0, empty: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(made, { minLength: 1, maxLength: 4 }), conditions, async (all, asked) => {
        haveBoth(all);
        const path = searchFor(all[0] as Made, asked);
        const [answer, expected] = [await search(0, path), await search(1, path)];
        expect([path, answer]).toEqual([path, expected]);
        seen.found += answer.found.length;
        seen.part += JSON.stringify(answer.found).includes('SUBSETTED') ? 1 : 0;
        seen.empty += answer.status === 200 && answer.found.length === 0 ? 1 : 0;
      }),
      runs(300, 20_000),
    );
    expect(Math.min(seen.found, seen.part, seen.empty)).toBeGreaterThan(5);
  });
});

describe('a search for what is not shown', () => {
  const withOther = (reference: string) =>
    [...kindsAboutOthers, ...sharedKinds].map(([, make], index) => ({ ...make({ reference }), id: `m${index}` }));

  beforeAll(() => whole.have(...records, ...withOther('Patient/p2'), ...withOther('Condition/of-p2')));

  test.each([
    'Appointment?actor=Patient/p2',
    'Appointment?actor=p2',
    'Appointment?actor:Patient=p2',
    'Appointment?patient=p1&patient=p2',
    'Appointment?patient=p2',
    'Appointment?actor=Patient/p2,Patient/p3&_count=1',
    'Appointment?patient=p1&actor=Patient/p2',
    'Provenance?target=Condition/of-p2',
    'Provenance?target=Condition/of-p2&_count=1',
    'Provenance?patient=p1&target=Patient/p2',
    'AuditEvent?entity=Condition/of-p2',
    'AuditEvent?agent=RelatedPerson/of-p2',
    'AuditEvent?patient=p1&patient=Patient/p2',
    'List?item=Condition/of-p2',
    'List?item=Condition/none',
    'Group?member=Patient/p2',
    'Schedule?actor=Patient/p2',
    'Composition?entry=Condition/of-p2',
    'DocumentManifest?item=Condition/of-p2',
    'Task?focus=Condition/of-p2',
    'Account?subject=Patient/p2',
    'Person?link=Patient/p2',
    'Patient/p2/Appointment',
  ])('finds nothing, and counts nothing, by %s', async (path) => {
    expect(await search(0, `/${path}`)).toEqual({ status: 200, total: 0, hasMore: false, found: [] });
  });

  test.each([
    'Appointment?actor:identifier=mrn-p2',
    'Appointment?actor:not=Patient/p2',
    'Appointment?patient:missing=false',
    'Appointment?part-status=declined',
    'Appointment?_sort=patient',
    'Appointment?_sort=date,-actor',
    'Appointment?actor:Patient.name=Ben',
    'Appointment?unheard-of=Ben',
    'Group?member:not=Patient/p1',
    'Provenance?target:identifier=x',
    'List?item:missing=true',
    'Patient?_has:Appointment:actor:date=2026',
  ])('is refused by %s', async (path) => {
    expect((await search(0, `/${path}`)).status).toBeGreaterThanOrEqual(400);
  });

  test.each([
    ['Appointment?actor=Patient/p1&status=booked', 1],
    ['Appointment?actor=d1', 1],
    ['Appointment?actor=Practitioner/d1,Patient/p2', 1],
    ['Appointment?actor:Practitioner=d1&_sort=-date', 1],
    ['Group?member=Patient/p1&_id=m25', 1],
    ['List?subject=Patient/p1', 0],
  ])('does not keep %s from what is shown', async (path, count) => {
    const { found, total } = await search(0, `/${path}`);
    expect([found.length, total]).toEqual([count, count]);
  });

  test('costs no more requests to the server than before for clinical types, and few for others', async () => {
    const list = (id: string) => ({ resourceType: 'List', id, subject: { reference: 'Patient/p1' }, entry: entries });
    const items = Array.from({ length: 9 }, (_, index) => `c${index}`);
    const entries = items.map((id) => ({ item: { reference: `Condition/${id}` } }));
    const conditions = items.map((id) => ({ resourceType: 'Condition', id, subject: { reference: 'Patient/p1' } }));
    whole.have(...records, ...conditions, list('l1'), list('l2'));
    const requestsFor = async (path: string) => {
      whole.upstream.requests.length = 0;
      const { found } = await search(0, path);
      return [found.length, whole.upstream.requests.length];
    };
    expect(await requestsFor('/Observation')).toEqual([1, 1]);
    expect(await requestsFor('/Condition?_count=50')).toEqual([10, 1]);
    expect(await requestsFor('/List')).toEqual([2, 2]);
  });
});
