import { type Path, parametersOf, subjectElements } from '../decision/definitions.js';
import { attachments } from '../decision/documents.js';
import { aboutOf, participantsOf } from '../decision/mixed-resources.js';
import type { Json, Resource } from '../decision/world.js';
import { appBase, type Capabilities, type Data, serverBase } from '../run/data.js';
import type { Random } from './random.js';

export const patients = ['p1', 'p2', 'p3'];
export const directoryIds = [
  'Practitioner/d1',
  'Organization/h1',
  'Location/l1',
  'Medication/m1',
  'PractitionerRole/s1',
];
const categorySystem = 'http://terminology.hl7.org/CodeSystem/observation-category';
export const laboratory = `${categorySystem}|laboratory`;
const typesOfRecord = [...subjectElements.keys()];
/** The types with rules of their own come more often. */
const special = [
  ...['Observation', 'Condition', 'Encounter', 'List', 'Provenance', 'Appointment', 'Group', 'Schedule', 'CareTeam'],
  ...['DocumentReference', 'DiagnosticReport', 'Media', 'Binary', 'Device', 'AuditEvent', 'Composition', 'Basic'],
  ...['AllergyIntolerance', 'Person', 'Task', 'Consent', 'RelatedPerson', 'Account', 'MeasureReport', 'RequestGroup'],
];
export const capabilities: Capabilities = {
  types: [
    ...typesOfRecord,
    'Patient',
    'Binary',
    'Subscription',
    'Questionnaire',
    'Location',
    'Medication',
    'Organization',
  ]
    .concat('Practitioner', 'PractitionerRole', 'Substance', 'GuidanceResponse')
    .filter((type) => type !== 'Flag'),
  listed: (type) =>
    parametersOf(type).filter((name) => !(type === 'DiagnosticReport' && name === 'category') && name !== 'status'),
  conditional: (type) => (type === 'Encounter' ? ['create'] : ['create', 'update', 'delete']),
  makesByUpdate: (type) => ['Condition', 'Observation', 'Appointment', 'Patient', 'Binary'].includes(type),
  operations: [
    { name: 'everything', type: 'Patient' },
    { name: 'lastn', type: 'Observation' },
    { name: 'meta', type: 'Patient' },
    { name: 'meta', type: 'Observation' },
    { name: 'export', type: null },
    { name: 'export', type: 'Patient' },
  ],
};

/** Of a server that can do little: it has fewer types and parameters, and runs `$docref`. */
export const fewCapabilities: Capabilities = {
  types: capabilities.types.filter((type) => !['CareTeam', 'Media', 'Binary', 'Task', 'Location'].includes(type)),
  listed: (type) =>
    parametersOf(type).filter(
      (name) => !['category', 'code', 'date'].includes(name) && (name !== 'identifier' || type === 'Patient'),
    ),
  conditional: () => [],
  makesByUpdate: () => false,
  operations: [
    { name: 'everything', type: null },
    { name: 'docref', type: 'DocumentReference' },
    { name: 'meta', type: null },
  ],
};

export function anyType(random: Random): string {
  if (random.percent(6))
    return random.of([
      ...['Patient', 'Flag', 'Questionnaire', 'Substance', 'GuidanceResponse'],
      ...['Subscription', 'Subscription', 'Subscription'],
    ]);
  if (random.percent(6)) return random.of(directoryIds).split('/')[0] ?? '';
  return random.percent(72) ? random.of(special) : random.of(typesOfRecord);
}

/** A Reference, most of the time in the plainest form. */
export function referenceTo(random: Random, place: string): Json {
  const form = random.below(30);
  const [type = '', id = ''] = place.split('/');
  switch (form) {
    case 0:
      return { reference: `${serverBase}/${place}` };
    case 1:
      return { reference: `${appBase}/${place}` };
    case 2:
      return { reference: `${place}/_history/1` };
    case 3:
      return random.of<Json>([{ reference: `https://other.example/r4/${place}` }, { reference: `/${place}` }]);
    case 4:
      return random.of<Json>([{ display: id }, { type }, { type, identifier: { system: 'urn:mrn', value: id } }]);
    case 5:
      return random.of<Json>([{ reference: '#c' }, { reference: 'urn:uuid:0c3151bd-1cbf-4d64-b04d-cd9187a4c6e0' }]);
    case 6:
      return random.of<Json>([
        { reference: place, identifier: { system: 'urn:mrn', value: id } },
        { identifier: { system: 'urn:mrn', value: id } },
      ]);
    case 7:
      return { reference: place, type: 'Patient', display: id };
    default:
      return { reference: place };
  }
}

/** A place that a resource may name: a patient, staff, or something that is or is not there. */
export function anyPlace(random: Random, places: readonly string[]): string {
  if (random.percent(40)) return `Patient/${random.of(patients)}`;
  if (random.percent(20)) return random.of(directoryIds);
  if (random.percent(10))
    return random.of(['Condition/gone', 'Questionnaire/q1', 'GuidanceResponse/g1', 'Device/ward']);
  return places.length > 0 ? random.of(places) : 'Condition/gone';
}

function put(target: Json, path: Path, value: unknown, random: Random): void {
  const [name = '', ...rest] = path;
  const plain = name.replace('*', '');
  const isNested = name.endsWith('*') && random.percent(40);
  const own =
    rest.length === 0 && !isNested ? value : ((inner: Json) => inner)(placed(isNested ? path : rest, value, random));
  const before = target[plain];
  if (before === undefined) target[plain] = typeof own === 'object' && random.percent(60) ? [own] : own;
  else target[plain] = [...[before].flat(), own];
}

function placed(path: Path, value: unknown, random: Random): Json {
  const inner: Json = {};
  put(inner, path, value, random);
  return inner;
}

function categories(random: Random, type: string): Json {
  if (random.percent(30)) return {};
  const codes = random.list(1, 2, () => random.of(['laboratory', 'vital-signs', 'survey']));
  if (type === 'AllergyIntolerance') return { category: codes };
  const coding = codes.map((code) => ({ ...(random.percent(70) && { system: categorySystem }), code }));
  return { category: random.percent(80) ? [{ coding }] : { coding } };
}

/**
 * What levels look at: labels, contained resources, codes of medicines, attachments, and who acts; `more` times as
 * often.
 */
function withKinds(random: Random, resource: Resource, more = 1): void {
  if (random.percent(25)) {
    const labels = random.list(1, 2, () => random.of(['MH', 'SEX', 'PSY', 'R']));
    const system = random.percent(85) ? 'urn:labels' : 'urn:other';
    resource.meta = { security: labels.map((code) => ({ ...(random.percent(60) && { system }), code })) };
  }
  if (random.percent(10 * more)) {
    const kind = random.of([
      ...['Goal', 'RelatedPerson', 'Condition', 'Medication', 'Practitioner', 'DocumentReference', 'AuditEvent'],
      ...['Flag', 'RelatedPerson'],
    ]);
    const label = random.percent(30) ? { meta: { security: [{ code: 'MH' }] } } : {};
    const code = { coding: [{ code: random.of(['x', 'y']) }] };
    const inside = { resourceType: kind, id: random.of(['k', 'r1']), code, ...label };
    const other = random.of<Json>([
      {},
      { resourceType: 'Unknown' },
      { resourceType: 'Bundle', entry: [{ resource: inside }] },
    ]);
    // One that each level permits next to one that it may not.
    const permitted = random.percent(25) ? [{ resourceType: 'Practitioner', id: 'd' }] : [];
    resource.contained = [random.percent(85) ? inside : other, ...permitted];
  }
  if (random.percent(resource.resourceType === 'MedicationRequest' ? 80 : 5))
    Object.assign(resource, random.of(withMedicine));
  if (random.percent(10 * more)) Object.assign(resource, random.of<Json>(withAttachment));
  const { resourceType: type } = resource;
  if (type === 'Provenance') Object.assign(resource, actors(random));
  if (type === 'Consent' && random.percent(40))
    resource.performer = [referenceTo(random, random.of(['RelatedPerson/r1', 'Patient/p1']))];
  if (type === 'Consent' && random.percent(60)) Object.assign(resource, random.of<Json>(aboutRepresentation));
}

const medicine = { coding: [{ system: 'urn:codes', code: 'x' }] };
const contained = [{ resourceType: 'Medication', id: 'k', code: medicine }];
/** A medicine as a concept or as a resource, in R4 and in R5. */
const withMedicine: readonly Json[] = [
  { medicationCodeableConcept: medicine },
  { medication: { concept: medicine } },
  { medicationReference: { reference: '#k' }, contained },
  { medication: { reference: { reference: '#k' } }, contained },
  { medicationReference: { reference: 'Medication/m1' } },
];
/** An Attachment has no name of its own: its element, its content type or its address tells. */
const withAttachment: readonly Json[] = [
  { valueAttachment: { url: 'urn:x' } },
  { valueAttachment: { contentType: 'text/plain' } },
  { photo: [{ title: 'x' }] },
  { image: { data: 'eA==' } },
  { component: [{ valueAttachment: { title: 'x' } }] },
  { extension: [{ url: 'urn:x', valueAttachment: { url: 'urn:x' } }] },
  { content: [{ url: 'urn:x' }] },
  { later: { part: [{ contentType: 'text/plain' }] } },
];
const aboutRepresentation: readonly Json[] = [
  { category: [{ coding: [{ system: 'http://loinc.org', code: '64298-3' }] }] },
  { category: [{ coding: [{ system: 'urn:other', code: '64298-3' }] }] },
  { scope: { coding: [{ code: 'hcd' }] } },
  { provision: { actor: [{ role: { coding: [{ code: 'POWATT' }] } }] } },
];

/** Who did and who signed something, for themselves or for another one. */
function actors(random: Random): Json {
  const people = ['RelatedPerson/r1', 'RelatedPerson/r2', 'Person/r3', 'Practitioner/d1', 'Patient/p1', 'Patient/p2'];
  const whom = () =>
    random.percent(8)
      ? { type: random.of(['RelatedPerson', 'Person', 'Practitioner']), display: 'x' }
      : random.percent(8)
        ? { reference: `${random.of(people)}/_history/1` }
        : referenceTo(random, random.of(people));
  return {
    ...(random.percent(60) && { agent: random.list(1, 2, () => ({ who: whom() })) }),
    ...(random.percent(10) && { agent: [{ who: whom(), onBehalfOf: whom() }] }),
    ...(random.percent(10) && { signature: [{ who: whom() }] }),
    ...(random.percent(10) && { entity: [{ agent: [{ who: whom() }] }] }),
  };
}

/** A Patient with what only some may see. */
function patientOf(random: Random, id: string): Resource {
  const types = random.of([[undefined], ['MR'], ['MR', 'SS'], ['SS']]);
  const identifier = types.map((code) => ({
    system: 'urn:mrn',
    value: code === 'SS' ? 'secret' : id,
    ...(code && { type: { coding: [{ code }] } }),
  }));
  return {
    resourceType: 'Patient',
    id,
    identifier,
    name: [{ family: 'Duarte' }],
    birthDate: random.of(['1980-01-01', '2015-05-05']),
    ...(random.percent(70) && { address: [{ city: 'Porto' }], telecom: [{ value: '1' }] }),
    ...(random.percent(50) && { contact: [{ name: { family: 'Sa' } }], text: { div: '<div>x</div>' } }),
    ...(random.percent(15) && {
      contact: [{ organization: { reference: '#refuge' } }],
      contained: ['refuge', 'other']
        .slice(0, 1 + random.below(2))
        .map((own) => ({ resourceType: 'Organization', id: own })),
    }),
    ...(random.percent(20) && {
      _birthDate: { extension: [{ url: 'urn:time' }] },
      gender: 'female',
      maritalStatus: {},
    }),
    ...(random.percent(10) && random.of<Json>([{ deceasedBoolean: false }, { deceasedDateTime: '2020' }])),
    ...(random.percent(30) && { link: [{ other: { reference: 'Patient/old' }, type: 'replaces' }], active: true }),
    ...(random.percent(20) && { photo: [{ url: 'Binary/b1' }] }),
  };
}

/** A resource of a type, about one patient most of the time, that names other places. */
export function resourceOf(random: Random, type: string, id: string, places: readonly string[], kinds = 1): Resource {
  const resource: Resource = { resourceType: type, id, ...categories(random, type) };
  if (random.percent(30)) resource.identifier = [{ system: 'urn:mrn', value: id }];
  if (random.percent(25)) {
    const system = random.percent(80) ? 'urn:codes' : 'urn:other';
    resource.code = { coding: [{ system, code: random.of(['x', 'y']) }] };
  }
  const patient = random.of(patients);
  for (const path of type === 'Binary' ? [['securityContext']] : (subjectElements.get(type) ?? [])) {
    if (!random.percent(type === 'Binary' ? 60 : 85)) continue;
    const isPlain = type === 'Binary' ? random.percent(60) : random.percent(88);
    put(resource, path, referenceTo(random, isPlain ? `Patient/${patient}` : anyPlace(random, places)), random);
    if (random.percent(10)) put(resource, path, referenceTo(random, anyPlace(random, places)), random);
  }
  if (type === 'List' && random.percent(25)) resource.source = { reference: `Patient/${random.of(patients)}` };
  for (const path of aboutOf(type))
    if (random.percent(45)) put(resource, path, referenceTo(random, anyPlace(random, places)), random);
  const participants = participantsOf(type);
  if (participants) {
    for (const place of random.list(0, 2, () => anyPlace(random, places))) {
      put(resource, [participants.list, ...participants.who], referenceTo(random, place), random);
    }
    Object.assign(
      resource,
      random.of<Json>([{}, { comment: 'x', note: [{ text: 'x' }] }, { quantity: 2, text: { div: '<div>x</div>' } }]),
    );
    if (random.percent(15))
      resource.contained = [
        { resourceType: random.of(['Patient', 'Observation']), id: 'c', ...categories(random, '') },
      ];
  }
  const path = attachments[type];
  if (path && random.percent(60)) {
    const binary = random.of(['b1', 'b2', 'b3']);
    const url = random.of([
      `Binary/${binary}`,
      `Binary/${binary}`,
      `${serverBase}/Binary/${binary}`,
      `Binary/${binary}/_history/1`,
      'https://other.example/Binary/b1',
    ]);
    put(resource, [...path, 'url'], url, random);
  }
  if (['List', 'Provenance', 'Task'].includes(type) && random.percent(10)) nameMany(random, resource, places);
  if (random.percent(15)) resource.encounter = referenceTo(random, anyPlace(random, places));
  if (random.percent(15)) resource.performer = [referenceTo(random, anyPlace(random, places))];
  if (random.percent(8))
    resource.extension = [{ url: 'urn:x', valueReference: referenceTo(random, anyPlace(random, places)) }];
  if (random.percent(5)) resource.contained ??= [{ resourceType: 'Observation', id: 'c', ...categories(random, '') }];
  withKinds(random, resource, kinds);
  return resource;
}

/** Several of one type, which are asked for at once. */
function nameMany(random: Random, resource: Resource, places: readonly string[]): void {
  const types = places.map((place) => place.split('/')[0]);
  const [first = 'Patient'] = types.filter((type, index) => types.indexOf(type) !== index);
  const all = places.filter((place) => place.startsWith(`${first}/`)).concat(`${first}/gone`, `${first}/lost`);
  for (const path of aboutOf(resource.resourceType).slice(0, 1)) {
    for (const place of all) put(resource, path, referenceTo(random, place), random);
  }
}

/** What a server has. Versions of one resource may be about different patients. */
export function generatedData(random: Random): Data {
  const places: string[] = [];
  const versions: Record<string, Resource[]> = {};
  const add = (type: string, id: string, make: () => Resource) => {
    const count = random.percent(25) ? 2 : 1;
    versions[`${type}/${id}`] = Array.from({ length: count }, (_, index) => {
      const own = make();
      return { ...own, meta: { ...(own.meta as Json | undefined), versionId: String(index + 1) } };
    });
    places.push(`${type}/${id}`);
  };
  for (const id of patients) add('Patient', id, () => patientOf(random, id));
  for (const id of ['r1', 'r2']) {
    add('RelatedPerson', id, () => ({
      resourceType: 'RelatedPerson',
      id,
      patient: referenceTo(random, `Patient/${random.of(patients)}`),
    }));
  }
  const targets = ['Patient/p1', 'Patient/p2', 'RelatedPerson/r1'];
  add('Person', 'r3', () => ({
    ...{ resourceType: 'Person', id: 'r3', text: { div: '<div>x</div>' } },
    link: random.list(0, 2, () => ({ target: { reference: random.of(targets) } })),
  }));
  for (const place of [...directoryIds, 'Device/ward']) {
    const [resourceType = '', id = ''] = place.split('/');
    add(resourceType, id, () => ({
      resourceType,
      id,
      ...(random.percent(30) && { subject: { reference: 'Patient/p1' } }),
    }));
  }
  // Each patient has something that levels tell apart.
  for (const id of patients) {
    const type = random.of([
      ...['Observation', 'Observation', 'Condition', 'Provenance', 'Provenance', 'Consent', 'MedicationRequest'],
      ...['List', 'Communication', 'DiagnosticReport', 'AllergyIntolerance', 'DocumentReference', 'DocumentReference'],
      ...['Goal', 'Encounter', 'Consent'],
    ]);
    const usual = type === 'Consent' ? 'patient' : type === 'Provenance' ? 'target' : 'subject';
    const named = random.percent(80) ? usual : 'target';
    add(type, `k${id}`, () => ({
      ...resourceOf(random, type, `k${id}`, places, 3),
      [named]: { reference: `Patient/${id}` },
      ...(type === 'DocumentReference' && { content: [{ attachment: { url: `Binary/b${id.slice(1)}` } }] }),
    }));
  }
  const number = 8 + random.below(12);
  for (let index = 0; index < number; index += 1) {
    const type = anyType(random);
    if (!capabilities.types.includes(type) || type === 'Patient' || type === 'Binary') continue;
    add(type, `r${index}`, () => resourceOf(random, type, `r${index}`, places));
  }
  for (const id of ['b1', 'b2', 'b3']) {
    const context = random.percent(55) ? `Patient/p${id.slice(1)}` : random.of(places);
    const securityContext = random.percent(70) ? { securityContext: referenceTo(random, context) } : {};
    const content = { contentType: 'text/plain', data: Buffer.from(id).toString('base64') };
    add('Binary', id, () => ({ ...resourceOf(random, 'Binary', id, places), ...content, ...securityContext }));
  }
  // The gateway has put the base of the server in place of its own into all that apps have written.
  const stored = JSON.parse(JSON.stringify(versions).replaceAll(appBase, serverBase)) as Data['versions'];
  const deleted = places.filter((place) => !place.startsWith('Patient/') && random.percent(3));
  return { versions: stored, deleted, ignores: random.percent(20) };
}
