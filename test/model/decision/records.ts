/** Whose a resource is, and what of it a token is shown. */
import { hasCategory } from './codes.js';
import { type Path, recordless, subjectElements } from './definitions.js';
import { isWithinLevels, partFor } from './levels.js';
import { aboutOf, participantsOf } from './mixed-resources.js';
import { opened, type Permission } from './scopes.js';
import { at, type Json, type Names, namedBy, of, type Resource, type Server, type Token } from './world.js';

/** Rules `scope-category` and `level`. */
function isOfKind(resource: unknown, { patient, categories, acting, letter }: Permission, server: Names): boolean {
  return (
    categories.every((one) => hasCategory(resource, one)) &&
    (acting === undefined || patient === undefined || isWithinLevels(acting, resource, letter ?? '', server))
  );
}

function subjectPaths(type: unknown): readonly Path[] {
  return type === 'Binary' ? [['securityContext']] : (subjectElements.get(String(type)) ?? []);
}

function subjectsOf(resource: unknown): unknown[] {
  return subjectPaths(of(resource, 'resourceType')).flatMap((path) => at(resource, path));
}

/**
 * Rule `whose`: the resource is this patient's if one of the elements names the patient, and none of them another
 * patient, or something of which it is not known whether it is one.
 */
export function isAbout(resource: unknown, patient: string, server: Names): boolean {
  if (of(resource, 'resourceType') === 'Patient') return of(resource, 'id') === patient;
  const named = subjectsOf(resource).map((one) => namedBy(one, server));
  const isSafe = named.every(
    (one) => one !== undefined && (one.type !== 'Patient' || one.here === `Patient/${patient}`),
  );
  return isSafe && named.some((one) => one?.here === `Patient/${patient}`);
}

/** True if the patient is one of those whom the elements name. */
export function takesPart(resource: unknown, patient: string, server: Server): boolean {
  return subjectsOf(resource).some((one) => namedBy(one, server)?.here === `Patient/${patient}`);
}

/** True if one of the permissions opens the resource, by its subject and its categories. */
export function isOpen(resource: unknown, permissions: readonly Permission[], server: Names): boolean {
  return permissions.some(
    (one) => (one.patient === undefined || isAbout(resource, one.patient, server)) && isOfKind(resource, one, server),
  );
}

/** The patient to whom the permissions limit a change of the resource; undefined if one of them has no patient. */
export function limitedTo(resource: unknown, permissions: readonly Permission[], server: Server): string | undefined {
  const including = permissions.filter((one) => isOpen(resource, [one], server));
  return including.every(({ patient }) => patient !== undefined) ? including[0]?.patient : undefined;
}

/** True for a type of which several patients share one resource, so that taking part is enough to be shown a part. */
function isShared(type: unknown): boolean {
  return participantsOf(type)?.onlyPatients === false;
}

/** Rule `mixed`: true if what is named is of this patient or of no record, in a category that the token may see. */
export function mayKnow(
  named: { type: string; here?: string },
  patient: string,
  token: Token,
  server: Server,
): boolean {
  const { type, here } = named;
  if (recordless.has(type)) return true;
  if (here === undefined) return false;
  if (type === 'Patient') return here === `Patient/${patient}`;
  const stored = server.stored(type, here.slice(type.length + 1));
  if (!stored) return false;
  if (type === 'Device' && stored.patient === undefined) return true;
  if (!(isShared(type) ? takesPart : isAbout)(stored, patient, server)) return false;
  const scopes = [...opened(token, type, 'r'), ...opened(token, type, 's')].filter(
    (one) => one.patient === undefined || one.patient === patient,
  );
  return scopes.length === 0 || scopes.some((one) => isOfKind(stored, one, server));
}

/** A text without a reference names nothing. */
function isText(value: unknown): boolean {
  return (
    typeof of(value, 'display') === 'string' &&
    !['reference', 'type', 'identifier'].some((one) => of(value, one) !== undefined)
  );
}

function belongsTo(resource: unknown, patient: string, token: Token, server: Server): boolean {
  const type = of(resource, 'resourceType');
  const about = aboutOf(type);
  const isCandidate = isShared(type)
    ? takesPart(resource, patient, server)
    : isAbout(resource, patient, server) || isProvenanceOfOthers(resource, server);
  if (!isCandidate) return false;
  return about
    .flatMap((path) => at(resource, path))
    .every((value) => {
      const named = namedBy(value, server);
      return named ? mayKnow(named, patient, token, server) : isText(value);
    });
}

/** A Provenance may name resources of the record in place of its patient. */
function isProvenanceOfOthers(resource: unknown, server: Server): boolean {
  if (of(resource, 'resourceType') !== 'Provenance') return false;
  const targets = at(resource, ['target']).map((one) => namedBy(one, server));
  return (
    targets.every((one) => one !== undefined && one.type !== 'Patient') &&
    targets.some((one) => one !== undefined && !recordless.has(one.type))
  );
}

export type Shown = { what: 'whole' | 'part'; resource: Resource } | { what: 'nothing' };

/** What the permissions show of a resource: all, nothing (rules `whose`, `mixed`) or a part (rule `participants`). */
export function shownOf(resource: Resource, permissions: readonly Permission[], token: Token, server: Server): Shown {
  const fitting = permissions.filter((one) => isOfKind(resource, one, server));
  const open = fitting.find(({ patient }) => patient === undefined);
  if (open && !open.acting) return { what: 'whole', resource };
  if (open?.acting) return { what: 'part', resource: partFor(open.acting, resource, server) };
  const patients = fitting.flatMap(({ patient = '' }) => (belongsTo(resource, patient, token, server) ? patient : []));
  if (patients.length === 0) return { what: 'nothing' };
  const acting = fitting[0]?.acting;
  const own = withoutOthers(resource, patients, token, server);
  const part = acting ? partFor(acting, own, server) : own;
  return part === resource ? { what: 'whole', resource } : { what: 'part', resource: part };
}

const subsetted = { system: 'http://terminology.hl7.org/CodeSystem/v3-ObservationValue', code: 'SUBSETTED' };

/**
 * Rule `participants`: the entries of others go, with them any other reference out of the record, the texts and numbers
 * that may tell of the others, and contained resources; the rest is marked.
 */
function withoutOthers(resource: Resource, patients: readonly string[], token: Token, server: Server): Resource {
  const participants = participantsOf(resource.resourceType);
  if (!participants) return resource;
  const { list, who, onlyPatients, hidden } = participants;
  const isKept = (reference: unknown): boolean => {
    const named = namedBy(reference, server);
    if (onlyPatients && named?.type !== 'Patient') return !isContainedPatient(reference, resource);
    return named !== undefined && patients.some((patient) => mayKnow(named, patient, token, server));
  };
  const kept = at(resource, [list]).filter((entry) => at(entry, who).every(isKept));
  const isListWhole = kept.length === at(resource, [list]).length;
  const shown = isListWhole ? resource : { ...resource, [list]: kept };
  const { text: _text, contained, ...rest } = shown;
  const plain = onlyPatients ? rest : (withoutReferences(rest, isKept) as Json);
  if (isListWhole && JSON.stringify(plain) === JSON.stringify(rest)) return resource;
  const left = Object.fromEntries(Object.entries(plain).filter(([name]) => !hidden.includes(name.replace(/^_/, ''))));
  const others = onlyPatients ? at(contained, []).filter((one) => of(one, 'resourceType') !== 'Patient') : [];
  const tag = [...at(resource, ['meta', 'tag']).filter((one) => of(one, 'code') !== subsetted.code), subsetted];
  const part = { ...left, ...(others.length > 0 && { contained: others }), meta: { ...(resource.meta as Json), tag } };
  return Object.fromEntries(
    Object.entries(part).filter(([, value]) => !Array.isArray(value) || value.length > 0),
  ) as Resource;
}

function isContainedPatient(reference: unknown, resource: Resource): boolean {
  const ids = at(resource, ['contained']).filter((one) => of(one, 'resourceType') === 'Patient');
  return ids.some((one) => of(reference, 'reference') === `#${of(one, 'id')}`);
}

/** The value without references that are not kept; undefined if nothing is left of it. An extension goes as a whole. */
function withoutReferences(value: unknown, isKept: (reference: unknown) => boolean, isExtension = false): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const left = value.map((one) => withoutReferences(one, isKept, isExtension)).filter((one) => one !== undefined);
    return left.length > 0 || value.length === 0 ? left : undefined;
  }
  const identifier = of(value, 'identifier');
  const isReference =
    typeof of(value, 'reference') === 'string' || (typeof identifier === 'object' && !Array.isArray(identifier));
  if (isReference) return isKept(value) ? value : undefined;
  const members = Object.entries(value).map(
    ([name, own]) =>
      [name, withoutReferences(own, isKept, name === 'extension' || name === 'modifierExtension')] as const,
  );
  const isWhole = members.every(([name, own]) => JSON.stringify(own) === JSON.stringify(of(value, name)));
  if (isWhole) return value;
  const left = members.filter(([, own]) => own !== undefined);
  return isExtension || left.length === 0 ? undefined : Object.fromEntries(left);
}
