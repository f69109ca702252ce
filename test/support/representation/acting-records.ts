import type { Stored } from '../fhir/record-server.js';

const concept = (code: string, system?: string) => ({ coding: [{ ...(system && { system }), code }] });
const labelled = (code: string) => ({ meta: { security: [{ code }] } });

/**
 * The record of a patient, with each way in which data is kept from representatives or tells of others of them. Ids
 * begin with that of the patient; a resource that stands twice has two versions.
 */
export function recordOf(patient: string, facts: object): Stored[] {
  const subject = { reference: `Patient/${patient}` };
  const id = (name: string) => `${patient}-${name}`;
  const place = (type: string, name: string) => ({ reference: `${type}/${id(name)}` });
  const of = (resourceType: string, name: string, more: object = {}): Stored => ({
    ...{ resourceType, id: id(name), identifier: [{ value: id(name) }], subject },
    ...more,
  });
  const observation = (name: string, category: string | undefined, more: object = {}) =>
    of('Observation', name, { status: 'final', ...(category && { category: [concept(category)] }), ...more });
  const vital = (name: string, more: object = {}) => observation(name, 'vital-signs', more);
  const ofPatient = (resourceType: string, name: string, more: object = {}) => {
    const { subject: _subject, ...rest } = of(resourceType, name, more);
    return { ...rest, patient: subject };
  };
  const provenance = (name: string, more: object): Stored => ({
    ...{ resourceType: 'Provenance', id: id(name), target: [place('Observation', 'pulse')] },
    ...more,
  });
  const agent = (reference: string) => [{ who: { reference } }];
  const scan = (name: string) => ({ contentType: 'application/pdf', url: `Binary/${id(name)}` });
  const pill = concept('pill', 'urn:rx');
  const medicine: Stored = { resourceType: 'Medication', id: 'm', code: pill };
  return [
    {
      ...{ resourceType: 'Patient', id: patient, name: [{ given: ['Kim'], family: patient }], gender: 'female' },
      meta: { source: 'urn:court', tag: [{ code: 'foster-care' }] },
      identifier: [
        { type: concept('MR'), value: `MR-${patient}` },
        { type: concept('SS'), value: `SS-${patient}` },
      ],
      ...{ address: [{ city: 'Refuge' }], telecom: [{ value: '1' }], contact: [{ name: { family: 'Sa' } }] },
      ...facts,
    },
    vital('pulse'),
    observation('blood', 'laboratory'),
    observation('smoke', 'social-history'),
    vital('mood'),
    vital('mood', labelled('MH')),
    vital('psy', labelled('PSY')),
    vital('file', { valueAttachment: scan('scan') }),
    vital('ward', { contained: [{ resourceType: 'RelatedPerson', id: 'c' }] }),
    observation('plain', undefined),
    of('Condition', 'asthma'),
    of('Condition', 'grief', labelled('MH')),
    of('Condition', 'secret', labelled('PSY')),
    of('MedicationRequest', 'syrup', { medicationCodeableConcept: concept('syrup', 'urn:rx') }),
    of('MedicationRequest', 'pill', { medicationCodeableConcept: pill }),
    of('MedicationRequest', 'boxed', { medicationReference: { reference: '#m' }, contained: [medicine] }),
    of('Encounter', 'visit'),
    { resourceType: 'Coverage', id: id('cover'), beneficiary: subject },
    {
      ...{ resourceType: 'Appointment', id: id('twin'), description: 'Twins' },
      participant: [{ actor: subject }, { actor: { reference: 'Patient/stranger' } }],
    },
    of('DiagnosticReport', 'report', { presentedForm: [scan('scan')] }),
    of('DocumentReference', 'letter', { ...labelled('PSY'), content: [{ attachment: scan('letter') }] }),
    of('DocumentReference', 'plan', { content: [{ attachment: scan('scan') }] }),
    { resourceType: 'Binary', id: id('letter'), contentType: 'text/plain', securityContext: subject, data: 'eA==' },
    { resourceType: 'Binary', id: id('scan'), contentType: 'text/plain', securityContext: subject, data: 'eA==' },
    of('QuestionnaireResponse', 'answers'),
    of('List', 'list'),
    ofPatient('Immunization', 'shot'),
    ofPatient('AllergyIntolerance', 'nuts'),
    provenance('by-staff', { agent: agent('Practitioner/dr') }),
    provenance('by-rui', { agent: agent(`RelatedPerson/${id('rui')}`) }),
    provenance('of-rui', {
      agent: agent('Practitioner/dr'),
      entity: [{ role: 'source', agent: agent(`RelatedPerson/${id('rui')}`) }],
    }),
    ofPatient('RelatedPerson', 'rui', { address: [{ city: 'Refuge' }] }),
    ofPatient('Consent', 'research', { category: [concept('research')] }),
    ofPatient('Consent', 'power', { provision: { actor: [{ reference: place('RelatedPerson', 'rui') }] } }),
    { resourceType: 'AuditEvent', id: id('seen'), agent: agent(`Patient/${patient}`) },
  ];
}

/** What belongs to no record of those, or to another patient's. */
export const aroundRecords: Stored[] = [
  { resourceType: 'Practitioner', id: 'dr', photo: [{ url: 'x' }] },
  { resourceType: 'Medication', id: 'tablet' },
  { resourceType: 'Patient', id: 'stranger', birthDate: '1970-01-01' },
  { resourceType: 'Observation', id: 'of-stranger', subject: { reference: 'Patient/stranger' } },
];
