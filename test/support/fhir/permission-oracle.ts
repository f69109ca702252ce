import type { Bundle, Resource } from '@medplum/fhirtypes';
import fc from 'fast-check';
import { isOpen } from '../../model/decision/records.js';
import { opened } from '../../model/decision/scopes.js';
import { runs } from '../runs.js';
import type { DemoGateway } from './demo-gateway.js';

const types = ['Patient', 'Encounter', 'Condition', 'Observation', 'Practitioner', 'Organization'] as const;
const patients = ['1', '2', '3'];

/** All resources of the server, read without the gateway. */
async function dataOf(serverUrl: string): Promise<Map<string, Resource[]>> {
  const data = new Map<string, Resource[]>();
  for (const type of types) {
    const all: Resource[] = [];
    for (let url: string | undefined = `${serverUrl}/${type}?_count=500`; url !== undefined; ) {
      const bundle = (await (await fetch(url)).json()) as Bundle;
      all.push(...(bundle.entry ?? []).flatMap(({ resource }) => resource ?? []));
      url = bundle.link?.find(({ relation }) => relation === 'next')?.url;
    }
    data.set(type, all);
  }
  return data;
}

interface Scope {
  subject: 'patient' | 'user';
  type: string;
  actions: string;
  category: string | undefined;
}
interface Who {
  patient: string | undefined;
  fhirUser: string;
}

/** What the model of the decision opens; the servers of these tests have no references but relative ones. */
function opens(scopes: readonly Scope[], { patient, fhirUser }: Who, resource: Resource, action: string): boolean {
  const token = { scopes: scopes.map(textOf), user: fhirUser, ...(patient !== undefined && { patient }) };
  return isOpen(resource, opened(token, resource.resourceType, action), { bases: [] });
}

export const scope: fc.Arbitrary<Scope> = fc.record({
  subject: fc.constantFrom('patient', 'user'),
  type: fc.oneof({ weight: 3, arbitrary: fc.constant('*') }, { weight: 2, arbitrary: fc.constantFrom(...types) }),
  actions: fc.constantFrom('rs', 'rs', 'rs', 'cruds', 'r', 's', 'cud'),
  category: fc.option(fc.constantFrom('laboratory', 'vital-signs'), { nil: undefined, freq: 4 }),
});
export const who: fc.Arbitrary<Who> = fc.record({
  patient: fc.option(fc.constantFrom(...patients), { nil: undefined }),
  fhirUser: fc.constantFrom('Practitioner/practitioner-1', 'Patient/1', 'Patient/2'),
});
const query = fc
  .array(
    fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom('_count=3', '_count=200', '_offset=2', '_sort=-_lastUpdated') },
      {
        weight: 3,
        arbitrary: fc.constantFrom(
          'patient=1',
          'patient=Patient/2',
          'patient=1,2',
          'subject=Patient/3',
          'subject:Patient=2',
          'patient:missing=false',
          'patient:not=1',
          '_id=1,2,3',
          'category:not=laboratory',
        ),
      },
      {
        weight: 2,
        arbitrary: fc.constantFrom(
          '_include=Encounter:subject',
          '_include=Encounter:participant',
          '_include=Observation:encounter:Encounter',
          '_include=Condition:subject:Patient',
          '_revinclude=Observation:subject',
          '_revinclude=Condition:encounter',
          '_revinclude=Encounter:participant',
          '_include:iterate=Encounter:subject:Patient',
        ),
      },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          '_elements=code',
          '_summary=count',
          '_filter=id%20eq%201',
          '_list=1',
          '_type=Patient',
          '_has:Observation:patient:code=x',
          'subject:Patient.name=x',
          '_contained=both',
          '%70atient=2',
          'patient=2%00',
          '_total=accurate',
        ),
      },
    ),
    { maxLength: 2 },
  )
  .map((parts) => parts.join('&'));
export const request = fc.oneof(
  fc.record({
    kind: fc.constant('search' as const),
    type: fc.constantFrom(...types),
    query,
    inRecord: fc.option(fc.constantFrom(...patients), { freq: 1 }),
  }),
  fc.record({
    kind: fc.constant('read' as const),
    type: fc.constantFrom(...types),
    pick: fc.nat(),
    history: fc.constantFrom('', '/_history', '/_history/1'),
  }),
);

export const textOf = ({ subject, type, actions, category }: Scope) =>
  `${subject}/${type}.${actions}${category === undefined ? '' : `?category=${category}`}`;
export const keyOf = ({ resourceType, id }: Resource) => `${resourceType}/${id}`;

export function shown(body: Bundle | Resource): Resource[] {
  return body.resourceType === 'Bundle' ? (body.entry ?? []).flatMap(({ resource }) => resource ?? []) : [body];
}

/** Compares the gateway's answers to generated requests with the model's for all resources of the server. */
export function testAnyRequest(gatewayAtHand: () => DemoGateway): void {
  test('gets nothing but what the scopes permit, and of reads and whole searches all of that', async () => {
    const demo = gatewayAtHand();
    const data = await dataOf(demo.serverUrl);
    const seen = { answers: 0, resources: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(scope, { minLength: 1, maxLength: 3 }), who, request, async (scopes, person, asked) => {
        const isPermitted = (resource: Resource, action: string) => opens(scopes, person, resource, action);
        const token = demo.gateway.tokenFor(scopes.map(textOf).join(' '), {
          ...(person.patient === undefined ? {} : { patient: person.patient }),
          fhirUser: `${demo.gateway.base}/${person.fhirUser}`,
        });
        const all = data.get(asked.type) ?? [];
        if (asked.kind === 'read') {
          const resource = all[asked.pick % all.length];
          if (!resource) throw new Error('there is no data');
          const response = await demo.read(`/${keyOf(resource)}${asked.history}`, token);
          expect([response.status === 200, keyOf(resource)]).toEqual([isPermitted(resource, 'r'), keyOf(resource)]);
          return;
        }
        const record = asked.inRecord === null ? '' : `/Patient/${asked.inRecord}`;
        const response = await demo.read(`${record}/${asked.type}?${asked.query}`, token);
        expect(response.status).toBeLessThan(500);
        if (response.status !== 200) return;
        const bundle = (await response.json()) as Bundle;
        const resources = shown(bundle);
        seen.answers += 1;
        seen.resources += resources.length;
        for (const resource of resources.filter(({ resourceType }) => resourceType !== 'OperationOutcome')) {
          const isIncluded = resource.resourceType !== asked.type;
          const actions = isIncluded ? ['r', 's'] : ['s'];
          expect([keyOf(resource), actions.some((action) => isPermitted(resource, action))]).toEqual([
            keyOf(resource),
            true,
          ]);
        }
        const open = all.filter((resource) => isPermitted(resource, 's'));
        if (bundle.total !== undefined) expect(bundle.total).toBeLessThanOrEqual(open.length);
        const hasOnePerson = new Set(scopes.map(({ subject }) => subject)).size === 1;
        if (asked.query === '' && record === '' && hasOnePerson && all.length <= 50) {
          expect(resources.map(keyOf).sort()).toEqual(open.map(keyOf).sort());
        }
      }),
      runs(150, 20_000),
    );
    // The comparison proves nothing if everything is refused.
    expect(seen.answers).toBeGreaterThan(10);
    expect(seen.resources).toBeGreaterThan(20);
  });
}
