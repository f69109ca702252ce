// @ts-check
import { listOf, objectOf } from '../server/capabilities.js';

/** @import { Json, JsonObject, Resource } from '../types.js' */

/**
 * The types of a patient's record: the search parameters of R4's CompartmentDefinition for Patient, first the one that
 * says whose the resource is. Device and Task are not in it and have a patient all the same.
 *
 * @type {Readonly<Record<string, readonly string[]>>}
 */
export const COMPARTMENT = {
  Patient: ['_id', 'link'],
  Account: ['subject', 'patient'],
  AdverseEvent: ['subject'],
  AllergyIntolerance: ['patient', 'recorder', 'asserter'],
  Appointment: ['patient', 'actor'],
  AppointmentResponse: ['patient', 'actor'],
  AuditEvent: ['patient', 'entity', 'agent'],
  Basic: ['subject', 'patient', 'author'],
  BodyStructure: ['patient'],
  CarePlan: ['patient', 'subject', 'performer'],
  CareTeam: ['patient', 'subject', 'participant'],
  ChargeItem: ['patient', 'subject'],
  Claim: ['patient', 'payee'],
  ClaimResponse: ['patient'],
  ClinicalImpression: ['patient', 'subject'],
  Communication: ['patient', 'subject', 'sender', 'recipient'],
  CommunicationRequest: ['patient', 'subject', 'sender', 'recipient', 'requester'],
  Composition: ['patient', 'subject', 'author', 'attester'],
  Condition: ['patient', 'subject', 'asserter'],
  Consent: ['patient'],
  Coverage: ['beneficiary', 'patient', 'policy-holder', 'subscriber', 'payor'],
  CoverageEligibilityRequest: ['patient'],
  CoverageEligibilityResponse: ['patient'],
  DetectedIssue: ['patient'],
  Device: ['patient'],
  DeviceRequest: ['patient', 'subject', 'performer'],
  DeviceUseStatement: ['patient', 'subject'],
  DiagnosticReport: ['patient', 'subject'],
  DocumentManifest: ['patient', 'subject', 'author', 'recipient'],
  DocumentReference: ['patient', 'subject', 'author'],
  Encounter: ['patient', 'subject'],
  EnrollmentRequest: ['patient', 'subject'],
  EpisodeOfCare: ['patient'],
  ExplanationOfBenefit: ['patient', 'payee'],
  FamilyMemberHistory: ['patient'],
  Flag: ['patient', 'subject', 'author'],
  Goal: ['patient', 'subject'],
  Group: ['member'],
  ImagingStudy: ['patient', 'subject'],
  Immunization: ['patient'],
  ImmunizationEvaluation: ['patient'],
  ImmunizationRecommendation: ['patient'],
  Invoice: ['patient', 'subject', 'recipient'],
  List: ['patient', 'subject', 'source'],
  MeasureReport: ['patient', 'subject'],
  Media: ['patient', 'subject'],
  MedicationAdministration: ['patient', 'subject', 'performer'],
  MedicationDispense: ['patient', 'subject', 'receiver'],
  MedicationRequest: ['patient', 'subject'],
  MedicationStatement: ['patient', 'subject'],
  MolecularSequence: ['patient'],
  NutritionOrder: ['patient'],
  Observation: ['patient', 'subject', 'performer'],
  Person: ['patient', 'link'],
  Procedure: ['patient', 'subject', 'performer'],
  Provenance: ['patient', 'target'],
  QuestionnaireResponse: ['patient', 'subject', 'author', 'source'],
  RelatedPerson: ['patient'],
  RequestGroup: ['patient', 'subject', 'participant'],
  ResearchSubject: ['patient', 'individual'],
  RiskAssessment: ['patient', 'subject'],
  Schedule: ['actor'],
  ServiceRequest: ['patient', 'subject', 'performer'],
  Specimen: ['patient', 'subject'],
  SupplyDelivery: ['patient'],
  SupplyRequest: ['subject', 'requester'],
  Task: ['patient', 'subject'],
  VisionPrescription: ['patient'],
};

/**
 * The elements that say whose a resource is, where these are not `subject` and `patient`.
 *
 * @type {Readonly<Record<string, readonly string[]>>}
 */
const OWNERS = {
  Appointment: ['participant.actor'],
  AppointmentResponse: ['actor'],
  AuditEvent: ['entity.what', 'agent.who', 'patient'],
  Coverage: ['beneficiary'],
  EnrollmentRequest: ['candidate'],
  Group: ['member.entity'],
  Person: ['link.target'],
  Provenance: ['target', 'patient'],
  ResearchSubject: ['individual', 'subject'],
  Schedule: ['actor'],
  Task: ['for'],
};

/**
 * The elements by which a resource of one record collects, or is about, others: what they name has to be of
 *   that record.
 * An author, a performer or a recipient may be of another record: a mother reports about her child.
 *
 * @type {Readonly<Record<string, readonly string[]>>}
 */
const COLLECTING = {
  Account: ['subject'],
  Appointment: ['participant.actor'],
  AppointmentResponse: ['appointment', 'actor'],
  AuditEvent: ['entity.what', 'agent.who'],
  Communication: ['about', 'payload.contentReference'],
  CommunicationRequest: ['about', 'payload.contentReference'],
  Composition: ['section.entry', 'section.focus', 'event.detail'],
  Consent: ['provision.data.reference'],
  DetectedIssue: ['implicated', 'evidence.detail'],
  DocumentManifest: ['content', 'related.ref'],
  Group: ['member.entity'],
  List: ['entry.item'],
  MeasureReport: ['evaluatedResource', 'subjectResults'],
  Observation: ['focus'],
  Person: ['link.target'],
  Provenance: ['target', 'entity.what'],
  RequestGroup: ['action.resource'],
  Schedule: ['actor'],
  Task: ['focus', 'for', 'input.valueReference', 'output.valueReference'],
};

/**
 * The patients that a resource belongs to, by id; none if it says nothing about that.
 *
 * @param {Resource} resource
 */
export function ownersOf(resource) {
  if (resource.resourceType === 'Patient') return resource.id === undefined ? [] : [resource.id];
  const paths = OWNERS[resource.resourceType] ?? ['subject', 'patient'];
  return paths
    .flatMap((path) => referencesAt(resource, path.split('.')))
    .flatMap((reference) => /(?:^|\/)Patient\/([A-Za-z0-9.-]{1,64})/.exec(reference)?.[1] ?? []);
}

/** The resources that a resource collects, as `Type/id`. @param {Resource} resource */
export function collectedBy(resource) {
  return (COLLECTING[resource.resourceType] ?? [])
    .flatMap((path) => referencesAt(resource, path.split('.')))
    .flatMap((reference) => localPart(reference) ?? []);
}

/** `Type/id` of a reference, without version and base. @param {string} reference */
export function localPart(reference) {
  return /(?:^|\/)([A-Z][A-Za-z]+\/[A-Za-z0-9.-]{1,64})(?:\/_history\/[^/]+)?(?:#.*)?$/.exec(reference)?.[1];
}

/** All references in a value. @param {Json | undefined} value @returns {string[]} */
export function allReferences(value) {
  if (Array.isArray(value)) return value.flatMap(allReferences);
  const object = objectOf(value);
  if (!object) return [];
  return Object.entries(object).flatMap(([name, member]) =>
    name === 'reference' && typeof member === 'string' ? [member] : allReferences(member),
  );
}

/** @param {JsonObject} object @param {string[]} path @returns {string[]} */
function referencesAt(object, [name = '', ...rest]) {
  const value = object[name];
  const members = Array.isArray(value) ? listOf(value) : [objectOf(value) ?? {}];
  if (rest.length > 0) return members.flatMap((member) => referencesAt(member, rest));
  return members.flatMap(({ reference }) => (typeof reference === 'string' ? [reference] : []));
}
