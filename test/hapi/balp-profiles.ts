/**
 * The profiles of IHE's Basic Audit Log Patterns (BALP 1.1, FHIR R4) that Gatehouse claims, as StructureDefinitions for
 * HL7's validator: what they fix, require and forbid. Their package is in no registry that this repository uses.
 */

const base = 'https://profiles.ihe.net/ITI/BALP/';
const dicom = 'http://dicom.nema.org/resources/ontology/DCM';
const participation = 'http://terminology.hl7.org/CodeSystem/v3-ParticipationType';
const objectType = 'http://terminology.hl7.org/CodeSystem/audit-entity-type';
const objectRole = 'http://terminology.hl7.org/CodeSystem/object-role';
const entityType = `${base}CodeSystem/BasicAuditEntityType`;

type Coding = readonly [system: string, code: string];

interface Pattern {
  action: string;
  /** The only subtypes that it may have; the others are open. */
  subtypes?: readonly string[];
  client: Coding;
  server: Coding;
  /** A code, or a value set of them. */
  user: Coding | string;
}

const authors = `${base}ValueSet/DataSources`;
const toServer = { client: [dicom, '110153'], server: [dicom, '110152'] } as const;
const patterns: Readonly<Record<string, Pattern>> = {
  Read: {
    action: 'R',
    client: [dicom, '110152'],
    server: [dicom, '110153'],
    user: [participation, 'IRCP'],
  },
  Query: {
    action: 'E',
    ...toServer,
    user: [participation, 'IRCP'],
  },
  Create: { action: 'C', subtypes: ['create'], ...toServer, user: authors },
  Update: { action: 'U', ...toServer, user: authors },
  Delete: {
    action: 'D',
    subtypes: ['delete'],
    client: [dicom, '110150'],
    server: ['http://terminology.hl7.org/CodeSystem/provenance-participant-type', 'custodian'],
    user: authors,
  },
};

const pattern = ([system, code]: Coding) => ({ patternCoding: { system, code } });
const concept = ([system, code]: Coding) => ({ patternCodeableConcept: { coding: [{ system, code }] } });
const at = (path: string, rules: object = {}) => ({ id: path, path: path.replace(/:\w+/g, ''), ...rules });
const required = (path: string) => at(path, { min: 1, max: '1' });
const absent = (path: string) => at(path, { max: '0' });
const slice = (path: string, min: number) => at(path, { sliceName: path.split(':').at(-1), min, max: '1' });
const slicing = (type: string, path: string) => ({ slicing: { discriminator: [{ type, path }], rules: 'open' } });

function structure(name: string, parent: string, element: object[]): object {
  return {
    resourceType: 'StructureDefinition',
    url: `${base}StructureDefinition/IHE.BasicAudit.${name}`,
    name: name.replace('.', ''),
    status: 'active',
    fhirVersion: '4.0.1',
    kind: 'resource',
    abstract: false,
    type: 'AuditEvent',
    baseDefinition: parent,
    derivation: 'constraint',
    differential: { element: [at('AuditEvent'), ...element] },
  };
}

function agent(name: string, type: Coding | string): object[] {
  const path = `AuditEvent.agent:${name}`;
  const isUser = name === 'user';
  return [
    slice(path, isUser ? 0 : 1),
    at(
      `${path}.type`,
      typeof type === 'string'
        ? { min: 1, binding: { strength: 'required', valueSet: type } }
        : { min: 1, ...concept(type) },
    ),
    required(`${path}.who`),
    ...(isUser ? [at(`${path}.requestor`, { patternBoolean: true })] : []),
    absent(`${path}.media`),
    isUser ? absent(`${path}.network`) : required(`${path}.network`),
  ];
}

function profileOf(name: string, { action, subtypes, client, server, user }: Pattern): object {
  const object = 'AuditEvent.entity:object';
  return structure(name, 'http://hl7.org/fhir/StructureDefinition/AuditEvent', [
    at('AuditEvent.type', pattern(['http://terminology.hl7.org/CodeSystem/audit-event-type', 'rest'])),
    at('AuditEvent.subtype', {
      min: 1,
      ...(subtypes && { binding: { strength: 'required', valueSet: `${base}ValueSet/${name}Subtypes` } }),
    }),
    at('AuditEvent.action', { min: 1, patternCode: action }),
    at('AuditEvent.outcome', { min: 1, patternCode: '0' }),
    at('AuditEvent.agent', { ...slicing(typeof user === 'string' ? 'value' : 'pattern', 'type'), min: 2 }),
    ...agent('client', client),
    ...agent('server', server),
    ...agent('user', user),
    at('AuditEvent.entity', { ...slicing('pattern', 'type'), min: 1 }),
    slice('AuditEvent.entity:transaction', 0),
    required('AuditEvent.entity:transaction.what'),
    required('AuditEvent.entity:transaction.what.identifier'),
    required('AuditEvent.entity:transaction.what.identifier.value'),
    at('AuditEvent.entity:transaction.type', { min: 1, ...pattern([entityType, 'XrequestId']) }),
    slice(object, 1),
    ...(name === 'Query' ? [absent(`${object}.what`)] : [required(`${object}.what`)]),
    at(`${object}.type`, { min: 1, ...pattern([objectType, '2']) }),
    ...(name === 'Query'
      ? [
          at(`${object}.role`, { min: 1, ...pattern([objectRole, '24']) }),
          absent(`${object}.lifecycle`),
          required(`${object}.query`),
          absent(`${object}.detail`),
        ]
      : [
          at(`${object}.role`, {
            min: 1,
            binding: { strength: 'required', valueSet: `${base}ValueSet/RestObjectRoles` },
          }),
        ]),
  ]);
}

function profileOfPatient(name: string): object {
  const patient = 'AuditEvent.entity:patient';
  return structure(`Patient${name}`, `${base}StructureDefinition/IHE.BasicAudit.${name}`, [
    at('AuditEvent.entity', slicing('pattern', 'type')),
    slice(patient, 1),
    at(`${patient}.what`, {
      min: 1,
      type: [{ code: 'Reference', targetProfile: ['http://hl7.org/fhir/StructureDefinition/Patient'] }],
    }),
    at(`${patient}.type`, { min: 1, ...pattern([objectType, '1']) }),
    at(`${patient}.role`, { min: 1, ...pattern([objectRole, '1']) }),
  ]);
}

function valueSet(name: string, ...codings: Coding[]): object {
  const include = codings.map(([system, code]) => ({ system, concept: [{ code }] }));
  return { resourceType: 'ValueSet', url: `${base}ValueSet/${name}`, status: 'active', compose: { include } };
}

const interaction = (code: string): Coding => ['http://hl7.org/fhir/restful-interaction', code];

const entityTypes = {
  resourceType: 'CodeSystem',
  url: entityType,
  status: 'active',
  content: 'complete',
  concept: [{ code: 'XrequestId', display: 'X-Request-Id' }],
};

export const balpProfiles = {
  resourceType: 'Bundle',
  type: 'collection',
  entry: [
    entityTypes,
    valueSet('DataSources', [participation, 'AUT'], [participation, 'INF'], [participation, 'CST']),
    valueSet('RestObjectRoles', [objectRole, '4'], [objectRole, '3'], [objectRole, '20']),
    ...Object.entries(patterns).flatMap(([name, one]) => [
      ...(one.subtypes ? [valueSet(`${name}Subtypes`, ...one.subtypes.map(interaction))] : []),
      profileOf(name, one),
      profileOfPatient(name),
    ]),
  ].map((resource) => ({ resource })),
};
