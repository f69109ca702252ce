// @ts-check
import { listOf, objectOf } from '../server/capabilities.js';

/** @import { Bindings, Facts, Json } from '../types.js' */

/** Elements that many records have in common, by search parameters of the same name. */
const ELEMENTS = ['code', 'category', 'status', 'class', 'type', 'intent', 'gender'];
const DAYS = ['effectiveDateTime', 'onsetDateTime', 'authoredOn', 'performedDateTime', 'recordedDate', 'date'];

/**
 * Codes, states and days of the other record, one of each parameter of a type. None of them belongs to that record
 * alone, so that they are no secrets.
 *
 * @param {Facts} facts
 * @returns {{ known: Bindings, secret: Bindings }[]}
 */
export function codedValuesOf({ server, b }) {
  const found = new Map();
  for (const resource of b.resources.values()) {
    const parameters = server.types.get(resource.resourceType)?.parameters ?? new Set();
    const values = [
      ...ELEMENTS.map((name) => [name, codeIn(resource[name])]),
      ...DAYS.map((name) => [
        'date',
        typeof resource[name] === 'string' ? `ge${resource[name].slice(0, 4)}` : undefined,
      ]),
    ];
    for (const [param, value] of values) {
      const key = `${resource.resourceType} ${param}`;
      if (param === undefined || value === undefined || !parameters.has(param) || found.has(key)) continue;
      found.set(key, { known: { type: resource.resourceType, param, value }, secret: {} });
    }
  }
  return [...found.values()];
}

/** The first code of an element. @param {Json | undefined} value @returns {string | undefined} */
function codeIn(value) {
  if (typeof value === 'string') return value;
  const [first] = [value].flat();
  const concept = objectOf(first);
  const code = listOf(concept?.coding)[0]?.code ?? concept?.code;
  return typeof code === 'string' ? code : undefined;
}
