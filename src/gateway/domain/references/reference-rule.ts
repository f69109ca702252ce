import { isRecordless } from '../../../contract/rules/resources/recordless-types.js';
import { isAboutPatient, isInPatientCompartment, type ServerNames, takesPart } from '../patient-compartment.js';
import type { Place } from './addresses.js';
import type { Identifier, WrittenReference } from './written-references.js';

/** The record to which the references of a change are limited. */
export interface OwnRecord {
  /** Id of the patient. */
  patient: string;
  /** The signed-in user, where the token tells the app who that is: the author of what it writes. */
  user: Place | undefined;
}

export type ReferenceFault = 'not-in-record' | 'other-server' | 'unclear' | 'identifier';

/**
 * The decision on one reference, or the name of the resource that it depends on: `place` on the server, `entry` in the
 * transaction.
 */
export type ReferenceDecision = 'permitted' | { fault: ReferenceFault } | { place: Place } | { entry: string };

/**
 * Decides on a reference as far as its text tells. Where it depends on a resource, an existing one of another record
 * and a missing one have the same decision.
 */
export function decisionOn({ target }: WrittenReference, { patient, user }: OwnRecord): ReferenceDecision {
  switch (target.kind) {
    case 'resource':
      return decisionOnPlace(target, { patient, user });
    case 'entry':
      return { entry: target.name };
    case 'identifier':
      return decisionOnIdentifier(target, patient);
    case 'elsewhere':
      return target.types.some(isInPatientCompartment) ? { fault: 'other-server' } : 'permitted';
    case 'unclear':
      return { fault: 'unclear' };
  }
}

function decisionOnPlace({ type, id, version }: Place, { patient, user }: OwnRecord): ReferenceDecision {
  if (isRecordless(type) || (type === user?.type && id === user.id)) return 'permitted';
  if (type === 'Patient') return id === patient ? 'permitted' : { fault: 'not-in-record' };
  return isOfRecords(type) ? { place: { type, id, version } } : { fault: 'not-in-record' };
}

/**
 * An identifier has to be one of the resource that is named next to it, or of the patient: of no other it can be told
 * whose it is.
 */
function decisionOnIdentifier(
  { type, identifier, place }: Extract<WrittenReference['target'], { kind: 'identifier' }>,
  patient: string,
): ReferenceDecision {
  if (type !== undefined && isRecordless(type)) return 'permitted';
  if (identifier.value === undefined) return { fault: 'identifier' };
  if (place && place.type === type && isOfRecords(type)) return { place };
  return type === undefined || type === 'Patient'
    ? { place: { type: 'Patient', id: patient } }
    : { fault: 'identifier' };
}

/** True if the resource that a reference depends on permits it. */
export function permitsReference(
  resource: unknown,
  { target }: WrittenReference,
  { patient }: OwnRecord,
  server: ServerNames,
): boolean {
  const type = member(resource, 'resourceType');
  // A resource that the same transaction makes is checked there.
  if (target.kind === 'entry' && typeof type === 'string' && isRecordless(type)) return true;
  // Only one that the token may read is found, and a Binary has no identifier.
  if (type === 'Binary') return target.kind !== 'identifier';
  if (!isInRecord(resource, patient, server)) return false;
  return target.kind !== 'identifier' || hasIdentifier(resource, target.identifier);
}

/** Types of which several patients share one resource, by taking part. */
const shared = new Set(['Appointment', 'Group']);

/** True if a resource of the server belongs to this patient, with others or alone, or is a device of no patient. */
function isInRecord(resource: unknown, patient: string, server: ServerNames): boolean {
  if (isAboutPatient(resource, patient, server)) return true;
  const type = String(member(resource, 'resourceType'));
  if (shared.has(type)) return takesPart(resource, patient, server);
  return type === 'Device' && member(resource, 'patient') === undefined;
}

/** True if it can be found out by a resource of this type whose it is. */
function isOfRecords(type: string): boolean {
  return isInPatientCompartment(type) || type === 'Binary';
}

function hasIdentifier(resource: unknown, { system, value }: Identifier): boolean {
  return [member(resource, 'identifier') ?? []]
    .flat()
    .some((one) => member(one, 'value') === value && member(one, 'system') === system);
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
