/**
 * The table of what representatives may see and change: each basis, moment, level, and kind of resource with each
 * interaction, at a FHIR server that finds what it is asked for and at one that answers everything to everybody.
 */
import type { ActingFor, Asked, Facts, Json, Relationship, Resource } from '../decision/world.js';
import type { Case } from '../generated/case.js';
import { representation } from '../generated/relationship.js';
import { laboratory } from '../generated/resources.js';
import type { Data } from './data.js';

type Moment = Omit<ActingFor, 'relationship'> & { relationship?: Partial<Relationship> };

const noon = (day: string, birthDate = '2010-06-01', relationship: Partial<Relationship> = {}): Moment => ({
  ...{ at: `${day}T12:00Z`, zone: 'UTC', facts: { birthDate }, relationship },
});
const of = (facts: Facts, relationship: Partial<Relationship> = {}): Moment => ({
  ...{ at: '2021-06-15T12:00Z', zone: 'UTC', facts: { birthDate: '2010-06-01', ...facts }, relationship },
});

/** Of a patient who was born on 1 June 2010, or as it says. */
export const ages: Readonly<Record<string, Moment>> = {
  'age 5': noon('2015-06-01'),
  'the last minute of age 12': { ...noon('2023-06-01'), at: '2023-06-01T10:59Z', zone: 'Pacific/Pago_Pago' },
  'the first minute of age 13': { ...noon('2023-06-01'), at: '2023-05-31T10:00Z', zone: 'Pacific/Kiritimati' },
  'age 12 or 13, born in a month': noon('2023-06-10', '2010-06'),
  'age 12 or 13, born on 29 February': noon('2025-02-28', '2012-02-29'),
  'the last day of age 17': noon('2028-05-31'),
  'age 18': noon('2028-06-01'),
  'age 40': noon('2050-06-01'),
};

/** What the calendar, the record and the decisions of others do to a relationship. */
const states: Readonly<Record<string, Moment>> = {
  'agreement is there': noon('2026-06-01', '2010-06-01', { agreed: [16] }),
  'agreement is missing': noon('2026-06-01', '2010-06-01', { agreed: [] }),
  'suspended until the agreement, which is there': noon('2026-06-01', '2010-06-01', {
    ...{ status: 'suspended', reason: 'agreement', agreed: [16] },
  }),
  'a level above the step': noon('2023-06-01', '2010-06-01', { above: { step: 13 } }),
  'a level above the step, on its last day': noon('2023-06-01', '2010-06-01', {
    above: { step: 13, until: '2023-06-01' },
  }),
  'a level above the step, a day later': noon('2023-06-02', '2010-06-01', { above: { step: 13, until: '2023-06-01' } }),
  'another level in place of that of the step': noon('2023-06-01', '2010-06-01', {
    above: { step: 13, level: 'documents' },
  }),
  'another level in place of that of the step, on its last day': noon('2023-06-01', '2010-06-01', {
    above: { step: 13, until: '2023-06-01', level: 'basics' },
  }),
  'another level in place of that of the step, a day later': noon('2023-06-02', '2010-06-01', {
    above: { step: 13, until: '2023-06-01', level: 'changing' },
  }),
  'another level for a step that is over': noon('2026-06-01', '2010-06-01', {
    above: { step: 13, level: 'changing' },
  }),
  'another level for a step that ends': noon('2028-06-01', '2010-06-01', { above: { step: 18, level: 'changing' } }),
  'a level above the step that is not configured': noon('2023-06-01', '2010-06-01', {
    above: { step: 13, level: 'unknown' },
  }),
  deceased: of({ isDeceased: true }),
  'suspended for a death': of({ isDeceased: true }, { status: 'suspended', reason: 'deceased' }),
  'suspended for a death that was taken back': of({}, { status: 'suspended', reason: 'deceased' }),
  merged: of({ isReplaced: true }),
  'suspended for a merger': of({}, { status: 'suspended', reason: 'merged' }),
  inactive: of({ isInactive: true }),
  'suspended for a record that is gone': of({}, { status: 'suspended', reason: 'deleted' }),
  'suspended for a renewal that is overdue': of({}, { status: 'suspended', reason: 'unanswered' }),
  'suspended by the patient': of({}, { status: 'suspended', reason: 'patient-ended' }),
  ended: of({}, { status: 'ended', reason: 'period' }),
  proposed: of({}, { status: 'proposed' }),
  'the day before the period': of({}, { start: '2021-06-16' }),
  'the first day of the period': of({}, { start: '2021-06-15' }),
  'the last minute of the period': {
    ...of({}, { end: '2021-06-15' }),
    at: '2021-06-16T10:59Z',
    zone: 'Pacific/Pago_Pago',
  },
  'the minute after the period': {
    ...of({}, { end: '2021-06-15' }),
    at: '2021-06-15T10:00Z',
    zone: 'Pacific/Kiritimati',
  },
  'without a birth date': { ...of({}), facts: {} },
  'without a birth date, decided': { ...of({}, { isUndated: true }), facts: {} },
  'with a birth date that is none, decided': of({ birthDate: 'spring' }, { isUndated: true }),
  'born tomorrow': of({ birthDate: '2021-06-16' }),
  'a basis that is not configured': of({}, { basis: 'unknown' }),
};

const system = 'http://terminology.hl7.org/CodeSystem/observation-category';
const category = (code: string) => ({ category: [{ coding: [{ system, code }] }] });
const label = (code: string) => ({ security: [{ system: 'urn:labels', code }] });
const own = { reference: 'Patient/p1' };

interface Kind {
  type: string;
  meta?: Json;
  more?: Json;
}

/** What levels and bases tell apart. */
const kinds: readonly Kind[] = [
  ...[{}, category('laboratory'), category('vital-signs'), category('survey')].flatMap((more) =>
    [{}, label('MH'), label('SEX'), label('PSY')].map((meta) => ({ type: 'Observation', meta, more })),
  ),
  { type: 'Observation', more: { ...category('laboratory'), valueAttachment: { url: 'urn:x' } } },
  {
    type: 'Observation',
    more: { ...category('vital-signs'), contained: [{ resourceType: 'RelatedPerson', id: 'k' }] },
  },
  { type: 'Observation', more: { ...category('laboratory'), code: { coding: [{ system: 'urn:codes', code: 'y' }] } } },
  { type: 'Observation', more: { ...category('laboratory'), subject: { reference: 'Patient/p2' } } },
  { type: 'Condition' },
  { type: 'Condition', meta: label('MH') },
  { type: 'MedicationRequest', more: { medicationCodeableConcept: { coding: [{ code: 'x' }] } } },
  { type: 'MedicationRequest' },
  { type: 'AllergyIntolerance', more: { category: ['survey'] } },
  { type: 'DiagnosticReport', more: { presentedForm: [{ url: 'Binary/b' }] } },
  { type: 'DocumentReference', more: { content: [{ attachment: { url: 'Binary/b' } }] } },
  { type: 'DocumentReference', meta: label('MH'), more: { content: [{ attachment: { url: 'Binary/b' } }] } },
  { type: 'DocumentReference', meta: label('SEX') },
  { type: 'Media', more: category('survey') },
  { type: 'Communication', meta: label('SEX') },
  { type: 'List', more: { entry: [{ item: { reference: 'Encounter/e' } }] } },
  { type: 'List', more: { entry: [{ item: { reference: 'Condition/foreign' } }] } },
  { type: 'Appointment', more: { participant: [{ actor: own }, { actor: { reference: 'Patient/p2' } }] } },
  { type: 'Group', more: { member: [{ entity: own }, { entity: { reference: 'Patient/p2' } }] } },
  { type: 'Goal' },
  { type: 'Consent', more: { performer: [{ reference: 'RelatedPerson/r2' }] } },
  { type: 'RelatedPerson', more: { patient: own } },
  { type: 'AuditEvent', more: { agent: [{ who: own }] } },
  { type: 'Medication' },
];

function dataOf({ type, meta, more }: Kind, ignores: boolean): Data {
  const stored: Record<string, Resource[]> = {};
  const add = (resourceType: string, id: string, elements: Json, each: readonly (Json | undefined)[] = [{}]) => {
    stored[`${resourceType}/${id}`] = each.map((one, index) => ({
      ...{ resourceType, id, meta: { ...one, versionId: String(index + 1) }, ...elements },
    }));
  };
  add('Patient', 'p1', {
    birthDate: '2010-06-01',
    contact: [{ name: { family: 'Sa' } }],
    address: [{ city: 'Porto' }],
  });
  add('Patient', 'p2', { birthDate: '1980-01-01' });
  add('RelatedPerson', 'r1', { patient: own });
  add('RelatedPerson', 'r2', { patient: own });
  add('Practitioner', 'd1', {});
  add('Encounter', 'e', { subject: own });
  add('Condition', 'foreign', { subject: { reference: 'Patient/p2' } });
  add('Binary', 'b', { securityContext: own, contentType: 'text/plain', data: 'eA==' });
  const who = (id: string) => [{ who: { reference: `RelatedPerson/${id}` } }];
  add('Provenance', 'by-self', { target: [{ reference: `${type}/o` }], agent: who('r1') });
  add('Provenance', 'by-other', { target: [{ reference: `${type}/o` }], agent: who('r2') });
  const subject = type === 'Medication' ? {} : { subject: own, patient: own };
  add(type, 'gone', { ...subject, ...more }, [meta]);
  // It was labelled later.
  add(type, 'o', { ...subject, ...more }, [{}, meta]);
  return { versions: stored, deleted: [`${type}/gone`], ignores };
}

type Question = (kind: Kind, stored: Resource) => Asked;

const one = ({ type }: Kind): Pick<Asked, 'type' | 'id' | 'query'> => ({ type, id: 'o', query: [] });
const read = (type: string, id: string): Asked => ({ interaction: 'read', type, id, query: [] });
const search = (type: string, ...query: (readonly [string, string])[]): Asked => ({
  interaction: 'search',
  type,
  query,
});
const ofPatient = ['patient', 'Patient/p1'] as const;
const fresh = ({ id: _id, ...body }: Resource) => body;
const update = (kind: Kind, body: Json): Asked => ({ ...one(kind), interaction: 'update', body });
const changed = (stored: Resource): Json => ({ ...stored, status: 'final' });

/** What is asked, about a resource `o` of the kind and about what belongs to it. */
export const interactions: Readonly<Record<string, Question>> = {
  read: (kind) => ({ ...one(kind), interaction: 'read' }),
  'read of elements': (kind) => ({ ...one(kind), interaction: 'read', query: [['_elements', 'code']] }),
  'read of what was deleted': ({ type }) => read(type, 'gone'),
  'read of the patient': () => read('Patient', 'p1'),
  'read of another patient': () => read('Patient', 'p2'),
  'read of the own person': () => read('RelatedPerson', 'r1'),
  'read of another representative': () => read('RelatedPerson', 'r2'),
  'read of a document': () => read('Binary', 'b'),
  'read of what another representative did': () => read('Provenance', 'by-other'),
  'version before it was labelled': (kind) => ({ ...one(kind), interaction: 'vread', version: '1' }),
  'current version': (kind) => ({ ...one(kind), interaction: 'vread', version: '2' }),
  'version of what was deleted': (kind) => ({ ...one(kind), id: 'gone', interaction: 'vread', version: '1' }),
  history: (kind) => ({ ...one(kind), interaction: 'history-instance' }),
  'history of what was deleted': (kind) => ({ ...one(kind), id: 'gone', interaction: 'history-instance' }),
  'history of a type': ({ type }) => ({ interaction: 'history-type', type, query: [] }),
  search: ({ type }) => search(type, ofPatient),
  'search by POST': ({ type }) => ({ ...search(type, ofPatient), byPost: true }),
  'search of another patient': ({ type }) => search(type, ['patient', 'Patient/p2']),
  'search of all': ({ type }) => search(type),
  'search of a category': ({ type }) => search(type, ['category', 'survey']),
  'search of a category with its system': ({ type }) => search(type, ['category', laboratory]),
  'search of a code': ({ type }) => search(type, ['code', 'y']),
  'search of elements': ({ type }) => search(type, ofPatient, ['_elements', 'code']),
  'search in the compartment': ({ type }) => ({ ...search(type), inRecordOf: 'p1' }),
  'search with the subject': ({ type }) => search(type, ['_include', `${type}:patient:Patient`]),
  'search with what names it': ({ type }) => search(type, ['_revinclude', 'Provenance:target']),
  'search with all representatives': () => search('Patient', ['_revinclude', 'RelatedPerson:patient']),
  'search by a chain': ({ type }) => search(type, ['patient.birthdate', '2010-06-01']),
  'search by what names it': ({ type }) => search('Patient', [`_has:${type}:patient:_id`, 'o']),
  'search of the patient by the address': () => search('Patient', ['address-city', 'Porto']),
  'search of what was done': ({ type }) => search('Provenance', ['target', `${type}/o`]),
  count: ({ type }) => search(type, ofPatient, ['_summary', 'count']),
  'last of each': () => ({ ...search('Observation', ofPatient, ['max', '3']), operation: 'lastn' }),
  documents: () => ({ ...search('DocumentReference', ofPatient), operation: 'docref' }),
  everything: () => ({ interaction: 'operation', operation: 'everything', type: 'Patient', id: 'p1', query: [] }),
  'everything of another patient': () => ({
    ...{ interaction: 'operation', operation: 'everything', type: 'Patient', id: 'p2', query: [] },
  }),
  export: () => ({ interaction: 'operation', operation: 'export', type: 'Patient', query: [] }),
  'another operation': ({ type }) => ({ interaction: 'operation', operation: 'meta', type, id: 'o', query: [] }),
  create: ({ type }, stored) => ({ interaction: 'create', type, query: [], body: fresh(stored) }),
  'create of what is not there': ({ type }, stored) => ({
    ...{ interaction: 'create', type, query: [], body: fresh(stored), ifNoneExist: [['identifier', 'urn:mrn|none']] },
  }),
  update: (kind, stored) => update(kind, changed(stored)),
  'update that may only make': (kind, stored) => ({ ...update(kind, changed(stored)), onlyNew: true }),
  'update of what was deleted': (kind, stored) => ({ ...update(kind, { ...stored, id: 'gone' }), id: 'gone' }),
  'update without the label': (kind, stored) => update(kind, { ...stored, meta: {} }),
  'update of the category': (kind, stored) => update(kind, { ...stored, ...category('vital-signs') }),
  'update for another patient': (kind, stored) => update(kind, { ...stored, subject: { reference: 'Patient/p2' } }),
  'update of the birth date': () => ({
    ...{ interaction: 'update', type: 'Patient', id: 'p1', query: [] },
    body: { resourceType: 'Patient', id: 'p1', birthDate: '2020-01-01' },
  }),
  patch: (kind) => ({ ...one(kind), interaction: 'patch', body: [{ op: 'add', path: '/status', value: 'final' }] }),
  delete: (kind) => ({ ...one(kind), interaction: 'delete' }),
  'delete by a condition': ({ type }) => ({ interaction: 'delete', type, query: [ofPatient] }),
  'delete of the patient': () => ({ interaction: 'delete', type: 'Patient', id: 'p1', query: [] }),
  'batch about two patients': (kind, stored) => ({
    ...{ interaction: 'batch', type: '', query: [] },
    parts: [
      { ...one(kind), interaction: 'read' },
      read('Condition', 'foreign'),
      read('RelatedPerson', 'r2'),
      update(kind, changed(stored)),
    ],
  }),
  transaction: (kind, stored) => ({
    ...{ interaction: 'transaction', type: '', query: [] },
    parts: [update(kind, changed(stored)), { interaction: 'create', type: kind.type, query: [], body: fresh(stored) }],
  }),
  'transaction with a delete': (kind) => ({
    ...{ interaction: 'transaction', type: '', query: [], parts: [{ ...one(kind), interaction: 'delete' }] },
  }),
};

/** A representative with a resource at the server, a patient who acts for another one, and an account without any. */
const users = [{ user: 'RelatedPerson/r1' }, { user: 'Patient/p2' }, {}];
const scopes = ['patient/*.cruds', 'user/*.cruds', 'openid', 'fhirUser'];

const bases = Object.keys(representation.bases);
const levels = Object.keys(representation.levels);
const servers = [false, true];
const questions = Object.values(interactions);

/** A digit of each axis, the first one changing fastest. */
function digitsOf(index: number, axes: readonly number[]): number[] {
  let rest = index;
  return axes.map((length) => {
    const digit = rest % length;
    rest = Math.floor(rest / length);
    return digit;
  });
}

const axesOf = (moments: object, of: number) => [
  ...[questions.length, servers.length, of, levels.length, bases.length, Object.keys(moments).length],
];
interface Table {
  moments: readonly Moment[];
  kinds: readonly Kind[];
  axes: readonly number[];
}

/** States refuse or permit as a whole, so that a few kinds show all that they do. */
const kindsOfStates = kinds.filter((_, index) => index % 5 === 1);
const tables: readonly [Table, Table] = [
  { moments: Object.values(ages), kinds, axes: axesOf(ages, kinds.length) },
  { moments: Object.values(states), kinds: kindsOfStates, axes: axesOf(states, kindsOfStates.length) },
];
const sizeOf = (axes: readonly number[]) => axes.reduce((product, length) => product * length, 1);

/** The lengths of all axes. */
export const axes = tables.flatMap((one) => one.axes);

/** The number of cells. */
export const cells = tables.reduce((sum, { axes }) => sum + sizeOf(axes), 0);

const known = new Map<string, Data>();

export function cellOf(index: number): Case {
  const [first, second] = tables;
  const inFirst = sizeOf(first.axes);
  const table = index < inFirst ? first : second;
  const digits = digitsOf(index < inFirst ? index : index - inFirst, table.axes);
  const [question = 0, server = 0, ofKind = 0, level = 0, basis = 0, moment = 0] = digits;
  const kind = table.kinds[ofKind] as Kind;
  const { relationship, ...when } = table.moments[moment] as Moment;
  const key = `${table.kinds.length} ${ofKind} ${server}`;
  const data = known.get(key) ?? dataOf(kind, servers[server] === true);
  known.set(key, data);
  const stored = data.versions[`${kind.type}/o`]?.at(-1) as Resource;
  const acting = { basis: bases[basis] ?? '', level: levels[level] ?? '', status: 'active', agreed: [16] };
  const asked = questions[question]?.(kind, stored) as Asked;
  // Each user comes with each value of each axis.
  const who = users[digits.reduce((sum, digit) => sum + digit, 0) % users.length];
  const token = { scopes, patient: 'p1', ...who, acr: 'aal2', age: 10 };
  const used = { ...when, relationship: { ...acting, ...relationship } };
  return { data, token: { ...token, relationship: used }, asked, stepsUp: false };
}
