import type { AuditEvent, AuditEventAgent, AuditEventEntity } from '@medplum/fhirtypes';
import type { AccessDetail } from '../../src/contract/audit/access-detail.js';
import { auditEventOf, type RecordedAccess } from '../../src/contract/audit/fhir-audit-event.js';

const fhirBase = 'https://portal.example/fhir';
const profileBase = 'https://profiles.ihe.net/ITI/BALP/StructureDefinition/IHE.BasicAudit.';
const dicom = 'http://dicom.nema.org/resources/ontology/DCM';
const participation = 'http://terminology.hl7.org/CodeSystem/v3-ParticipationType';
const entityTypes = 'http://terminology.hl7.org/CodeSystem/audit-entity-type';
const objectRoles = 'http://terminology.hl7.org/CodeSystem/object-role';

/** The values that each profile of BALP 1.1 fixes, in addition to those that all profiles share. */
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

/**
 * Checks the rules of the profile. The AuditEvent's own rules are checked elsewhere, by the definition of the resource.
 */
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

describe.each([
  ['a RelatedPerson', 'RelatedPerson/ana', 'RelatedPerson/ana'],
  ['a patient themselves', 'Patient/p2', 'Patient/p2'],
  ['a Person', 'Person/ana', undefined],
  ['in no resource', undefined, undefined],
])('the AuditEvent of an access by a user who acts for the patient and is %s', (_whom, resource, reference) => {
  const acting = {
    ...{ patient: 'p1', representation: 'r1' },
    ...(resource !== undefined && { fhirUser: `${fhirBase}/${resource}` }),
  };

  test.each<[AccessDetail['interaction'] & string, keyof typeof profiles, string]>([
    ['read', 'Read', 'Observation/o1'],
    ['search', 'Query', 'Observation'],
    ['create', 'Create', 'Observation/o1'],
    ['update', 'Update', 'Observation/o1'],
    ['delete', 'Delete', 'Observation/o1'],
  ])('by %s has the user as the agent, and the patient as what it is about', (interaction, profile, accessed) => {
    const audit = event({ ...acting, interaction, resource: accessed });
    expectConforming(audit, profile, true, true);
    const [user, ...others] = audit.agent.filter(({ requestor }) => requestor);
    expect(others).toEqual([]);
    expect(user?.role).toEqual([{ coding: [expect.objectContaining({ code: 'AGNT' })] }]);
    expect([user?.who?.identifier?.value, user?.who?.reference]).toEqual(['u1', reference]);
    expect(entities(audit, `${entityTypes}#1`).map(({ what }) => what?.reference)).toEqual(['Patient/p1']);
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

test('of a search by a user has all that BALP asks for', () => {
  const dicomRole = (code: string, display: string) => ({ coding: [{ system: dicom, code, display }] });
  const detail = { interaction: 'search', resource: 'Observation', patient: 'p1', target: '/Observation?a=b' } as const;
  expect(event({ ...detail, fhirUser: `${fhirBase}/Practitioner/d1` })).toEqual({
    resourceType: 'AuditEvent',
    meta: { profile: [`${profileBase}PatientQuery`] },
    type: {
      system: 'http://terminology.hl7.org/CodeSystem/audit-event-type',
      code: 'rest',
      display: 'Restful Operation',
    },
    subtype: [{ system: 'http://hl7.org/fhir/restful-interaction', code: 'search-type' }],
    action: 'E',
    recorded: '2026-01-02T03:04:05.000Z',
    outcome: '0',
    agent: [
      {
        type: dicomRole('110153', 'Source Role ID'),
        who: { identifier: { value: 'app' } },
        requestor: false,
        network: { address: '10.0.0.7', type: '2' },
      },
      {
        type: dicomRole('110152', 'Destination Role ID'),
        who: { identifier: { value: fhirBase } },
        requestor: false,
        network: { address: fhirBase, type: '5' },
      },
      {
        type: { coding: [{ system: participation, code: 'IRCP', display: 'information recipient' }] },
        who: { reference: 'Practitioner/d1', identifier: { value: 'u1' } },
        requestor: true,
      },
    ],
    source: {
      observer: { identifier: { value: 'https://portal.example' } },
      type: [
        {
          system: 'http://terminology.hl7.org/CodeSystem/security-source-type',
          code: '4',
          display: 'Application Server',
        },
      ],
    },
    entity: [
      {
        what: { reference: 'Patient/p1' },
        type: { system: entityTypes, code: '1' },
        role: { system: objectRoles, code: '1' },
      },
      {
        type: { system: entityTypes, code: '2' },
        role: { system: objectRoles, code: '24' },
        query: Buffer.from('/Observation?a=b').toString('base64'),
      },
      {
        what: { identifier: { value: 'c1' } },
        type: { system: 'https://profiles.ihe.net/ITI/BALP/CodeSystem/BasicAuditEntityType', code: 'XrequestId' },
      },
    ],
  });
});

test('of a request that is no interaction, by a client alone, says so', () => {
  const bare = event({ target: '' }, { userId: null, clientId: null, address: null, correlationId: null });
  expect(bare).toMatchObject({ subtype: [{ code: 'batch' }], action: 'E', entity: [] });
  expect(bare.agent).toEqual([
    {
      type: expect.anything(),
      who: { identifier: { value: 'unknown' } },
      requestor: true,
      network: { extension: [expect.objectContaining({ valueCode: 'masked' })] },
    },
    expect.objectContaining({ who: { identifier: { value: fhirBase } } }),
  ]);
});

test.each([
  [399, '0'],
  [400, '4'],
  [499, '4'],
  [500, '8'],
])('of an answer with status %i has the outcome %s, and a profile where it succeeded', (status, outcome) => {
  const audit = event({ interaction: 'read', resource: 'Observation/o1', status });
  expect(audit.outcome).toBe(outcome);
  expect('meta' in audit).toBe(outcome === '0');
});

test.each([
  ['read', 'read', 'R'],
  ['vread', 'vread', 'R'],
  ['history-instance', 'history-instance', 'R'],
  ['history-type', 'history-type', 'E'],
  ['search', 'search-type', 'E'],
  ['create', 'create', 'C'],
  ['update', 'update', 'U'],
  ['patch', 'patch', 'U'],
  ['delete', 'delete', 'D'],
  ['operation', 'operation', 'E'],
] as const)('of a %s has the subtype %s and the action %s', (interaction, code, action) => {
  const subtype = [{ system: 'http://hl7.org/fhir/restful-interaction', code }];
  expect(event({ interaction, resource: 'Observation' })).toMatchObject({ subtype, action });
});

test.each([
  ['read', ['Destination Role ID', 'Source Role ID', 'information recipient']],
  ['create', ['Source Role ID', 'Destination Role ID', 'author (originator)']],
  ['delete', ['Application', 'Custodian', 'author (originator)']],
] as const)('of a %s names the roles %j', (interaction, roles) => {
  const { agent } = event({ interaction, resource: 'Observation/o1' });
  expect(agent.map(({ type }) => type?.coding?.[0]?.display)).toEqual(roles);
});
