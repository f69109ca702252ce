import type { AuditEvent, AuditEventAgent, AuditEventEntity } from '@medplum/fhirtypes';
import { type AccessDetail, auditEventOf, type RecordedAccess } from '../../src/gateway/domain/access-event.js';

const fhirBase = 'https://portal.example/fhir';
const profileBase = 'https://profiles.ihe.net/ITI/BALP/StructureDefinition/IHE.BasicAudit.';
const dicom = 'http://dicom.nema.org/resources/ontology/DCM';
const participation = 'http://terminology.hl7.org/CodeSystem/v3-ParticipationType';
const entityTypes = 'http://terminology.hl7.org/CodeSystem/audit-entity-type';
const objectRoles = 'http://terminology.hl7.org/CodeSystem/object-role';

/** What each profile of BALP 1.1 fixes, beside what all have in common. */
const profiles = {
  Read: { action: 'R', client: `${dicom}#110152`, server: `${dicom}#110153`, user: ['IRCP'] },
  Query: { action: 'E', client: `${dicom}#110153`, server: `${dicom}#110152`, user: ['IRCP'] },
  Create: { action: 'C', client: `${dicom}#110153`, server: `${dicom}#110152`, user: ['AUT', 'INF', 'CST'] },
  Update: { action: 'U', client: `${dicom}#110153`, server: `${dicom}#110152`, user: ['AUT', 'INF', 'CST'] },
  Delete: {
    action: 'D',
    client: `${dicom}#110150`,
    server: 'http://terminology.hl7.org/CodeSystem/provenance-participant-type#custodian',
    user: ['AUT', 'INF', 'CST'],
  },
};

const event = (detail: Partial<AccessDetail>, access: Partial<RecordedAccess> = {}): AuditEvent =>
  auditEventOf(
    {
      recordedAt: new Date('2026-01-02T03:04:05Z'),
      userId: 'u1',
      clientId: 'app',
      address: '10.0.0.7',
      correlationId: 'c1',
      ...access,
      detail: { method: 'GET', target: '/Observation/o1', status: 200, ...detail },
    },
    fhirBase,
    'https://portal.example',
  ) as AuditEvent;

const codeOf = ({ system, code }: { system?: string; code?: string } = {}) => `${system}#${code}`;
const agents = ({ agent = [] }: AuditEvent, type: string): AuditEventAgent[] =>
  agent.filter((one) => one.type?.coding?.some((coding) => codeOf(coding) === type));
const entities = ({ entity = [] }: AuditEvent, type: string): AuditEventEntity[] =>
  entity.filter((one) => codeOf(one.type) === type);

/** The profile's own rules; those of the resource are checked by its definition elsewhere. */
function expectConforming(audit: AuditEvent, name: keyof typeof profiles, patient: boolean, user: boolean): void {
  const { action, client, server, user: userTypes } = profiles[name];
  expect(audit.meta?.profile).toEqual([`${profileBase}${patient ? 'Patient' : ''}${name}`]);
  expect(codeOf(audit.type)).toBe('http://terminology.hl7.org/CodeSystem/audit-event-type#rest');
  expect(audit.subtype?.length).toBeGreaterThanOrEqual(1);
  expect([audit.action, audit.outcome]).toEqual([action, '0']);
  expect(audit.recorded).toMatch(/^2026-01-02T03:04:05/);
  for (const [type, who] of [
    [client, 'app'],
    [server, fhirBase],
  ] as const) {
    const found = agents(audit, type);
    expect([type, found.length]).toEqual([type, 1]);
    expect(found[0]).toMatchObject({ who: { identifier: { value: who } }, network: expect.anything() });
    expect(found[0]).not.toHaveProperty('media');
  }
  const people = userTypes.flatMap((code) => agents(audit, `${participation}#${code}`));
  expect(people).toHaveLength(user ? 1 : 0);
  for (const person of people) {
    expect([person.requestor, person.who === undefined]).toEqual([true, false]);
    expect(person).not.toHaveProperty('network');
  }
  const objects = entities(audit, `${entityTypes}#2`);
  expect(objects).toHaveLength(1);
  if (name === 'Query') {
    expect([codeOf(objects[0]?.role), objects[0]?.what]).toEqual([`${objectRoles}#24`, undefined]);
    expect(objects[0]?.query).toBeDefined();
  } else {
    expect(codeOf(objects[0]?.role)).toBe(`${objectRoles}#4`);
    expect(objects[0]?.what?.reference).toBe('Observation/o1');
  }
  const patients = entities(audit, `${entityTypes}#1`);
  expect(patients).toHaveLength(patient ? 1 : 0);
  for (const one of patients) {
    expect([codeOf(one.role), one.what?.reference]).toEqual([`${objectRoles}#1`, 'Patient/p1']);
  }
  const transactions = audit.entity?.filter(({ type }) => type?.code === 'XrequestId') ?? [];
  expect(transactions.map(({ what }) => what?.identifier?.value)).toEqual(['c1']);
}

describe.each([
  ['of a patient', 'p1'],
  ['without a patient', undefined],
])('the AuditEvent of an access to data %s', (_whose, patient) => {
  test.each<[AccessDetail['interaction'] & string, keyof typeof profiles, string]>([
    ['read', 'Read', 'Observation/o1'],
    ['vread', 'Read', 'Observation/o1'],
    ['history-instance', 'Read', 'Observation/o1'],
    ['search', 'Query', 'Observation'],
    ['history-type', 'Query', 'Observation'],
    ['create', 'Create', 'Observation/o1'],
    ['update', 'Update', 'Observation/o1'],
    ['patch', 'Update', 'Observation/o1'],
    ['delete', 'Delete', 'Observation/o1'],
  ])('by %s conforms to the BALP profile of a %s, with and without a user', (interaction, profile, resource) => {
    const detail = { interaction, resource, ...(patient === undefined ? {} : { patient }) };
    const fhirUser = `${fhirBase}/Practitioner/d1`;
    expectConforming(event({ ...detail, fhirUser }), profile, patient !== undefined, true);
    expectConforming(event(detail, { userId: null }), profile, patient !== undefined, false);
  });
});

test('claims no profile for a failure, for an access without a profile, and for an unnamed client', () => {
  expect(event({ interaction: 'read', resource: 'Observation/o1', status: 404 })).toMatchObject({ outcome: '4' });
  const others: Partial<AccessDetail>[] = [
    { interaction: 'read', resource: 'Observation/o1', status: 404 },
    { interaction: 'search', resource: 'Observation', status: 502 },
    { interaction: 'delete', resource: 'Observation' },
    { interaction: 'operation', resource: 'Patient/p1' },
    {},
  ];
  expect(others.map((detail) => event(detail).meta)).toEqual(others.map(() => undefined));
});
