/** A FHIR server that has its answers ready: what is measured before it is what stands before it. */
import { createServer } from 'node:http';

const port = Number(process.argv[2]);
const base = `http://localhost:${port}`;
const searchParam = [{ name: 'patient' }, { name: 'code' }];
const metadata = {
  resourceType: 'CapabilityStatement',
  fhirVersion: '4.0.1',
  rest: [{ mode: 'server', resource: ['Patient', 'Observation'].map((type) => ({ type, searchParam })) }],
};
const patient = (id) => ({ resourceType: 'Patient', id, meta: { versionId: '1' }, birthDate: '1948-05-10' });
const observation = (id, patient = '1') => ({
  resourceType: 'Observation',
  id,
  meta: { versionId: '1' },
  status: 'final',
  category: [
    { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/observation-category', code: 'laboratory' }] },
  ],
  code: { coding: [{ system: 'http://loinc.org', code: '8867-4', display: 'Heart rate' }] },
  subject: { reference: `Patient/${patient}` },
  encounter: { reference: `${base}/Encounter/1` },
  valueQuantity: { value: 72.5, unit: '/min', system: 'http://unitsofmeasure.org', code: '/min' },
  note: [{ text: 'n'.repeat(800) }],
});
const bundle = (count, patientOf = () => '1') => ({
  resourceType: 'Bundle',
  type: 'searchset',
  total: count,
  link: [{ relation: 'self', url: `${base}/Observation?patient=Patient%2F1` }],
  entry: Array.from({ length: count }, (_, index) => ({
    fullUrl: `${base}/Observation/${index}`,
    resource: observation(String(index), patientOf(index)),
  })),
});
const one = JSON.stringify(observation('1'));
const fifty = JSON.stringify(bundle(50));
const fiftyPatients = JSON.stringify(bundle(50, String));
const large = JSON.stringify(bundle(36_000));

createServer((request, response) => {
  const path = request.url ?? '';
  const bodies = [
    [/^\/metadata/, () => JSON.stringify(metadata)],
    [/^\/Patient\/[^/?]+$/, () => JSON.stringify(patient(path.slice('/Patient/'.length)))],
    [/_count=36000/, () => large],
    [/_count=50/, () => fiftyPatients],
    [/\?/, () => fifty],
    [/^/, () => one],
  ];
  const body = bodies.find(([pattern]) => pattern.test(path))[1]();
  response.writeHead(200, {
    'content-type': 'application/fhir+json',
    'content-length': Buffer.byteLength(body),
    etag: 'W/"1"',
  });
  response.end(body);
}).listen(port, '127.0.0.1', () => process.send({ port }));
