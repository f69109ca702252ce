export type Json = Record<string, unknown>;
export interface Resource {
  resourceType: string;
  id: string;
  meta: { versionId: string; lastUpdated: string; tag?: Json[] };
  [name: string]: unknown;
}

const reference = (key: string) => ({ reference: key });
const coded = (code: string) => ({ coding: [{ system: 'urn:codes', code }] });

/** The records of `ann`, `ben` and `eve`, what they share, and resources that name two of them. */
export function allRecords(): Resource[] {
  const of = unlabelled;
  const shared = [
    of('Practitioner', 'dr-who', { name: [{ family: 'Who' }] }),
    of('Practitioner', 'dr-other', { name: [{ family: 'Other' }] }),
    of('Organization', 'hospital', { name: 'Hospital' }),
    of('Location', 'ward-seven', { name: 'Ward 7' }),
    of('Medication', 'aspirin', { code: coded('aspirin') }),
  ];
  const mixed = [
    of('Appointment', 'appointment-shared', {
      status: 'booked',
      participant: [{ actor: reference('Patient/ann') }, { actor: reference('Patient/ben') }],
    }),
    of('Group', 'group-shared', {
      type: 'person',
      member: [{ entity: reference('Patient/ann') }, { entity: reference('Patient/ben') }],
    }),
    of('Provenance', 'provenance-shared', {
      target: [reference('Observation/observation-ann-1'), reference('Observation/observation-ben-1')],
    }),
    of('List', 'list-mixed', {
      status: 'current',
      subject: reference('Patient/ann'),
      entry: [{ item: reference('Condition/condition-ben-1') }],
    }),
    of('AuditEvent', 'audit-shared', {
      recorded: '2026-01-01T00:00:00Z',
      entity: [{ what: reference('Patient/ann') }, { what: reference('Patient/ben') }],
    }),
    // What the other patient's record has about the first one: it belongs to the other patient.
    of('Observation', 'observation-about-ann', {
      status: 'final',
      code: coded('kinship'),
      subject: reference('Patient/ben'),
      focus: [reference('Patient/ann')],
      performer: [reference('Patient/ann')],
    }),
  ];
  // What was of the other patient's record until its second version.
  const moved = ['ben', 'ann'].map((name) =>
    of('Observation', 'observation-moved', {
      status: 'final',
      code: coded('moved'),
      category: [coded('laboratory')],
      subject: reference(`Patient/${name}`),
    }),
  );
  return [...moved, ...shared, ...['ann', 'ben', 'eve'].flatMap((name, at) => recordOf(name, at)), ...mixed];
}

function recordOf(name: string, at: number): Resource[] {
  const subject = { subject: reference(`Patient/${name}`) };
  const patient = { patient: reference(`Patient/${name}`) };
  const encounter = { encounter: reference(`Encounter/encounter-${name}-1`) };
  const identifier = (kind: string) => ({
    identifier: [{ type: coded(kind), system: `urn:${kind}`, value: `${kind}-number-of-${name}` }],
  });
  const of = (type: string, id: string, elements: Json): Resource => {
    const plain = unlabelled(type, id, elements);
    const label = { system: 'urn:labels', code: `label-of-${name}` };
    const meta = {
      tag: [label],
      security: [label],
      profile: [`urn:profile-of-${name}`],
      source: `urn:source-of-${name}`,
    };
    return { ...plain, meta: { ...plain.meta, ...meta } };
  };
  const observation = (number: number, category: string) =>
    of('Observation', `observation-${name}-${number}`, {
      status: 'final',
      category: [coded(category)],
      code: coded(`code-${number}`),
      ...subject,
      ...encounter,
      performer: [reference('Practitioner/dr-who')],
      effectiveDateTime: `2026-0${number}-01`,
    });
  const secret = name === 'ben' ? 'only-ben-has-this-disease' : `text-of-${name}`;
  return [
    of('Patient', name, {
      ...identifier('mrn'),
      active: true,
      gender: 'unknown',
      name: [{ family: `Family${name}`, given: [`Given${name}`] }],
      birthDate: `19${70 + at}-0${at + 1}-11`,
      telecom: [{ system: 'phone', value: `+1-555-0100${at}` }],
      generalPractitioner: [reference('Practitioner/dr-who')],
      managingOrganization: reference('Organization/hospital'),
    }),
    of('Encounter', `encounter-${name}-1`, {
      ...identifier('visit'),
      status: 'finished',
      ...subject,
      participant: [{ individual: reference('Practitioner/dr-who') }],
      location: [{ location: reference('Location/ward-seven') }],
      serviceProvider: reference('Organization/hospital'),
    }),
    ...[1, 2, 3, 4].map((number) => observation(number, number % 2 === 0 ? 'laboratory' : 'vital-signs')),
    of('Condition', `condition-${name}-1`, {
      code: { ...coded(secret), text: secret },
      category: [coded('problem-list-item')],
      ...subject,
      ...encounter,
    }),
    of('MedicationRequest', `request-${name}-1`, {
      status: 'active',
      ...subject,
      medicationReference: reference('Medication/aspirin'),
      requester: reference('Practitioner/dr-who'),
    }),
    of('DiagnosticReport', `report-${name}-1`, {
      status: 'final',
      code: coded('report'),
      ...subject,
      result: [reference(`Observation/observation-${name}-2`)],
    }),
    of('DocumentReference', `document-${name}-1`, {
      status: 'current',
      ...subject,
      content: [{ attachment: { contentType: 'text/plain', url: `Binary/binary-of-${name}` } }],
    }),
    of('Binary', `binary-of-${name}`, {
      contentType: 'text/plain',
      data: Buffer.from(`The letter about ${name} and nothing else`).toString('base64'),
      securityContext: reference(`Patient/${name}`),
    }),
    of('List', `list-${name}-1`, {
      status: 'current',
      ...subject,
      entry: [{ item: reference(`Condition/condition-${name}-1`) }],
    }),
    of('Provenance', `provenance-${name}-1`, {
      target: [reference(`Patient/${name}`), reference(`Condition/condition-${name}-1`)],
      agent: [{ who: reference('Practitioner/dr-who') }],
    }),
    of('AuditEvent', `audit-${name}-1`, {
      recorded: '2026-01-01T00:00:00Z',
      entity: [{ what: reference(`Patient/${name}`) }],
      agent: [{ who: reference('Practitioner/dr-who') }],
    }),
    of('CareTeam', `team-${name}-1`, {
      status: 'active',
      ...subject,
      participant: [{ member: reference('Practitioner/dr-who') }],
    }),
    of('Coverage', `coverage-${name}-1`, {
      ...identifier('member'),
      status: 'active',
      beneficiary: reference(`Patient/${name}`),
    }),
    of('RelatedPerson', `relative-${name}-1`, { ...patient, active: true }),
    of('Device', `device-${name}-1`, { ...patient, status: 'active' }),
    of('AllergyIntolerance', `allergy-${name}-1`, { ...patient, code: coded('nuts') }),
    of('Appointment', `appointment-${name}-1`, {
      status: 'booked',
      participant: [{ actor: reference(`Patient/${name}`) }],
    }),
  ];
}

function unlabelled(resourceType: string, id: string, elements: Json): Resource {
  return { resourceType, id, meta: { versionId: '1', lastUpdated: '2026-01-01T00:00:00Z' }, ...elements };
}
