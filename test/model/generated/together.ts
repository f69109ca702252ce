import type { Asked, Json, Resource, Token } from '../decision/world.js';
import type { Data } from '../run/data.js';
import type { Random } from './random.js';
import { relationshipOf } from './relationship.js';
import { patients } from './resources.js';

const names = ['urn:uuid:0c3151bd-1cbf-4d64-b04d-cd9187a4c6e1', 'urn:uuid:0c3151bd-1cbf-4d64-b04d-cd9187a4c6e2'];
const [first = '', second = ''] = names;

/** A transaction about one record, of parts that name each other, or what exists already. */
export function askedTogether(random: Random, data: Data): { asked: Asked; token: Token } {
  const patient = random.of(patients);
  const make = random.of([documentWithContent, withConditions, withConditions, withSearches]);
  const parts = make(random, data, patient);
  const ordered = random.percent(50) ? parts : parts.toReversed();
  return {
    asked: { interaction: 'transaction', type: '', query: [], parts: ordered },
    token: tokenOf(random, patient),
  };
}

function tokenOf(random: Random, patient: string): Token {
  const scopes = random.of([
    ...[['patient/*.cruds'], ['patient/*.cruds'], ['patient/*.cruds'], ['user/*.cruds'], ['system/*.cruds']],
    ['patient/*.cud', 'patient/*.s?category=laboratory'],
    ['patient/*.cruds?category=survey', 'patient/Binary.cruds'],
  ]);
  const user = random.of([`Patient/${patient}`, 'Practitioner/d1', undefined]);
  const signIn = { acr: random.of(['aal1', 'aal2', 'phr']), age: random.of([10, 10_000]) };
  const own = { scopes, patient, ...(user !== undefined && { user, ...signIn }) };
  return random.percent(20) ? { ...own, user: 'RelatedPerson/r1', relationship: relationshipOf(random) } : own;
}

/** A record most of the time this patient's. */
function recordOf(random: Random, patient: string): Json {
  return { subject: { reference: `Patient/${random.percent(85) ? patient : random.of(patients)}` } };
}

function documentWithContent(random: Random, _data: Data, patient: string): Asked[] {
  const url = random.percent(85) ? first : random.of(['Binary/b1', second]);
  const type = random.of(['DocumentReference', 'DocumentReference', 'DiagnosticReport', 'Media', 'Composition']);
  const linked: Readonly<Record<string, Json>> = {
    DocumentReference: { content: [{ attachment: { url } }] },
    DiagnosticReport: { presentedForm: [{ url: 'urn:x' }, { url }] },
    Media: { content: { url } },
  };
  const context = random.percent(15) && { securityContext: { reference: `Patient/${random.of(patients)}` } };
  const binary = { resourceType: 'Binary', contentType: 'text/plain', data: 'eA==', ...context };
  const document = { resourceType: type, ...recordOf(random, patient), ...linked[type] };
  return [create(binary, first), create(document, second)];
}

/** Creates of what is there already, and what names it. */
function withConditions(random: Random, { versions }: Data, patient: string): Asked[] {
  const known = Object.values(versions).flatMap((all) => all.at(-1) ?? []);
  const named = known.filter(
    (one) => one.identifier !== undefined && JSON.stringify(one).includes(`Patient/${patient}"`),
  );
  const found = named.length > 0 && random.percent(85) ? random.of(named) : random.of(known);
  const { id, ...body } = found;
  const condition = [['identifier', random.percent(90) ? `urn:mrn|${id}` : 'none']] as const;
  const existing: Asked = { ...create(body as Resource, first), ifNoneExist: condition };
  const naming = { resourceType: 'Observation', ...recordOf(random, patient), encounter: { reference: first } };
  const parts = [existing, ...(random.percent(80) ? [create(naming, second)] : [])];
  if (random.percent(85)) return parts;
  const { name: _name, ...again } = existing;
  return [...parts, random.percent(80) ? again : existing];
}

/** References by a search (FHIR R4 §3.1.0.11.3). */
function withSearches(random: Random, { versions }: Data, patient: string): Asked[] {
  const found = Object.values(versions)
    .flatMap((all) => all.at(-1) ?? [])
    .filter((one) => one.identifier !== undefined);
  const { resourceType = 'Patient', id = patient } = random.percent(60) && found.length > 0 ? random.of(found) : {};
  const query = random.of([
    ...[`identifier=urn:mrn|${id}`, `identifier=urn:mrn|${id}`, `identifier=${id}`, 'code=x', `unheard-of=${id}`],
    ...['identifier=', `identifier:not=${id}`, `_id=${id}`, 'category=laboratory', `identifier=urn:mrn|${id}&code=x`],
  ]);
  const reference = { reference: `${resourceType}?${query}` };
  const naming = { resourceType: 'Observation', ...recordOf(random, patient) };
  const body = random.percent(70)
    ? { ...naming, encounter: reference }
    : { ...naming, performer: [reference, reference] };
  return [create(body, first)];
}

function create(body: Resource, name: string): Asked {
  return { interaction: 'create', type: body.resourceType, query: [], body, name };
}
