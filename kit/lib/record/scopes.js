// @ts-check
import { listOf, objectOf } from '../server/capabilities.js';

/** @import { Json, JsonObject, Resource, Scope } from '../types.js' */

/** @type {Record<string, string>} */
const OF_V1 = { read: 'rs', write: 'cud', '*': 'cruds' };

/**
 * The scopes for resources in a text (SMART App Launch 2.2, Scopes for requesting FHIR resources; and 1.0).
 *
 * @param {string} text
 * @returns {Scope[]}
 */
export function scopesIn(text) {
  return text.split(/\s+/).flatMap((one) => {
    const [, context, type, actions = '', query = ''] =
      /^(patient|user|system)\/(\*|[A-Z][A-Za-z]+)\.([a-z*]+)(?:\?(.*))?$/.exec(one) ?? [];
    if (context === undefined || type === undefined) return [];
    return [
      {
        context: /** @type {Scope['context']} */ (context),
        type,
        actions: OF_V1[actions] ?? actions,
        query: [...new URLSearchParams(query)],
      },
    ];
  });
}

/**
 * True if one of the scopes permits the action on the type, whatever the category.
 *
 * @param {readonly Scope[]} scopes
 * @param {string} type
 * @param {string} action one of c, r, u, d, s
 */
export function permitsType(scopes, type, action) {
  return scopes.some((scope) => (scope.type === '*' || scope.type === type) && scope.actions.includes(action));
}

/**
 * True if the resource may be shown. A condition that the kit cannot decide counts as met.
 *
 * @param {readonly Scope[]} scopes
 * @param {Resource} resource
 */
export function permitsResource(scopes, resource) {
  const { resourceType } = resource;
  return scopes.some(
    ({ type, actions, query }) =>
      (type === '*' || type === resourceType) &&
      /[rs]/.test(actions) &&
      query.every(([name, value]) => meets(resource, name, value)),
  );
}

/** @param {Resource} resource @param {string} name @param {string} value */
function meets(resource, name, value) {
  if (name !== 'category') return true;
  return value.split(',').some((one) => {
    const [system, code] = one.includes('|') ? one.split('|', 2) : [undefined, one];
    return codingsOf(resource.category).some(
      (coding) => (!code || coding.code === code) && (!system || coding.system === system),
    );
  });
}

/** @param {Json | undefined} category @returns {JsonObject[]} */
function codingsOf(category) {
  const concepts = Array.isArray(category) ? listOf(category) : [objectOf(category) ?? {}];
  return concepts.flatMap((concept) => listOf(concept.coding));
}
