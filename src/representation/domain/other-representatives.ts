import { isOneOf } from '../../contract/rules/resources/codes.js';
import { listOf, member } from '../../contract/rules/resources/elements.js';

/** The representative who is not to see other representatives of the patient. */
export interface Self {
  /** Id of the patient. */
  patient: string;
  /** `RelatedPerson/…` or `Person/…` of the representative, as the FHIR server names it; absent if it has none. */
  person?: string | undefined;
  /** A reference without the base of the FHIR server. */
  local(reference: string): string;
}

const persons: ReadonlySet<string> = new Set(['RelatedPerson', 'Person']);

/** True if a type has resources that a representative may see, as far as other representatives are concerned. */
export function mayShowType(type: string, { person }: Pick<Self, 'person'>): boolean {
  if (type === 'AuditEvent') return false;
  return !persons.has(type) || person?.startsWith(`${type}/`) === true;
}

/** True for a resource that tells of another representative: of who they are, what they did or what they may. */
export function tellsOfOthers(resource: unknown, self: Self): boolean {
  const type = member(resource, 'resourceType');
  if (typeof type !== 'string') return false;
  if (type === 'AuditEvent') return true;
  if (persons.has(type)) return `${type}/${member(resource, 'id')}` !== self.person;
  if (containedIn(resource).some((one) => persons.has(String(member(one, 'resourceType'))))) return true;
  if (type === 'Provenance') return hasObject(resource, (one) => isOther(one, self));
  return type === 'Consent' && hasObject(resource, (one) => isAboutRepresentation(one, self));
}

function containedIn(resource: unknown): readonly unknown[] {
  return listOf(member(resource, 'contained'));
}

/** True for a reference to another person than staff, the patient and the representative. */
function isOther(reference: unknown, { patient, person, local }: Self): boolean {
  const place = placeOf(reference, local);
  const type = namedType(reference, local);
  if (type === 'Patient') return place !== `Patient/${patient}`;
  return persons.has(type) && (place === undefined || place !== person);
}

/** By the reference itself, or by what it says of its type. */
function namedType(reference: unknown, local: Self['local']): string {
  return /(?:^|\/)([A-Z][A-Za-z]*)\/[^/]+$/.exec(placeOf(reference, local) ?? '')?.[1] ?? typeIn(reference);
}

/** Without a version. */
function placeOf(reference: unknown, local: Self['local']): string | undefined {
  const text = member(reference, 'reference');
  return typeof text === 'string' ? local(text).replace(/\/_history\/[^/]+$/, '') : undefined;
}

/** `Reference.type`: a name, or the address of its definition (FHIR R4 §2.3.0.7). */
function typeIn(reference: unknown): string {
  const type = member(reference, 'type');
  return typeof type === 'string' ? type.slice(type.lastIndexOf('/') + 1) : '';
}

/** Codes of consents and roles by which one acts for another (LOINC, HL7 v3 RoleCode and RoleClass). */
const ofRepresentation = [
  'http://loinc.org|64298-3',
  ...['POWATT', 'DPOWATT', 'HPOWATT', 'SPOWATT', 'RESPRSN', 'GUADLTM', 'GUARD', 'DELEGATEE', 'dpoa', 'hcd'],
].join(',');

/**
 * True for a reference to a RelatedPerson, a Person or another patient, and for one of these codes as category, scope
 * or role.
 */
function isAboutRepresentation(value: object, { patient, local }: Self): boolean {
  const type = namedType(value, local);
  const isOtherPatient = type === 'Patient' && placeOf(value, local) !== `Patient/${patient}`;
  return persons.has(type) || isOtherPatient || isOneOf([value], ofRepresentation);
}

const deepest = 40;

/** True if the value is or has such an object; what is nested more deeply is not looked at. */
function hasObject(value: unknown, isWanted: (object: object) => boolean, depth = 0): boolean {
  if (typeof value !== 'object' || value === null || depth > deepest) return false;
  if (!Array.isArray(value) && isWanted(value)) return true;
  return Object.values(value).some((own) => hasObject(own, isWanted, depth + 1));
}
