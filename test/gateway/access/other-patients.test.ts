import { OtherPatientGateway, otherPatientText } from '../../support/fhir/other-patient-gateway.js';

let gateway: OtherPatientGateway;

beforeAll(async () => {
  gateway = await OtherPatientGateway.start();
});

beforeEach(() => {
  gateway.upstream.requests.length = 0;
});

afterAll(() => gateway.close());

const send = (...request: Parameters<OtherPatientGateway['send']>) => gateway.send(...request);

const reads = [
  '/Observation/o2',
  '/Observation/o2/_history',
  '/Observation/o2/_history/1',
  '/Observation/o2?patient=p1',
  '/Patient/p2',
  '/Patient/p2/Observation',
  '/Patient/p1/Observation?patient=p2',
  '/Observation',
  '/Observation?patient=p1&patient=p2',
  '/Observation?patient=p2&patient=p1',
  '/Observation?patient=p1,p2',
  '/Observation?patient=p1%2Cp2',
  '/Observation?subject=Patient/p2',
  '/Observation?subject=Patient/p2/_history/1',
  '/Observation?subject=http://evil.example/Patient/p2',
  '/Observation?subject:Patient=p2',
  '/Observation?subject:identifier=x',
  '/Observation?patient:not=p1',
  '/Observation?patient:missing=true',
  '/Observation?code:not=x',
  '/Observation?Patient=p2',
  '/Observation?PATIENT=p2',
  '/Observation?%70atient=p2',
  '/Observation?patient%00=p2',
  '/Observation?unheard-of=x',
  '/observation',
  '/OBSERVATION/o2',
  '/Observation%3Fpatient=p2',
  '/Observation/%6f2',
  '/Observation/..%2fObservation/o2',
  '/Patient/p1/../../Observation/o2',
  '/Patient/p1/%2e%2e/p2',
  '/Patient/%252e%252e',
  '//Observation/o2',
  '/../r4/Observation/o2',
  '/Observation/o2;x=1',
  '/Observation/o2#p1',
  '/Observation?_filter=patient%20eq%20p2',
  '/Observation?_query=everything',
  '/Observation?_list=1',
  '/Observation?_type=Observation',
  '?_type=Observation',
  '/Observation?_elements=note',
  '/Observation?_summary=data',
  '/Observation?_summary=count',
  '/Observation?_contained=both',
  '/Observation?_containedType=container',
  '/Observation?_total=accurate',
  '/Observation?_method=GET',
  '/Observation?_include=*',
  '/Observation?_include=Observation:subject:Patient',
  '/Encounter?_revinclude=Observation:encounter',
  '/Patient?_revinclude=Observation:subject&_revinclude:iterate=Provenance:target',
  '/Patient?_has:Observation:subject:code=x',
  '/Observation?subject:Patient.name=x',
  '/Observation?subject.name=x',
  '?_getpages=1',
  '/_page?_link=1',
  '/_history',
  '/$graphql?query={ObservationList{id}}',
  '/Patient/p1/$graphql?query={id}',
  '/Patient/p1/$everything',
  '/Patient/p2/$everything',
  '/Patient/$everything',
  '/Patient/p1/$everything?_type=Observation',
  '/Encounter/e1/$everything',
  '/Observation/$lastn?patient=p2',
  '/Observation/$lastn',
  '/Observation/o2/$meta',
  '/$export',
  '/Patient/$export',
  '/Group/g1/$export',
];

const about = (reference: string, more: object = {}) =>
  JSON.stringify({ resourceType: 'Observation', subject: { reference }, ...more });
const json = { 'content-type': 'application/fhir+json' };
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const bundle = (...entry: object[]) => JSON.stringify({ resourceType: 'Bundle', type: 'batch', entry });
const own = about('Patient/p1', { id: 'o1' });

describe('a token for one patient', () => {
  test.each(reads)('reads no resource of another patient at %s', async (target) => {
    const { status, text } = await send('GET', target);
    expect(status).toBeLessThan(500);
    expect(text).not.toContain(otherPatientText);
    if (status === 200) expect(JSON.parse(text)).not.toHaveProperty('entry');
  });

  test.each<[string, string, string, Parameters<OtherPatientGateway['send']>[2]]>([
    ['a search by POST', 'POST', '/Observation/_search', { headers: form, body: 'patient=p2' }],
    [
      'a search by POST with a parameter in the address, too',
      'POST',
      '/Observation/_search?patient=p1',
      { headers: form, body: 'patient=p2' },
    ],
    ['a search of the server by POST', 'POST', '/_search', { headers: form, body: '_type=Observation' }],
    ['GraphQL by POST', 'POST', '/$graphql', { headers: json, body: '{"query":"{ObservationList{id}}"}' }],
    [
      'a read in a batch',
      'POST',
      '',
      { headers: json, body: bundle({ request: { method: 'GET', url: 'Observation/o2' } }) },
    ],
    [
      'a search in a batch',
      'POST',
      '',
      { headers: json, body: bundle({ request: { method: 'GET', url: 'Observation?patient=p2' } }) },
    ],
    [
      'a batch in a batch',
      'POST',
      '',
      {
        headers: json,
        body: bundle({
          request: { method: 'POST', url: '' },
          resource: JSON.parse(bundle({ request: { method: 'GET', url: 'Observation/o2' } })),
        }),
      },
    ],
    ['another method in a header', 'GET', '/Observation/o1', { headers: { 'x-http-method-override': 'DELETE' } }],
    [
      'a preference for lenient handling',
      'GET',
      '/Observation?unheard-of=x',
      { headers: { prefer: 'handling=lenient' } },
    ],
    ['a preference for an asynchronous response', 'GET', '/Observation/o2', { headers: { prefer: 'respond-async' } }],
    ['a WebSocket', 'GET', '/Observation/o2', { headers: { upgrade: 'websocket', connection: 'Upgrade' } }],
    ['a forwarded address', 'GET', '/metadata/../Observation/o2', { headers: { 'x-original-url': '/Observation/o2' } }],
  ])('reads no resource of another patient by %s', async (_what, method, target, more) => {
    const { status, text } = await send(method, target, more);
    expect(status).toBeLessThan(500);
    expect(text).not.toContain(otherPatientText);
    expect(gateway.upstream.requests.map(({ headers }) => headers.prefer)).not.toContain('handling=lenient');
  });

  test('deletes no resource of another patient by a condition that matches it', async () => {
    expect(await send('DELETE', '/Observation?code=x')).toEqual({ status: 204, text: '' });
    expect(gateway.upstream.requests.map(({ method }) => method)).toEqual(['GET']);
  });

  test.each<[string, string, string, Parameters<OtherPatientGateway['send']>[2]]>([
    ['a create for another patient', 'POST', '/Observation', { headers: json, body: about('Patient/p2') }],
    [
      'an update of another patient’s resource',
      'PUT',
      '/Observation/o2',
      { headers: json, body: about('Patient/p1', { id: 'o2' }) },
    ],
    ['a delete of another patient’s resource', 'DELETE', '/Observation/o2', {}],
    ['a patch', 'PATCH', '/Observation/o2', { headers: { 'content-type': 'application/json-patch+json' }, body: '[]' }],
    [
      'a contained subject',
      'POST',
      '/Observation',
      { headers: json, body: about('#p1', { contained: [{ resourceType: 'Patient', id: 'p1' }] }) },
    ],
    [
      'a subject on another server',
      'POST',
      '/Observation',
      { headers: json, body: about('http://evil.example/Patient/p1') },
    ],
    ['a subject by a search', 'POST', '/Observation', { headers: json, body: about('Patient?identifier=x') }],
    [
      'a reference by a search beside the subject',
      'POST',
      '/Observation',
      { headers: json, body: about('Patient/p1', { focus: [{ reference: 'Patient?identifier=x' }] }) },
    ],
    ['a version of another subject', 'POST', '/Observation', { headers: json, body: about('Patient/p2/_history/1') }],
    [
      'two subjects',
      'POST',
      '/Observation',
      { headers: json, body: own.replace('"subject"', '"subject":{"reference":"Patient/p2"},"subject"') },
    ],
    [
      'a conditional create for another patient',
      'POST',
      '/Observation',
      { headers: { ...json, 'if-none-exist': 'code=x' }, body: about('Patient/p2') },
    ],
    ['a conditional update', 'PUT', '/Observation?code=x', { headers: json, body: own }],
    ['a delete of everything', 'DELETE', '/Observation', {}],
    [
      'a conditional create in a batch',
      'POST',
      '',
      {
        headers: json,
        body: bundle({
          request: { method: 'POST', url: 'Observation', ifNoneExist: 'code=x' },
          resource: JSON.parse(about('Patient/p2')),
        }),
      },
    ],
    [
      'a transaction',
      'POST',
      '',
      {
        headers: json,
        body: bundle({ request: { method: 'DELETE', url: 'Observation/o2' } }).replace('"batch"', '"transaction"'),
      },
    ],
    ['another patient', 'PUT', '/Patient/p2', { headers: json, body: '{"resourceType":"Patient","id":"p2"}' }],
    ['a new patient', 'POST', '/Patient', { headers: json, body: '{"resourceType":"Patient"}' }],
  ])('writes no resource of another patient by %s', async (_what, method, target, more) => {
    const { status, text } = await send(method, target, more);
    const outcome = JSON.parse(text);
    if (outcome.type === 'batch-response') expect(Number(outcome.entry[0].response.status)).toBeGreaterThanOrEqual(400);
    else expect([status >= 400 && status < 500, outcome.resourceType]).toEqual([true, 'OperationOutcome']);
    expect(text).not.toContain(otherPatientText);
    expect(gateway.upstream.requests.filter((request) => request.method !== 'GET')).toEqual([]);
  });
});
