/**
 * Decides to which patient's record a resource belongs. The types are those of the R4 patient compartment
 * (CompartmentDefinition/patient); the elements are only those for the resource's subject. That is narrower than the
 * definition on purpose: the recorder, author or performer of a resource may be a patient as well (a mother who
 * reports her child's allergy), and a `patient/` scope must not lead from her record into the child's.
 */

import { type ElementPath, member, pathOfElement, valuesAt } from '../../contract/rules/resources/elements.js';
import { type PatientCompartmentType, sharedTypes } from '../../contract/rules/scopes/patient-compartment.js';
import type { Parameter } from './parameter.js';

/** The names by which references mean the FHIR server. */
export interface ServerNames {
  /** A reference without the base of the server, such as `Patient/1`; any other reference as it is. */
  local(reference: string): string;
}

interface Membership {
  /** The R4 search parameter on these elements. */
  parameter: string;
  /** The paths of the elements that name the patient; R5's name where it differs. */
  elements: readonly ElementPath[];
}

const by = (parameter: string, ...elements: string[]): Membership => ({
  parameter,
  elements: elements.map(pathOfElement),
});
const patient = by('patient', 'patient');
const patientAsSubject = by('patient', 'subject');
const subject = by('subject', 'subject');

/**
 * Includes Device, which R4 leaves out of the compartment although it names its patient: US Core has
 * `patient/Device.rs`.
 */
const memberships: Readonly<Record<Exclude<PatientCompartmentType, 'Patient'> | 'Device', Membership>> = {
  Account: patientAsSubject,
  AdverseEvent: subject,
  AllergyIntolerance: patient,
  Appointment: by('patient', 'participant.actor'),
  AppointmentResponse: by('patient', 'actor'),
  AuditEvent: by('patient', 'agent.who', 'entity.what'),
  Basic: patientAsSubject,
  BodyStructure: patient,
  CarePlan: patientAsSubject,
  CareTeam: patientAsSubject,
  ChargeItem: patientAsSubject,
  Claim: by('patient', 'patient', 'subject'),
  ClaimResponse: by('patient', 'patient', 'subject'),
  ClinicalImpression: patientAsSubject,
  Communication: patientAsSubject,
  CommunicationRequest: patientAsSubject,
  Composition: patientAsSubject,
  Condition: patientAsSubject,
  Consent: by('patient', 'patient', 'subject'),
  Coverage: by('patient', 'beneficiary'),
  CoverageEligibilityRequest: patient,
  CoverageEligibilityResponse: patient,
  DetectedIssue: by('patient', 'patient', 'subject'),
  Device: patient,
  DeviceRequest: patientAsSubject,
  DeviceUseStatement: by('patient', 'subject'),
  DiagnosticReport: patientAsSubject,
  DocumentManifest: patientAsSubject,
  DocumentReference: patientAsSubject,
  Encounter: patientAsSubject,
  EnrollmentRequest: by('patient', 'candidate'),
  EpisodeOfCare: patient,
  ExplanationOfBenefit: by('patient', 'patient', 'subject'),
  FamilyMemberHistory: patient,
  Flag: patientAsSubject,
  Goal: patientAsSubject,
  Group: by('member', 'member.entity'),
  ImagingStudy: patientAsSubject,
  Immunization: patient,
  ImmunizationEvaluation: patient,
  ImmunizationRecommendation: patient,
  Invoice: patientAsSubject,
  List: patientAsSubject,
  MeasureReport: patientAsSubject,
  Media: patientAsSubject,
  MedicationAdministration: patientAsSubject,
  MedicationDispense: patientAsSubject,
  MedicationRequest: patientAsSubject,
  MedicationStatement: patientAsSubject,
  MolecularSequence: by('patient', 'patient', 'subject'),
  NutritionOrder: by('patient', 'patient', 'subject'),
  Observation: patientAsSubject,
  Person: by('patient', 'link.target'),
  Procedure: patientAsSubject,
  Provenance: by('patient', 'target'),
  QuestionnaireResponse: patientAsSubject,
  RelatedPerson: patient,
  RequestGroup: patientAsSubject,
  ResearchSubject: by('patient', 'individual', 'subject'),
  RiskAssessment: patientAsSubject,
  Schedule: by('actor', 'actor'),
  ServiceRequest: patientAsSubject,
  Specimen: patientAsSubject,
  SupplyDelivery: patient,
  SupplyRequest: by('subject', 'deliverTo'),
  Task: by('patient', 'for'),
  VisionPrescription: patient,
};

/** A Binary is in no compartment and in no search; what it names is for whom it is (FHIR R4 Binary.securityContext). */
const elementsOfBinary = [['securityContext']] as const;

/** The types whose resources can belong to a patient's record, without Patient. */
export const typesOfRecord: readonly string[] = Object.keys(memberships);

/**
 * True if resources of this type belong to no record but are referred to by all: every user may read them, and no user
 * may change them.
 */
export function isShared(type: string): boolean {
  return sharedTypes.includes(type);
}

/** True if resources of this type can belong to a patient's record. */
export function isInPatientCompartment(type: string): boolean {
  return type === 'Patient' || membershipOf(type) !== undefined;
}

/** The search condition that keeps a search inside one patient's record. */
export function compartmentCondition(type: string, patientId: string): readonly [name: string, value: string] {
  if (type === 'Patient') return ['_id', patientId];
  const membership = membershipOf(type);
  if (!membership) throw new RangeError(`${type} is not in the patient compartment`);
  return [membership.parameter, `Patient/${patientId}`];
}

/**
 * True if a resource is about this patient and no other. Every element that names its patient counts: one that names
 * another patient, or cannot be resolved (a contained resource, another server, an identifier only), excludes the
 * resource.
 */
export function isAboutPatient(resource: unknown, patientId: string, server: ServerNames): boolean {
  const type = member(resource, 'resourceType');
  if (type === 'Patient') return member(resource, 'id') === patientId;
  let isNamed = false;
  for (const path of subjectElementsOf(type)) {
    for (const reference of valuesAt(resource, path)) {
      const link = linkOf(reference, patientId, server);
      if (link === 'unknown') return false;
      isNamed ||= link === 'patient';
    }
  }
  return isNamed;
}

/** True if the elements for the subject name this patient, alone or with others. */
export function takesPart(resource: unknown, patientId: string, server: ServerNames): boolean {
  const type = member(resource, 'resourceType');
  const { elements = [] } = (typeof type === 'string' ? membershipOf(type) : undefined) ?? {};
  return elements.some((path) =>
    valuesAt(resource, path).some((reference) => linkOf(reference, patientId, server) === 'patient'),
  );
}

/**
 * The ids of all patients whom the elements for the subject name, a Patient itself by its own id. `aliases` has the ids
 * of patients by other names that references use (`urn:uuid:…` in a Bundle). References to other servers name no
 * patient of ours.
 */
export function patientsOf(
  resource: unknown,
  bases: readonly string[],
  aliases: ReadonlyMap<string, string> = noAliases,
): readonly string[] {
  const type = member(resource, 'resourceType');
  if (type === 'Patient') {
    const id = member(resource, 'id');
    return typeof id === 'string' && logicalId.test(id) ? [id] : [];
  }
  const found: string[] = [];
  for (const path of subjectElementsOf(type)) {
    for (const value of valuesAt(resource, path)) {
      const reference = member(value, 'reference');
      const id = typeof reference === 'string' ? (aliases.get(reference) ?? patientNamed(reference, bases)) : undefined;
      if (id !== undefined && !found.includes(id)) found.push(id);
    }
  }
  return found;
}

/**
 * Id of the patient that a reference, or another address of a resource, names. A path that begins with a slash is not
 * a reference (FHIR R4 §2.3.0.1), and for permissions names no patient. Here it does, with the path of a base or
 * without: a server may write a `location` so, and clients read it below the base.
 */
export function patientNamed(reference: string, bases: readonly string[]): string | undefined {
  if (!reference.includes('Patient/')) return undefined;
  const [, plain] = patientReference.exec(reference) ?? [];
  if (plain !== undefined) return plain;
  const roots = reference.startsWith('/') ? bases.map((base) => new URL(base).pathname) : bases;
  // One may be below another. Without one of them, the slash alone is left out.
  for (const root of [...roots, '']) {
    const local = reference.startsWith(`${root}/`) ? reference.slice(root.length + 1) : reference;
    const [, id] = patientReference.exec(unversioned(local)) ?? [];
    if (id !== undefined) return id;
  }
  return undefined;
}

/** The resource that a Reference names. */
export interface Named {
  type: string;
  /** `Type/id`, without a version; absent for a resource of another server, and where only an identifier is known. */
  reference?: string;
}

/**
 * The resource that a Reference names; undefined where not even its type is known: contained resources, other
 * spellings, texts.
 */
export function namedBy(value: unknown, server: ServerNames): Named | undefined {
  const reference = member(value, 'reference');
  if (typeof reference !== 'string') {
    const type = member(value, 'type');
    // FHIR R4 §2.3.0.7: a name of a resource type, or the address of its definition.
    return typeof type === 'string' ? { type: type.slice(type.lastIndexOf('/') + 1) } : undefined;
  }
  const named = unversioned(server.local(reference));
  const type = /(?:^|\/)([A-Z][A-Za-z]{0,63})\/[A-Za-z0-9.-]{1,64}$/.exec(named)?.[1];
  if (type === undefined) return undefined;
  return localReference.test(named) ? { type, reference: named } : { type };
}

/** True if a search value, as the app wrote it, may mean this patient. */
export function namesPatient(value: string, patientId: string, server: ServerNames): boolean {
  return value.split(',').some((name) => name === patientId || server.local(name) === `Patient/${patientId}`);
}

/** True if the parameters of a search name patients, of whom none is the one that each of the permissions is for. */
export function namesOtherPatient(
  parameters: readonly Parameter[],
  permissions: readonly { patient?: string }[],
  server: ServerNames,
): boolean {
  const named = parameters.filter(([name, value]) => {
    const [parameter = '', modifier] = name.split(':');
    if (parameter !== 'patient' && parameter !== 'subject') return false;
    // The id alone of a subject may be that of a group.
    return modifier === undefined
      ? parameter === 'patient' || value.split(',').every((one) => /(?:^|\/)Patient\//.test(one))
      : modifier === 'Patient';
  });
  return permissions.every(
    ({ patient }) => patient !== undefined && named.some(([, value]) => !namesPatient(value, patient, server)),
  );
}

/** The elements that name the patient; none for a type that belongs to no record. */
export function subjectElementsOf(type: unknown): readonly (readonly string[])[] {
  if (type === 'Binary') return elementsOfBinary;
  return (typeof type === 'string' ? membershipOf(type)?.elements : undefined) ?? [];
}

function membershipOf(type: string): Membership | undefined {
  return Object.hasOwn(memberships, type) ? memberships[type as keyof typeof memberships] : undefined;
}

function linkOf(value: unknown, patientId: string, server: ServerNames): 'patient' | 'no-patient' | 'unknown' {
  const own = `Patient/${patientId}`;
  if (member(value, 'reference') === own) return 'patient';
  const named = namedBy(value, server);
  if (named?.reference === own) return 'patient';
  return named === undefined || named.type === 'Patient' ? 'unknown' : 'no-patient';
}

const logicalId = /^[A-Za-z0-9.-]{1,64}$/;
const patientReference = /^Patient\/([A-Za-z0-9.-]{1,64})$/;
const noAliases: ReadonlyMap<string, string> = new Map();
const localReference = /^[A-Z][A-Za-z]{0,63}\/[A-Za-z0-9.-]{1,64}$/;

/** The reference without a version. */
function unversioned(reference: string): string {
  return reference.replace(/\/_history\/[A-Za-z0-9.-]{1,64}$/, '');
}
