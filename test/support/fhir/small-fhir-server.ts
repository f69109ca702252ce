import { startUpstream, type Upstream } from './gateway.js';

const patients = [
  {
    resourceType: 'Patient',
    id: '1',
    gender: 'female',
    birthDate: '1948-03-14',
    name: [{ use: 'official', given: ['Amelia', 'Jane'], family: 'Ward' }],
    identifier: [{ type: { coding: [{ code: 'MR' }] }, value: 'NB204118' }],
  },
  { resourceType: 'Patient', id: '2', gender: 'male', name: [{ text: 'Noah Reed' }] },
  { resourceType: 'Patient', id: '3' },
];

const encounter = (id: string, patient: string) => ({
  resourceType: 'Encounter',
  id,
  status: 'in-progress',
  class: { code: 'AMB', display: 'ambulatory' },
  type: [{ text: 'Check-up' }],
  period: { start: '2026-02-03T09:15:00Z' },
  subject: { reference: `Patient/${patient}` },
});

/** The third visit is of a newborn, and mentions the mother. */
const ofMother = [{ url: 'https://hospital.example/mother', valueReference: { reference: 'Patient/1' } }];
const encounters = [
  encounter('visit-1', '1'),
  encounter('visit-2', '1'),
  { ...encounter('visit-3', '2'), extension: ofMother },
];
/** A patient of another server, with an id that this server also has. */
const ofAnotherServer = {
  ...encounter('visit-4', '1'),
  subject: { reference: 'https://other.example/fhir/Patient/1' },
};
const studies = [
  { resourceType: 'ImagingStudy', id: 'study-1', subject: { reference: 'Patient/1' }, description: 'CT' },
];

const searchParam = [{ name: 'patient', type: 'reference' }];
const operation = ['everything', 'match'].map((name) => ({ name, definition: `https://hl7.example/${name}` }));
const metadata = {
  resourceType: 'CapabilityStatement',
  fhirVersion: '4.0.1',
  rest: [
    {
      mode: 'server',
      resource: [
        { type: 'Patient', searchParam: [{ name: 'family', type: 'string' }], operation },
        { type: 'Observation', searchParam },
        { type: 'Condition', searchParam },
        { type: 'Encounter', searchParam },
        { type: 'ImagingStudy', searchParam },
        { type: 'Questionnaire' },
      ],
    },
  ],
};

export interface SmallFhirServer extends Upstream {
  /** The behaviour of later searches. */
  behaviour: 'well' | 'down' | 'empty' | 'ignores-conditions' | 'html';
}

/**
 * A FHIR server with three patients. With the behaviour `ignores-conditions` it ignores the conditions of searches,
 * with `empty` it finds nothing.
 */
export async function startSmallFhirServer(): Promise<SmallFhirServer> {
  const server = { behaviour: 'well' } as SmallFhirServer;
  const upstream = await startUpstream(({ url = '' }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://server');
    const type = pathname.split('/').at(-1);
    if (type !== 'metadata' && server.behaviour === 'down') return response.writeHead(500).end();
    if (type !== 'metadata' && server.behaviour === 'html') return response.writeHead(200).end('<html>');
    const read = /\/(Patient|Encounter)\/([^/]+)$/.exec(pathname);
    if (read) {
      const resource = [...patients, ...encounters].find(
        ({ resourceType, id }) => resourceType === read[1] && id === read[2],
      );
      const answer = resource ?? { resourceType: 'OperationOutcome' };
      const headers = { 'Content-Type': 'application/fhir+json' };
      return response.writeHead(resource ? 200 : 404, headers).end(JSON.stringify(answer));
    }
    const of = server.behaviour === 'ignores-conditions' ? null : searchParams.get('patient');
    const all =
      type === 'Patient'
        ? patients
        : type === 'Encounter'
          ? encounters.concat(of === null ? ofAnotherServer : [])
          : type === 'ImagingStudy'
            ? studies
            : [];
    const found =
      server.behaviour === 'empty'
        ? []
        : all.filter(
            (resource) => of === null || ('subject' in resource && resource.subject.reference === `Patient/${of}`),
          );
    const bundle = { resourceType: 'Bundle', type: 'searchset', entry: found.map((resource) => ({ resource })) };
    const body = type === 'metadata' ? metadata : bundle;
    response.writeHead(200, { 'Content-Type': 'application/fhir+json' }).end(JSON.stringify(body));
  });
  return Object.assign(server, upstream);
}
