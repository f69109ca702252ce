import type { Stored } from '../../fhir/record-server.js';

const kim = { reference: 'Patient/kim' };
const lou = { reference: 'Patient/lou' };
const coded = (code: string, system = 'urn:c') => ({ coding: [{ system, code }] });
const mh = { meta: { security: [{ system: 'http://terminology.hl7.org/CodeSystem/v3-ActCode', code: 'MH' }] } };
const psy = { meta: { security: [{ code: 'PSY' }] } };
const pdf = (id: string) => ({ contentType: 'application/pdf', url: `Binary/${id}` });
const of = (resourceType: string, id: string, more: object = {}): Stored => ({
  ...{ resourceType, id, identifier: [{ system: 'urn:i', value: id }], subject: kim },
  ...more,
});
const patientOf = (resourceType: string, id: string, more: object = {}): Stored => {
  const { subject: _, ...rest } = of(resourceType, id);
  return { ...rest, patient: kim, ...more };
};
const vital = (id: string, more: object = {}) =>
  of('Observation', id, { status: 'final', code: coded('x'), category: [coded('vital-signs')], ...more });
const lab = (id: string, more: object = {}) => vital(id, { category: [coded('laboratory')], ...more });
const origin = (id: string, reference: string): Stored => ({
  ...{ resourceType: 'Provenance', id, target: [{ reference: 'Observation/vit' }] },
  agent: [{ who: { reference } }],
});
const binary = (id: string, more: object = { securityContext: kim }): Stored => ({
  ...{ resourceType: 'Binary', id, contentType: 'application/pdf', data: 'eA==' },
  ...more,
});

/** Kim's Patient; a state adds what decides. */
export const kimHerself = (more: object): Stored => ({
  ...{ resourceType: 'Patient', id: 'kim', name: [{ given: ['Kim'], family: 'Sole' }], gender: 'female' },
  identifier: [
    { type: coded('MR', 'http://terminology.hl7.org/CodeSystem/v2-0203'), value: 'MR-kim' },
    { type: coded('SS', 'http://terminology.hl7.org/CodeSystem/v2-0203'), value: 'SS-kim' },
  ],
  ...{ address: [{ city: 'Refuge' }], telecom: [{ system: 'phone', value: '555' }] },
  ...{ contact: [{ name: { family: 'Other' } }], photo: [{ url: 'https://pictures.example/kim' }] },
  ...more,
});

/**
 * The record, each resource with the levels that open it in a relationship whose only limit they are. `full` is open at
 * all that a server calls Kim's; levels are those of `tableLevels`. A resource that stands twice has two versions.
 */
export const tableRecord: readonly [levels: string, resource: Stored][] = [
  ['full teen private daily basics care', vital('vit')],
  ['full teen private daily care kinds', lab('lab')],
  ['full private', vital('soc', { category: [coded('social-history')] })],
  ['full care labels kinds-and-label', vital('mood', mh)],
  ['', vital('late')],
  ['full care labels kinds-and-label', vital('late', mh)],
  ['', vital('was', mh)],
  ['full teen private daily basics care', vital('was')],
  ['full teen private daily', of('Observation', 'uncategorized', { status: 'final', code: coded('y') })],
  ['full teen private', lab('att', { valueAttachment: pdf('plan') })],
  ['', vital('both', { focus: [lou] })],
  ['', vital('ward', { contained: [{ resourceType: 'RelatedPerson', id: 'c', patient: kim }] })],
  ['full care', vital('inside', { contained: [{ resourceType: 'Condition', id: 'c', subject: kim, ...mh }] })],
  [
    'full teen private daily basics care',
    vital('told', { subject: { ...kim, display: 'Depression' }, note: [{ text: 'Depression' }], text: { div: 'D' } }),
  ],
  ['full teen private daily basics care', vital('measured', { performer: [{ reference: 'Practitioner/dr' }] })],
  ['full teen private daily care kinds kinds-and-label', of('Condition', 'asthma')],
  ['full care labels kinds-and-label', of('Condition', 'grief', mh)],
  ['full private care', of('Condition', 'dream', psy)],
  [
    'full teen private daily care',
    of('MedicationRequest', 'syrup', { medicationCodeableConcept: coded('syrup', 'urn:rx') }),
  ],
  ['full private daily', of('MedicationRequest', 'pill', { medicationCodeableConcept: coded('pill', 'urn:rx') })],
  [
    'full private daily',
    of('MedicationRequest', 'boxed', {
      medicationReference: { reference: '#m' },
      contained: [{ resourceType: 'Medication', id: 'm', code: coded('pill', 'urn:rx') }],
    }),
  ],
  ['full teen private daily', of('Encounter', 'visit')],
  ['full private daily', { resourceType: 'Coverage', id: 'cover', beneficiary: kim }],
  ['full teen private', patientOf('Claim', 'bill')],
  ['full teen private daily', { resourceType: 'Appointment', id: 'date', participant: [{ actor: kim }] }],
  ['full teen private care daily', of('DiagnosticReport', 'plain')],
  ['full teen private care', of('DiagnosticReport', 'scanned', { presentedForm: [pdf('plan')] })],
  ['full teen private daily basics', patientOf('Immunization', 'shot')],
  ['full teen private daily basics', patientOf('AllergyIntolerance', 'nuts')],
  ['full teen private daily', of('Procedure', 'cut')],
  ['full teen private', of('QuestionnaireResponse', 'answers')],
  ['full teen private', of('Composition', 'summary')],
  ['full teen private', of('Communication', 'call')],
  ['full teen private', of('List', 'list')],
  ['full', of('DocumentReference', 'letter', { ...mh, content: [{ attachment: pdf('secret') }] })],
  ['full teen private letters', of('DocumentReference', 'paper', { content: [{ attachment: pdf('plan') }] })],
  ['full', binary('secret')],
  ['full teen private letters care', binary('plan')],
  ['', binary('of-lou', { securityContext: lou })],
  ['full teen private', origin('by-staff', 'Practitioner/dr')],
  ['full teen private', origin('by-kim', 'Patient/kim')],
  ['full teen private', origin('by-ana', 'RelatedPerson/ana')],
  ['', origin('by-rui', 'RelatedPerson/rui')],
  ['', origin('by-person', 'Person/other')],
  ['all', patientOf('RelatedPerson', 'ana')],
  ['', patientOf('RelatedPerson', 'rui', { address: [{ city: 'Refuge' }] })],
  ['full teen private', patientOf('Consent', 'research', { scope: coded('research') })],
  ['', patientOf('Consent', 'mandate', { provision: { actor: [{ reference: { reference: 'RelatedPerson/rui' } }] } })],
  ['', { resourceType: 'AuditEvent', id: 'seen', agent: [{ who: kim }], entity: [{ what: kim }] }],
  ['all', { resourceType: 'Practitioner', id: 'dr', photo: [{ url: 'https://pictures.example/dr' }] }],
  ['all', { resourceType: 'Medication', id: 'tablet', code: coded('pill', 'urn:rx') }],
  ['all', { resourceType: 'Location', id: 'ward-7' }],
  ['', { resourceType: 'Patient', id: 'lou', birthDate: '2015-01-01', name: [{ family: 'Sole' }] }],
  ['', vital('lou-vit', { subject: lou })],
  ['', patientOf('RelatedPerson', 'ana-of-lou', { patient: lou })],
  ['', { resourceType: 'Patient', id: 'ana', birthDate: '1980-01-01', name: [{ family: 'Sole' }] }],
  ['', vital('ana-vit', { subject: { reference: 'Patient/ana' } })],
  [
    'full teen private daily',
    { resourceType: 'Appointment', id: 'twins', participant: [{ actor: kim }, { actor: lou }] },
  ],
];
