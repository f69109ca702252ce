/**
 * Scopes that open nothing at the gateway, whatever the data: they are not granted, since the answer's `scope` says
 * what the token can do (`RFC 6749 §3.3`). The gateway reads the conditions of a scope by the same function.
 */
import { patientCompartmentTypes, sharedTypes } from './patient-compartment.js';
import { type OperationScope, plainValue, type ResourceScope, type SmartScope } from './smart-scope.js';

/**
 * The parts of a FHIR server's CapabilityStatement on which the effect of a scope depends; undefined while they are not
 * known.
 */
export interface Served {
  types?: readonly string[] | undefined;
  operations?: readonly { name: string; type: string | null }[] | undefined;
}

/** The rule by which a scope opens nothing. */
export type NoEffect =
  /** A condition on another search parameter than `category`, or with a modifier. */
  | { rule: 'search-parameter'; parameter: string }
  /** A value of `category` that is neither code nor `system|code`, nor a list of these. */
  | { rule: 'category-value' }
  /** A condition on the category of resources that have none, or none of this system. */
  | { rule: 'without-category'; type: string }
  /** A scope for one patient, for a type that belongs to none. */
  | { rule: 'outside-record'; type: string }
  /** A scope for one patient, with actions that need more than one patient's data. */
  | { rule: 'actions-of-record'; type: string; actions: string }
  /** An operation that cannot be limited to one patient. */
  | { rule: 'operation-of-record'; operation: string }
  | { rule: 'type-unknown'; type: string }
  | { rule: 'operation-unknown'; operation: string; type: string };

/** The types with an element `category`, in FHIR R4, R4B or R5. */
const typesWithCategory: ReadonlySet<string> = new Set([
  'AdverseEvent',
  'AllergyIntolerance',
  'AuditEvent',
  'CarePlan',
  'CareTeam',
  'ClinicalUseDefinition',
  'Communication',
  'CommunicationRequest',
  'Composition',
  'Condition',
  'Consent',
  'DetectedIssue',
  'Device',
  'DeviceAssociation',
  'DeviceDispense',
  'DeviceMetric',
  'DeviceUsage',
  'DiagnosticReport',
  'DocumentReference',
  'Flag',
  'Goal',
  'HealthcareService',
  'ImagingSelection',
  'InventoryItem',
  'MedicationAdministration',
  'MedicationDispense',
  'MedicationRequest',
  'MedicationStatement',
  'MessageDefinition',
  'NutritionProduct',
  'Observation',
  'ObservationDefinition',
  'Procedure',
  'ResearchStudy',
  'ServiceRequest',
  'Substance',
  'SupplyRequest',
  'TestPlan',
]);

/**
 * The systems of the categories that are codes by themselves, which the binding of the element says (FHIR R4
 * §3.1.1.4.10).
 */
const systemsOfCodes: Readonly<Record<string, string>> = {
  AllergyIntolerance: 'http://hl7.org/fhir/allergy-intolerance-category',
  DeviceMetric: 'http://hl7.org/fhir/metric-category',
  MessageDefinition: 'http://hl7.org/fhir/message-significance-category',
};

/**
 * The system of a category of this type that is a code by itself; undefined if it is a CodeableConcept, which has
 * systems of its own.
 */
export function systemOfCategory(type: unknown): string | undefined {
  return typeof type === 'string' && Object.hasOwn(systemsOfCodes, type) ? systemsOfCodes[type] : undefined;
}

function canHaveCategory(type: string, value: string): boolean {
  const own = systemOfCategory(type);
  const isOfSystem = (one: string) => own === undefined || !one.includes('|') || one.startsWith(`${own}|`);
  return typesWithCategory.has(type) && value.split(',').some(isOfSystem);
}

/**
 * Matches the values of a category that can be checked on the resource alone: `code`, `|code`, `system|code` and lists.
 */
const tokenValue = /^(?:[^|,\\\s]*\|)?[^|,\\\s]+(?:,(?:[^|,\\\s]*\|)?[^|,\\\s]+)*$/;

/**
 * The values that a resource's category must match, each of them: token search values, without escapes. Otherwise the
 * rule by which the conditions of the scope cannot be enforced.
 */
export function categoriesOf({ query }: Pick<ResourceScope, 'query'>): string[] | NoEffect {
  const values: string[] = [];
  for (const [parameter, text] of query) {
    if (parameter !== 'category') return { rule: 'search-parameter', parameter };
    const value = plainValue(text);
    if (value === undefined || !tokenValue.test(value)) return { rule: 'category-value' };
    values.push(value);
  }
  return values;
}

/**
 * True if a scope for one patient can permit the action: `Binary` cannot be searched by its patient, and a patient
 * cannot be created for one.
 */
export function canBelongToPatient(type: string, action: string): boolean {
  if (type === 'Binary') return action !== 's';
  return ofRecords.has(type) && !(type === 'Patient' && action === 'c');
}

/** True for an action that every user with access to one record may do: read shared resources that records refer to. */
export function isReadOfShared(type: string, action: string): boolean {
  return sharedTypes.includes(type) && (action === 'r' || action === 's');
}

/** R4 leaves Device out of the compartment although it names its patient. */
const ofRecords: ReadonlySet<string> = new Set([...patientCompartmentTypes, 'Device']);

/**
 * The rule by which the gateway permits nothing by this scope; undefined for a scope that can open something, and for
 * one that the gateway does not read. `ofPatient`: the user is a patient, so that `user/` means that patient.
 */
export function noEffectOf(scope: SmartScope, { types, operations }: Served, ofPatient = false): NoEffect | undefined {
  if (scope.kind !== 'resource' && scope.kind !== 'operation') return undefined;
  const isOfOne = scope.subject === 'patient' || (ofPatient && scope.subject === 'user');
  const { type } = scope;
  if (type !== '*' && types?.includes(type) === false) return { rule: 'type-unknown', type };
  if (scope.kind === 'operation') return noEffectOfOperation(scope, isOfOne, operations);
  const categories = categoriesOf(scope);
  if (!Array.isArray(categories)) return categories;
  if (type === '*') return undefined;
  if (!categories.every((value) => canHaveCategory(type, value))) return { rule: 'without-category', type };
  return isOfOne ? noEffectOnRecord(scope) : undefined;
}

function noEffectOnRecord({ type, actions }: ResourceScope): NoEffect | undefined {
  const isPossible = (action: string) => canBelongToPatient(type, action) || isReadOfShared(type, action);
  if ([...actions].some(isPossible)) return undefined;
  return [...'cruds'].some(isPossible)
    ? { rule: 'actions-of-record', type, actions }
    : { rule: 'outside-record', type };
}

/** The operations whose answers the gateway limits to one patient, by the type that they are asked of. */
export const operationsOfRecord: Readonly<Record<string, string>> = {
  everything: 'Patient',
  lastn: 'Observation',
  // Where the FHIR server lacks it, it is a search.
  docref: 'DocumentReference',
};

function noEffectOfOperation(
  { type, operation }: OperationScope,
  isOfOne: boolean,
  served: Served['operations'],
): NoEffect | undefined {
  const isServed = served?.some(
    (one) => one.name === operation && (type === '*' || one.type === null || one.type === type),
  );
  if (isServed === false && operation !== 'docref') return { rule: 'operation-unknown', operation, type };
  const ofRecord = Object.hasOwn(operationsOfRecord, operation) ? operationsOfRecord[operation] : undefined;
  return isOfOne && (ofRecord === undefined || (type !== '*' && type !== ofRecord))
    ? { rule: 'operation-of-record', operation }
    : undefined;
}
