/**
 * Decides what a token for one patient is shown of a resource that several patients may share (decision 0094): all of
 * it, nothing, or the part that tells of no other patient.
 */

import { listOf, member, valuesAt } from '../../../contract/rules/resources/elements.js';
import { isRecordless } from '../../../contract/rules/resources/recordless-types.js';
import { isAboutPatient, type Named, namedBy, type ServerNames, takesPart } from '../patient-compartment.js';
import { isOfKind, type Permission } from '../permission.js';
import { type NamedElements, namedElementsOf, type Participants } from './named-elements.js';
import { referencesIn, withoutOthers } from './shown-part.js';

/** `partOf` gives the part of the resource that is shown, by whichever parser it was read. */
export type Shown = 'whole' | 'nothing' | { partOf: (resource: unknown) => unknown };

/** The facts beyond a resource that decide about it. */
export interface Surroundings {
  server: ServerNames;
  /** The resources that are named, by `Type/id`, as far as the server has them. */
  named: ReadonlyMap<string, unknown>;
  /** Named resources that are judged already: the patients for whom each is permitted ({@link permittedAsNamed}). */
  judged?: ReadonlyMap<string, readonly string[]>;
  /** The permissions of the token to read or search a type. */
  permissionsOn(type: string): readonly Permission[];
}

/** The part of a resource of the server that these permissions show. */
export function shownOf(resource: unknown, permissions: readonly Permission[], surroundings: Surroundings): Shown {
  const fitting = permissions.filter((permission) => isOfKind(resource, permission));
  const open = fitting.find(({ patient }) => patient === undefined);
  if (open) return partOf(resource, [open]);
  const elements = namedElementsOf(member(resource, 'resourceType'));
  const patients = fitting.flatMap(({ patient = '' }) =>
    belongsTo(resource, patient, elements, surroundings) ? patient : [],
  );
  if (patients.length === 0) return 'nothing';
  if (!elements?.participants) return partOf(resource, fitting);
  return shownPart(resource, elements.participants, patients, surroundings);
}

/** The part of a resource that the relationship shows, if the resource is in its part of the record. */
function partOf(resource: unknown, [permission]: readonly Permission[]): Shown {
  const part = permission?.part;
  if (!part || part.shown(resource) === resource) return 'whole';
  return { partOf: (one) => part.shown(one) };
}

/** The resources that have to be known for that decision, as `Type/id`; most resources need none. */
export function neededFor(resource: unknown, permissions: readonly Permission[], server: ServerNames): string[] {
  const elements = namedElementsOf(member(resource, 'resourceType'));
  if (!elements) return [];
  const isWide = elements.participants?.onlyPatients === false;
  const references = isWide ? referencesIn(resource) : valuesOf(resource, elements);
  if (references.length === 0) return [];
  const mayBelong = permissions.some(
    (permission) =>
      permission.patient !== undefined &&
      isOfKind(resource, permission) &&
      mayBelongTo(resource, permission.patient, elements, server),
  );
  if (!mayBelong) return [];
  const needed = references.flatMap((value) => {
    const named = namedBy(value, server);
    return named?.reference !== undefined && isOfRecord(named.type) ? named.reference : [];
  });
  return [...new Set(needed)];
}

/** The resources that have to be known to decide whether a search for this type may ask about what is named. */
export function neededToAsk(type: string, asked: readonly Named[]): string[] {
  if (namedElementsOf(type)?.participants?.onlyPatients) return [];
  return asked.flatMap(({ type, reference }) => (reference !== undefined && isOfRecord(type) ? reference : []));
}

/** True if a search for this type may ask about what is named. */
export function mayAskAbout(type: string, named: Named, patient: string, surroundings: Surroundings): boolean {
  const isOpen = namedElementsOf(type)?.participants?.onlyPatients === true && named.type !== 'Patient';
  return isOpen || isNamedPermitted(named, patient, surroundings);
}

/** Those of the patients to whom the resource belongs, or that it keeps nothing from, if it is named by another one. */
export function permittedAsNamed(
  resource: unknown,
  patients: readonly string[],
  surroundings: Pick<Surroundings, 'server' | 'permissionsOn'>,
): string[] {
  const type = String(member(resource, 'resourceType'));
  return patients.filter((patient) => isPermittedAsNamed(resource, type, patient, surroundings));
}

/**
 * True if the resource that is named belongs to the patient, or to no record, and no category keeps the token from it.
 */
function isNamedPermitted({ type, reference }: Named, patient: string, surroundings: Surroundings): boolean {
  if (isRecordless(type)) return true;
  if (reference === undefined) return false;
  if (type === 'Patient') return reference === `Patient/${patient}`;
  const judged = surroundings.judged?.get(reference);
  if (judged) return judged.includes(patient);
  const resource = surroundings.named.get(reference);
  return resource !== undefined && isPermittedAsNamed(resource, type, patient, surroundings);
}

function isPermittedAsNamed(
  resource: unknown,
  type: string,
  patient: string,
  { permissionsOn, server }: Pick<Surroundings, 'server' | 'permissionsOn'>,
): boolean {
  // Equipment that belongs to no patient.
  if (type === 'Device' && member(resource, 'patient') === undefined) return true;
  const isShared = namedElementsOf(type)?.participants?.onlyPatients === false;
  if (!(isShared ? takesPart : isAboutPatient)(resource, patient, server)) return false;
  const permissions = permissionsOn(type).filter((one) => (one.patient ?? patient) === patient);
  return permissions.length === 0 || permissions.some((permission) => isOfKind(resource, permission));
}

function belongsTo(
  resource: unknown,
  patient: string,
  elements: NamedElements | undefined,
  surroundings: Surroundings,
): boolean {
  const { server } = surroundings;
  if (!elements) return isAboutPatient(resource, patient, server);
  if (!mayBelongTo(resource, patient, elements, server)) return false;
  return valuesOf(resource, elements).every((value) => {
    const named = namedBy(value, server);
    return named ? isNamedPermitted(named, patient, surroundings) : isTextOnly(value);
  });
}

/** True unless the resource alone tells that it does not belong to the patient. */
function mayBelongTo(
  resource: unknown,
  patient: string,
  { participants }: NamedElements,
  server: ServerNames,
): boolean {
  if (participants?.onlyPatients === false) return takesPart(resource, patient, server);
  return isAboutPatient(resource, patient, server) || namesOnlyTargets(resource, server);
}

/** True for a Provenance that names resources of records as its targets, and not the patient of these. */
function namesOnlyTargets(resource: unknown, server: ServerNames): boolean {
  if (member(resource, 'resourceType') !== 'Provenance') return false;
  const targets = valuesAt(resource, ['target']).map((target) => namedBy(target, server));
  return targets.every((one) => one && one.type !== 'Patient') && targets.some((one) => isOfRecord(one?.type ?? ''));
}

function shownPart(
  resource: unknown,
  participants: Participants,
  patients: readonly string[],
  surroundings: Surroundings,
): Shown {
  const isOpen = (value: unknown) => {
    const named = namedBy(value, surroundings.server);
    if (participants.onlyPatients && named?.type !== 'Patient') return !isContainedPatient(value, resource);
    return named !== undefined && patients.some((patient) => isNamedPermitted(named, patient, surroundings));
  };
  const partOf = (one: unknown) => withoutOthers(one, participants, isOpen);
  return partOf(resource) === resource ? 'whole' : { partOf };
}

function isContainedPatient(value: unknown, resource: unknown): boolean {
  const reference = member(value, 'reference');
  return listOf(member(resource, 'contained')).some(
    (one) => member(one, 'resourceType') === 'Patient' && reference === `#${member(one, 'id')}`,
  );
}

function valuesOf(resource: unknown, { about }: NamedElements): unknown[] {
  return about.flatMap((path) => valuesAt(resource, path));
}

function isOfRecord(type: string): boolean {
  return type !== '' && type !== 'Patient' && !isRecordless(type);
}

/** A text in place of a reference names no resource. */
function isTextOnly(value: unknown): boolean {
  return (
    typeof member(value, 'display') === 'string' &&
    ['reference', 'type', 'identifier'].every((name) => member(value, name) === undefined)
  );
}
