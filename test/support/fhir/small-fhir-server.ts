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

const encounters = [encounter('visit-1', '1'), encounter('visit-2', '1'), encounter('visit-3', '2')];
const studies = [
  { resourceType: 'ImagingStudy', id: 'study-1', subject: { reference: 'Patient/1' }, description: 'CT' },
];

const searchParam = [{ name: 'patient', type: 'reference' }];
const metadata = {
  resourceType: 'CapabilityStatement',
  fhirVersion: '4.0.1',
  rest: [
    {
      mode: 'server',
      resource: [
        { type: 'Patient', searchParam: [{ name: 'family', type: 'string' }] },
        { type: 'Encounter', searchParam },
        { type: 'ImagingStudy', searchParam },
        { type: 'Questionnaire' },
      ],
    },
  ],
};

export interface Ward extends Upstream {
  /** The behaviour of later searches. */
  mood: 'well' | 'down' | 'careless' | 'html';
}

/** A FHIR server with three patients. With the mood `careless` it ignores the conditions of searches. */
export async function startWard(): Promise<Ward> {
  const ward = { mood: 'well' } as Ward;
  const upstream = await startUpstream(({ url = '' }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://ward');
    const type = pathname.split('/').at(-1);
    if (type !== 'metadata' && ward.mood === 'down') return response.writeHead(500).end();
    if (type !== 'metadata' && ward.mood === 'html') return response.writeHead(200).end('<html>');
    const of = ward.mood === 'careless' ? null : searchParams.get('patient');
    const all =
      type === 'Patient' ? patients : type === 'Encounter' ? encounters : type === 'ImagingStudy' ? studies : [];
    const found = all.filter(
      (resource) => of === null || ('subject' in resource && resource.subject.reference === `Patient/${of}`),
    );
    const bundle = { resourceType: 'Bundle', type: 'searchset', entry: found.map((resource) => ({ resource })) };
    const body = type === 'metadata' ? metadata : bundle;
    response.writeHead(200, { 'Content-Type': 'application/fhir+json' }).end(JSON.stringify(body));
  });
  return Object.assign(ward, upstream);
}
