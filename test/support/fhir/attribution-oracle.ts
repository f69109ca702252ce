import type { Bundle } from '@medplum/fhirtypes';
import fc from 'fast-check';
import type { AccessDetail } from '../../../src/contract/audit/access-detail.js';
import { subjectElements } from '../../model/decision/definitions.js';
import { runs } from '../runs.js';
import type { DemoGateway } from './demo-gateway.js';
import { request, scope, textOf, who } from './permission-oracle.js';

type Json = Record<string, unknown>;

function at(value: unknown, path: readonly string[]): unknown[] {
  if (Array.isArray(value)) return value.flatMap((one) => at(one, path));
  if (typeof value !== 'object' || value === null) return [];
  const [name, ...rest] = path;
  return name === undefined ? [value] : at((value as Json)[name], rest);
}

/**
 * A second implementation of whose data is in an answer, independent of the gateway's: every object with a resource
 * type counts by HL7's elements, a Patient by its id unless it is contained.
 */
function patientsIn(answer: unknown, base: string): Set<string> {
  const found = new Set<string>();
  const visit = (value: unknown, isContained: boolean) => {
    if (typeof value !== 'object' || value === null) return;
    const { resourceType, id } = value as Json;
    if (resourceType === 'Patient' && !isContained) found.add(String(id));
    for (const path of subjectElements.get(String(resourceType)) ?? []) {
      for (const reference of at(value, [...path, 'reference']).concat(at(value, path))) {
        const text = typeof reference === 'object' ? (reference as Json).reference : undefined;
        const [, patient] = new RegExp(`^(?:${base}/)?Patient/([^/]+)(?:/_history/[^/]+)?$`).exec(String(text)) ?? [];
        if (patient !== undefined) found.add(patient);
      }
    }
    for (const [name, child] of Object.entries(value)) visit(child, isContained || name === 'contained');
  };
  visit(answer, false);
  return found;
}

/** The patients in the events of one request. */
const patientsOf = (events: readonly AccessDetail[]) => new Set(events.flatMap(({ patients = [] }) => patients));

const types = ['Patient', 'Encounter', 'Condition', 'Observation', 'Practitioner', 'MedicationRequest', 'Provenance'];
/** Requests of all kinds, next to those that the rules of scopes are tested with. */
const target = fc.oneof(
  { weight: 4, arbitrary: request.map(pathOf) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        fc.constantFrom(...types),
        fc.constantFrom('_count=200', '_count=2', '_include=*', '_revinclude=Provenance:target'),
      )
      .map(([type, query]) => `/${type}?${query}`),
  },
  { weight: 2, arbitrary: fc.constantFrom('1', '2', '3').map((id) => `/Patient/${id}/$everything?_count=50`) },
  { weight: 1, arbitrary: fc.constantFrom('1', '2', '3').map((id) => `/Patient/${id}/_history`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('/Patient/_history', '/Observation/_history', '/Observation/$lastn?patient=1'),
  },
);

function pathOf(asked: typeof request extends fc.Arbitrary<infer One> ? One : never): string {
  if (asked.kind === 'read') return `/${asked.type}/${(asked.pick % 5) + 1}${asked.history}`;
  return `${asked.inRecord === null ? '' : `/Patient/${asked.inRecord}`}/${asked.type}?${asked.query}`;
}

const method = fc.constantFrom('GET', 'GET', 'GET', 'GET', 'HEAD', 'batch', 'unchanged', 'next page');

/**
 * Compares the patients in the record with those in the answer, for generated requests with generated tokens of all
 * kinds.
 */
export function testAttribution(gatewayAtHand: () => DemoGateway): void {
  test('records exactly the patients whose data was in the answer', async () => {
    const demo = gatewayAtHand();
    const { audit, base } = demo.gateway;
    const seen = { patients: 0, several: 0, empty: 0 };
    const scopes = fc.array(
      fc.oneof(scope, fc.constant({ subject: 'system' as never, type: '*', actions: 'rs', category: undefined })),
      { minLength: 1, maxLength: 3 },
    );
    await fc.assert(
      fc.asyncProperty(scopes, who, target, method, async (granted, person, path, how) => {
        const token = demo.gateway.tokenFor(granted.map(textOf).join(' '), {
          ...(person.patient === undefined ? {} : { patient: person.patient }),
          fhirUser: `${base}/${person.fhirUser}`,
        });
        audit.taken();
        let response = await send(path);
        const first = response.ok ? await bodyOf(response) : undefined;
        if (how === 'batch' || how === 'GET' || how === 'HEAD') return check(response, first);
        const etag = response.headers.get('etag');
        const next = (first as Bundle | undefined)?.link?.find(({ relation }) => relation === 'next')?.url;
        audit.taken();
        if (how === 'unchanged')
          response = await demo.read(path, token, { headers: { 'if-none-match': etag ?? 'W/"1"' } });
        else if (next === undefined) return;
        else response = await demo.read(next.slice(base.length), token);
        check(response, response.ok ? await bodyOf(response) : undefined);

        function send(to: string): Promise<Response> {
          if (how !== 'batch') return demo.read(to, token, { method: how === 'HEAD' ? 'HEAD' : 'GET' });
          const entry = [to, '/Patient/1', '/Observation?patient=2&_count=3'].map((url) => ({
            request: { method: 'GET', url: url.slice(1) },
          }));
          return demo.send('POST', '', token, { resourceType: 'Bundle', type: 'batch', entry });
        }
        function check(answered: Response, body: unknown): void {
          const events = audit.taken();
          if (answered.status >= 400) return;
          const succeeded = events.filter(({ status }) => status < 400);
          const expected = patientsIn(body, base);
          expect([path, how, [...patientsOf(succeeded)].sort()]).toEqual([path, how, [...expected].sort()]);
          for (const { patients = [], seen: kinds = [] } of succeeded.filter(({ target: at }) => at !== '')) {
            expect(kinds).toHaveLength(patients.length);
          }
          seen.patients += expected.size;
          if (expected.size > 1) seen.several += 1;
          if (expected.size === 0) seen.empty += 1;
        }
      }),
      runs(150, 5_000),
    );
    // The comparison proves nothing if everything is refused.
    expect(seen.patients).toBeGreaterThan(40);
    expect(seen.several).toBeGreaterThan(5);
    expect(seen.empty).toBeGreaterThan(3);
  });
}

async function bodyOf(response: Response): Promise<unknown> {
  const text = await response.text();
  return text === '' ? undefined : JSON.parse(text);
}
