import fc from 'fast-check';
import { OtherPatientGateway, otherPatientText, types } from '../../support/fhir/other-patient-gateway.js';
import { runs } from '../../support/runs.js';

let gateway: OtherPatientGateway;

beforeAll(async () => {
  gateway = await OtherPatientGateway.start();
});

afterAll(() => gateway.close());

const about = (id: string) => ({
  resourceType: 'Observation',
  id: id.replace('p', 'o'),
  subject: { reference: `Patient/${id}` },
});

const segments = fc.constantFrom(
  ...['Observation', 'Patient', 'Encounter', 'Provenance', 'Group', 'observation', 'p1', 'p2', 'o1', 'o2', '1'],
  ...['_history', '_search', '_page', '$everything', '$export', '$lastn', '$graphql', '$meta-add', 'metadata'],
  ...['', '.', '..', '%2e%2e', '%2F', '%00', '%', ';x=1', '*', 'p1%2C p2', '%ED%A0%80', 'Observation%3Fpatient=p2'],
);
const names = fc.constantFrom(
  ...['patient', 'subject', 'subject:Patient', 'subject.name', 'code', 'patient:not', 'patient:missing', 'code:text'],
  ...[
    '_id',
    '_include',
    '_revinclude',
    '_include:iterate',
    '_has:Observation:subject:code',
    '_filter',
    '_query',
    '_list',
  ],
  ...['_type', '_elements', '_summary', '_contained', '_total', '_count', '_sort', '_format', '_method', '_getpages'],
  ...['_link', '_since', '_at', 'Patient', '%70atient', 'unheard-of', '', '_security', '_profile', '_text'],
);
const values = fc.constantFrom(
  ...['p1', 'p2', 'Patient/p1', 'Patient/p2', 'Patient/p1,Patient/p2', 'p1%2Cp2', 'http://evil.example/Patient/p2', ''],
  ...[
    '*',
    'Observation:subject',
    'Observation:subject:Patient',
    'true',
    'data',
    'count',
    'xml',
    'json',
    '0',
    '-1',
    '1e9',
  ],
  ...['laboratory', 'x|y', '|', '\\,', '%00', '%ZZ', '%F0%9F%98%80', 'patient eq p2', 'category=laboratory', 'note'],
);
const queries = fc
  .array(fc.tuple(names, values), { maxLength: 4 })
  .map((pairs) => (pairs.length > 0 ? `?${pairs.map((pair) => pair.join('=').replaceAll(' ', '+')).join('&')}` : ''));
const paths = fc.oneof(
  fc.array(segments, { maxLength: 5 }),
  fc.tuple(fc.constantFrom(...types), fc.constantFrom('o1', 'o2', 'p1', 'p2', '_search', '_history')),
  fc.tuple(fc.constantFrom(...types)),
);
const targets = fc
  .tuple(paths, queries)
  .map(([path, query]) => path.map((segment) => `/${segment.replaceAll(' ', '+')}`).join('') + query);

const methods = fc.constantFrom(
  ...['GET', 'GET', 'GET', 'POST', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'QUERY'],
);
const resources: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  any: fc.oneof(
    fc.constantFrom(about('p1'), about('p2'), {
      resourceType: 'Patient',
      id: 'p1',
    }),
    fc.constantFrom(
      null,
      [],
      'Observation',
      { resourceType: 7 },
      { resourceType: 'Bundle' },
      { resourceType: 'Parameters' },
    ),
    tie('bundle'),
    fc.jsonValue(),
  ),
  bundle: fc.record({
    resourceType: fc.constant('Bundle'),
    type: fc.constantFrom('batch', 'transaction', 'history', 'x'),
    entry: fc.oneof(
      { depthSize: 'small' },
      fc.array(
        fc.record(
          {
            fullUrl: fc.constantFrom('urn:uuid:61ebe359-bfdc-4613-8bf2-c5e300945f0a', 'http://x/Patient/p2', ''),
            request: fc.record(
              { method: methods, url: targets.map((target) => target.slice(1)), ifNoneExist: queries, ifMatch: values },
              { requiredKeys: ['method', 'url'] },
            ),
            resource: tie('any'),
          },
          { requiredKeys: ['request'] },
        ),
        { maxLength: 3 },
      ),
      fc.jsonValue(),
    ),
  }),
})).any;
const bodies = fc.oneof(
  resources.map((resource) => JSON.stringify(resource) ?? ''),
  queries.map((query) => query.slice(1)),
  fc.constantFrom(
    '',
    '{',
    '[{"op":"replace","path":"/subject/reference","value":"Patient/p2"}]',
    '\u0000',
    '<Patient/>',
  ),
);
const headers = fc.record(
  {
    'content-type': fc.constantFrom(
      ...['application/fhir+json', 'application/json', 'application/json-patch+json', 'application/fhir+xml'],
      ...['application/x-www-form-urlencoded', 'text/plain', 'x', 'application/fhir+json; charset=utf-16'],
    ),
    accept: fc.constantFrom('application/fhir+xml', 'text/html', '*/*;q=0', 'application/fhir+json;fhirVersion=3.0'),
    prefer: fc.constantFrom('handling=lenient', 'return=minimal', 'respond-async', 'return=OperationOutcome', 'x'),
    'x-http-method-override': fc.constantFrom('GET', 'DELETE'),
    'if-none-exist': values,
    'if-match': fc.constantFrom('W/"1"', '*', 'x'),
    'if-none-match': fc.constantFrom('W/"1"', '*'),
    'if-modified-since': fc.constantFrom('x', 'Sat, 21 Nov 2026 00:00:00 GMT'),
    range: fc.constant('bytes=0-1'),
    'x-provenance': fc.constant('{"resourceType":"Provenance"}'),
    'content-encoding': fc.constantFrom('gzip', 'x'),
    'x-forwarded-host': fc.constant('evil.example'),
  },
  { requiredKeys: [] },
);

describe('any generated request with a patient’s token', () => {
  it('returns no resource of another patient, and is always answered', async () => {
    await fc.assert(
      fc.asyncProperty(methods, targets, bodies, headers, async (method, target, body, sent) => {
        const bare = method === 'GET' || method === 'HEAD';
        const { status, text } = await gateway.send(method, target, { headers: sent, ...(bare ? {} : { body }) });
        expect(text).not.toContain(otherPatientText);
        // All resources of the server belong to another patient, so the token permits no change.
        const changes = gateway.upstream.requests.filter(
          ({ method: used }) => !['GET', 'HEAD', 'POST'].includes(used ?? ''),
        );
        expect(changes.map(({ method: used, url }) => [used, url])).toEqual([]);
        gateway.upstream.requests.length = 0;
        expect(status).toBeLessThan(500);
        if (status >= 400 && text !== '') expect(JSON.parse(text)).toHaveProperty('resourceType', 'OperationOutcome');
      }),
      runs(500, 30_000),
    );
  });
});
