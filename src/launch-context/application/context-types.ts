import { parseScope } from '../../contract/rules/scopes/smart-scope.js';
import type { Authorization } from '../../oidc/domain/authorization.js';
import { type LaunchSources, meansPatient, suppliedBy } from '../../oidc/domain/launch.js';

/** A resource type of which the user has to choose one. */
export interface ContextType {
  type: string;
  /** Its resources belong to a patient, and only those of the patient in context are offered. */
  ofPatient: boolean;
}

/** The resource types that the FHIR server has. */
export interface Served {
  types: readonly string[];
  isOfPatient(type: string): boolean;
}

/**
 * The types to choose, patient first: those that the scopes ask for, except for those that the EHR supplied and for the
 * patient of a patient, which is their own record. Resources of patients are offered for one patient at a time, who is
 * chosen first although no scope asks for it: no list has visits without the name of their patient. A patient is
 * offered only types that can be limited to that record; a user without a record on the FHIR server is offered nothing.
 * A user who acts for others chooses the patient, also the own record: it is never chosen silently. Another patient
 * whom the EHR named is shown before anything else, although there is nothing to choose.
 */
export function contextTypesToChoose(
  { scopes, launch, userType, fhirUser }: Pick<Authorization, 'scopes' | 'launch' | 'userType' | 'fhirUser'>,
  served: Served,
): ContextType[] {
  const representsOthers = (launch.represented?.length ?? 0) > 0 || launch.isUnread === true;
  if (fhirUser === undefined && !representsOthers) return [];
  const supplied = new Set(launch.ehr ? suppliedBy(launch.ehr) : []);
  const asPatient = userType === 'Patient' || userType === 'RelatedPerson';
  const isNamedByEhr = isForOther(launch);
  const isKnown = (type: string) =>
    type === 'patient' ? (supplied.has(type) && !isNamedByEhr) || (asPatient && !representsOthers) : supplied.has(type);
  const kinds = typesAskedFor(scopes)
    .filter((type) => !isKnown(type))
    .flatMap((lowerCase) => served.types.find((type) => type.toLowerCase() === lowerCase) ?? [])
    .map((type) => ({ type, ofPatient: type !== 'Patient' && served.isOfPatient(type) }))
    .filter(({ type, ofPatient }) => ofPatient || !asPatient || type === 'Patient');
  const needsPatient = kinds.some(({ ofPatient }) => ofPatient) && !isKnown('patient');
  return needsPatient && !kinds.some(({ type }) => type === 'Patient') ? [patientFirst, ...kinds] : kinds;
}

/** True if the EHR launched the app for a patient for whom the user acts. */
export function isForOther({ ehr, acting }: LaunchSources): boolean {
  return ehr?.patient !== undefined && acting !== undefined;
}

const patientFirst: ContextType = { type: 'Patient', ofPatient: false };

/** The requested types in lower case, as scopes name them, each once. */
function typesAskedFor(texts: string[]): string[] {
  const scopes = texts.map(parseScope).filter((scope) => scope !== undefined);
  const others = scopes.flatMap((scope) => (scope.kind === 'launch' ? (scope.context ?? []) : []));
  const patient = scopes.some(meansPatient) ? ['patient'] : [];
  return [...new Set([...patient, ...others])];
}
