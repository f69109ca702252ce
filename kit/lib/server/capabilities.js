// @ts-check

/** @import { Json, JsonObject, Server, ServedType } from '../types.js' */

/**
 * The facts of a CapabilityStatement (FHIR R4 §5.1); undefined for anything else.
 *
 * @param {Json | undefined} statement
 * @returns {Server | undefined}
 */
export function serverOf(statement) {
  const root = objectOf(statement);
  if (root?.resourceType !== 'CapabilityStatement') return undefined;
  const rest = listOf(root.rest).find(({ mode }) => mode !== 'client') ?? {};
  const software = objectOf(root.software);
  return {
    software: [software?.name, software?.version].filter(Boolean).join(' ') || 'unknown',
    fhirVersion: String(root.fhirVersion ?? 'unknown'),
    types: new Map(listOf(rest.resource).map((one) => [String(one.type), servedType(one)])),
    interactions: codes(rest.interaction, 'code'),
    operations: codes(rest.operation, 'name'),
  };
}

/** @param {JsonObject} resource @returns {ServedType} */
function servedType(resource) {
  return {
    parameters: codes(resource.searchParam, 'name'),
    includes: texts(resource.searchInclude),
    revIncludes: texts(resource.searchRevInclude),
    interactions: codes(resource.interaction, 'code'),
    operations: codes(resource.operation, 'name'),
  };
}

/** @param {Json | undefined} value @param {string} name */
function codes(value, name) {
  return new Set(listOf(value).map((one) => String(one[name]).replace(/^\$/, '')));
}

/** @param {Json | undefined} value */
function texts(value) {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

/** The objects of a list; none for anything else. @param {Json | undefined} value @returns {JsonObject[]} */
export function listOf(value) {
  if (!Array.isArray(value)) return [];
  return value.map(objectOf).filter((one) => one !== undefined);
}

/** @param {Json | undefined} value @returns {JsonObject | undefined} */
export function objectOf(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
}
