/** The fixed content of the stub FHIR server: the records of two patients, and what they share. */

export interface Stored {
  resourceType: string;
  id: string;
  meta?: { versionId?: string; lastUpdated?: string; [name: string]: unknown };
  [name: string]: unknown;
}

/** Stands in each resource of patient B, and of nothing else. */
export const otherText = 'only-b-may-know';

const to = (reference: string) => ({ reference });
const codes = (system: string, code: string) => [{ coding: [{ system, code }] }];
export const categorySystem = 'http://terminology.hl7.org/CodeSystem/observation-category';

const patient = (id: string, family: string, more: object = {}): Stored => ({
  resourceType: 'Patient',
  id,
  identifier: [{ system: 'https://hospital.example/mrn', value: `mrn-${id}` }],
  name: [{ family, given: ['Sam'] }],
  birthDate: '1980-01-01',
  generalPractitioner: [to('Practitioner/dr')],
  managingOrganization: to('Organization/hospital'),
  ...more,
});

const observation = (of: string, index: number, category: string, more: object = {}): Stored => ({
  resourceType: 'Observation',
  id: `${of}-obs-${index}`,
  identifier: [{ system: 'https://hospital.example/obs', value: `${of}-${index}` }],
  status: 'final',
  category: codes(categorySystem, category),
  code: { coding: [{ system: 'http://loinc.org', code: `${1000 + index}-0` }] },
  subject: to(`Patient/${of}`),
  encounter: to(`Encounter/${of}-enc`),
  performer: [to('Practitioner/dr')],
  effectiveDateTime: `2026-0${index}-01T08:00:00Z`,
  valueQuantity: { value: 1.5, unit: 'mmol/L' },
  ...more,
});

/** A whole record: every patient has the same resources. */
function recordOf(of: string, more: object): Stored[] {
  const subject = to(`Patient/${of}`);
  const belongings: { resourceType: string; [name: string]: unknown }[] = [
    {
      resourceType: 'Encounter',
      status: 'finished',
      class: { code: 'AMB' },
      subject,
      serviceProvider: to('Organization/hospital'),
    },
    {
      resourceType: 'Condition',
      category: codes('http://terminology.hl7.org/CodeSystem/condition-category', 'encounter-diagnosis'),
      code: { text: 'Asthma' },
      subject,
      encounter: to(`Encounter/${of}-enc`),
      recorder: to('Practitioner/dr'),
    },
    { resourceType: 'AllergyIntolerance', patient: subject, code: { text: 'Penicillin' } },
    { resourceType: 'Immunization', status: 'completed', patient: subject, vaccineCode: { text: 'MMR' } },
    {
      resourceType: 'MedicationRequest',
      status: 'active',
      intent: 'order',
      subject,
      medicationReference: to('Medication/pill'),
    },
    {
      resourceType: 'DiagnosticReport',
      status: 'final',
      category: codes('http://terminology.hl7.org/CodeSystem/v2-0074', 'LAB'),
      code: { text: 'Blood count' },
      subject,
      result: [to(`Observation/${of}-obs-1`)],
      presentedForm: [{ contentType: 'application/pdf', url: `Binary/${of}-bin` }],
    },
    {
      resourceType: 'DocumentReference',
      status: 'current',
      type: { coding: [{ system: 'http://loinc.org', code: '18842-5' }], text: 'Discharge summary' },
      subject,
      date: '2026-02-03T10:00:00Z',
      context: { period: { start: '2026-02-01', end: '2026-02-02' } },
      content: [{ attachment: { contentType: 'application/pdf', url: `Binary/${of}-bin` } }],
    },
    {
      resourceType: 'Binary',
      contentType: 'application/pdf',
      securityContext: subject,
      data: Buffer.from(`%PDF-1.4 of ${of}`).toString('base64'),
    },
    { resourceType: 'RelatedPerson', patient: subject, name: [{ family: 'Parent' }] },
    {
      resourceType: 'Provenance',
      target: [to(`Observation/${of}-obs-1`)],
      recorded: '2026-01-02T00:00:00Z',
      agent: [{ who: to('Practitioner/dr') }],
    },
  ];
  return [
    ...belongings.map(
      (resource) => ({ ...resource, id: `${of}-${shortNames[resource.resourceType]}`, ...more }) as Stored,
    ),
    ...[1, 2, 3, 4].map((index) => observation(of, index, 'laboratory', more)),
    ...[5, 6, 7].map((index) => observation(of, index, 'vital-signs', more)),
  ];
}

/** `a-enc`, `b-con`, … are the ids of what belongs to a record. */
const shortNames: Readonly<Record<string, string>> = {
  Encounter: 'enc',
  Condition: 'con',
  AllergyIntolerance: 'all',
  Immunization: 'imm',
  MedicationRequest: 'med',
  DiagnosticReport: 'rep',
  DocumentReference: 'doc',
  Binary: 'bin',
  RelatedPerson: 'rel',
  Provenance: 'pro',
};

/** New objects for each server. */
export function records(): Stored[] {
  const other = { text: { status: 'generated', div: `<div xmlns="http://www.w3.org/1999/xhtml">${otherText}</div>` } };
  return [
    patient('a', 'Able'),
    patient('b', 'Baker', other),
    ...recordOf('a', {}),
    ...recordOf('b', other),
    {
      resourceType: 'Appointment',
      id: 'both',
      status: 'booked',
      participant: [
        { actor: to('Patient/a'), status: 'accepted' },
        { actor: to('Patient/b'), status: 'accepted' },
        { actor: to('Practitioner/dr'), status: 'accepted' },
      ],
    },
    {
      resourceType: 'AuditEvent',
      id: 'audit',
      recorded: '2026-01-02T00:00:00Z',
      agent: [{ who: to('Practitioner/dr'), requestor: true }],
      entity: [{ what: to('Patient/a') }, { what: to('Patient/b') }],
    },
    {
      resourceType: 'List',
      id: 'list',
      status: 'current',
      mode: 'working',
      subject: to('Patient/a'),
      entry: [{ item: to('Condition/a-con') }],
    },
    {
      resourceType: 'Group',
      id: 'ward',
      type: 'person',
      actual: true,
      member: [{ entity: to('Patient/a') }, { entity: to('Patient/b') }],
    },
    { resourceType: 'Practitioner', id: 'dr', name: [{ family: 'Doctor' }] },
    { resourceType: 'Organization', id: 'hospital', name: 'Hospital' },
    { resourceType: 'Location', id: 'ward-3', name: 'Ward 3' },
    { resourceType: 'Medication', id: 'pill', code: { text: 'Pill' } },
  ];
}
