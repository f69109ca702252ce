// @ts-check
import { REFERENCE_DATE } from '../data/dates.js';
import { SERVED_TYPES, searchParametersOf, targetsOf } from './definitions.js';

/**
 * @import { CapabilityStatement, CapabilityStatementRestResource, CapabilityStatementRestResourceOperation } from '@medplum/fhirtypes'
 * @import { ServedType } from './definitions.js'
 */

const INTERACTIONS = /** @type {const} */ ([
  'read',
  'vread',
  'history-instance',
  'search-type',
  'create',
  'update',
  'delete',
]);

/** The operations served, by the type they hang on; their definitions are those of FHIR R4. */
const OPERATIONS = /** @type {Partial<Record<ServedType, CapabilityStatementRestResourceOperation[]>>} */ ({
  Patient: [{ name: 'everything', definition: 'http://hl7.org/fhir/OperationDefinition/Patient-everything' }],
  Observation: [{ name: 'lastn', definition: 'http://hl7.org/fhir/OperationDefinition/Observation-lastn' }],
});

/**
 * The capabilities of this server for `/metadata`.
 *
 * @param {string} baseUrl
 * @returns {CapabilityStatement}
 */
export function capabilityStatement(baseUrl) {
  return {
    resourceType: 'CapabilityStatement',
    status: 'active',
    date: REFERENCE_DATE,
    kind: 'instance',
    software: { name: 'Gatehouse demo FHIR server' },
    implementation: { description: 'Generated patients for trying Gatehouse; none of them exists', url: baseUrl },
    fhirVersion: '4.0.1',
    format: ['application/fhir+json', 'json'],
    rest: [
      {
        mode: 'server',
        documentation:
          'This server checks no token: it listens on the loopback interface, behind the gateway that does.',
        resource: SERVED_TYPES.map(resourceCapability),
      },
    ],
  };
}

/**
 * @param {ServedType} type
 * @returns {CapabilityStatementRestResource}
 */
function resourceCapability(type) {
  const parameters = [...searchParametersOf(type).values()];
  return {
    type,
    profile: `http://hl7.org/fhir/StructureDefinition/${type}`,
    interaction: INTERACTIONS.map((code) => ({ code })),
    versioning: 'versioned-update',
    readHistory: true,
    updateCreate: true,
    conditionalCreate: false,
    conditionalRead: 'full-support',
    conditionalUpdate: false,
    conditionalDelete: 'not-supported',
    searchInclude: parameters
      .filter((parameter) => parameter.type === 'reference')
      .map(({ code }) => `${type}:${code}`),
    searchRevInclude: SERVED_TYPES.flatMap((source) => referencesTo(type, source)),
    searchParam: parameters.map((parameter) => ({
      name: parameter.code,
      type: parameter.type,
      ...(parameter.url ? { definition: parameter.url } : {}),
    })),
    ...(OPERATIONS[type] ? { operation: OPERATIONS[type] } : {}),
  };
}

/**
 * @param {ServedType} target
 * @param {ServedType} source
 */
function referencesTo(target, source) {
  return [...searchParametersOf(source).values()]
    .filter((parameter) => parameter.type === 'reference' && targetsOf(parameter).includes(target))
    .map(({ code }) => `${source}:${code}`);
}
