import type { Parameter } from './parameter.js';
import { Refusal } from './refusal.js';
import { namesRelatedType, relatedTypesOf } from './related-types.js';

const mostParameters = 100;
const parameterName = /^([A-Za-z_][A-Za-z0-9_-]{0,63})(?::([A-Za-z-]{1,64}))?$/;
/** Modifiers that only say how a resource's own value is compared; `in` and `not-in` make the server fetch what they name. */
const modifiers = new Set(['above', 'below', 'contains', 'exact', 'identifier', 'missing', 'not', 'text']);
/** Names of values of the resource itself: in the order of `patient.name` stand names that the token may not open. */
const sorting = /^-?[A-Za-z_][A-Za-z0-9_-]{0,63}(?:,-?[A-Za-z_][A-Za-z0-9_-]{0,63})*$/;
const plainName = /^[A-Za-z][A-Za-z0-9-]{0,63}$/;
const typeModifier = /^[A-Z][A-Za-z]{0,63}$/;

/** Say something about the answer's form; the gateway acts on them itself. */
const formats = new Set(['_format', '_pretty']);
/** Leave out elements that tell whose resource it is. */
const trimming = new Set(['_elements', '_summary']);
/** Numbers alone: what a server hides in a cursor (`_cursor`, `_pageToken`, `_getpages`) may be another search than this. */
const paging = ['_count', '_offset', '_skip', '_page'];
/** Parameters that limit a history (FHIR R4 §3.1.0.11). */
const inHistory = new Set(['_since', '_at', ...paging]);
const onlyOnce = new Set(['_format', '_pretty', '_elements', '_summary', '_sort', '_total', ...inHistory]);
/**
 * Every other name with an underscore is refused: most (`_filter`, `_list`, `_query`, `_type`) reach beyond the
 * resource type that the scope was checked for, and an unknown one may do so as well.
 */
const control = new Set([
  '_id',
  '_lastUpdated',
  '_profile',
  '_security',
  '_sort',
  '_source',
  '_tag',
  '_total',
  ...trimming,
  ...paging,
]);

/** Reads a query or a form. */
export function readParameters(text: string): Parameter[] | Refusal {
  const parameters = [...new URLSearchParams(text)];
  if (parameters.length > mostParameters) return invalid('There are too many parameters.');
  // U+FFFD is what a broken escape decodes to.
  if (parameters.some((pair) => pair.some((part) => /[\p{Cc}\uFFFD]/u.test(part)))) {
    return invalid('A parameter contains a control character or a broken escape.');
  }
  return parameters;
}

/** Why these parameters cannot be part of a search, if so. */
export function refusedInSearch(type: string, parameters: readonly Parameter[]): Refusal | undefined {
  const relatedTypes = relatedTypesOf(type, parameters);
  if (relatedTypes instanceof Refusal) return relatedTypes;
  for (const [name, value] of parameters) {
    if (!isSearchParameter(name) && !namesRelatedType(name) && !formats.has(name)) {
      return new Refusal(400, 'not-supported', `The search parameter '${name.slice(0, 80)}' is not supported.`);
    }
    if (name === '_sort' && !sorting.test(value)) {
      return new Refusal(400, 'not-supported', 'Results can be sorted by values of their own only.');
    }
  }
  return refusedFormat(parameters);
}

/** Why these parameters cannot be part of a history, if so. */
export function refusedInHistory(parameters: readonly Parameter[]): Refusal | undefined {
  for (const [name] of parameters) {
    if (!inHistory.has(name) && !formats.has(name)) {
      return new Refusal(400, 'not-supported', `A history cannot be asked for by '${name.slice(0, 80)}'.`);
    }
  }
  return refusedFormat(parameters);
}

/**
 * Why these parameters cannot decide which resource is changed, if so. Each names a value of the resource itself, in the
 * plainest way: one that a server leaves out as empty would let the change hit everything else that is found.
 */
export function refusedCondition(parameters: readonly Parameter[]): Refusal | undefined {
  const condition = withoutFormat(parameters);
  if (condition.length === 0) return invalid('A change without an id needs a condition, such as ?identifier=….');
  for (const [name, value] of condition) {
    if (!plainName.test(name) || name === 'access_token') {
      return new Refusal(400, 'not-supported', `A change cannot be asked for by '${name.slice(0, 80)}'.`);
    }
    if (value.split(',').some((part) => !/[^|\s]/.test(part))) return invalid(`The condition '${name}' has no value.`);
  }
  return refusedFormat(parameters);
}

/**
 * Why a search that must not be answered with more than it asks for cannot be carried out, if so: a server may ignore a
 * condition that it does not know (FHIR R4 §3.1.1.4). `known` is what its CapabilityStatement lists for the type.
 */
export function refusedUnknown(parameters: readonly Parameter[], known: readonly string[]): Refusal | undefined {
  const unknown = parameters
    .map(([name]) => name)
    .filter((name) => !namesRelatedType(name) && !name.startsWith('_'))
    .find((name) => !known.includes(name.split(':', 1)[0] ?? ''));
  if (unknown === undefined) return undefined;
  return new Refusal(
    400,
    'not-supported',
    `The FHIR server does not know the search parameter '${unknown.slice(0, 80)}' here.`,
  );
}

/** Why these parameters cannot accompany any other interaction, if so: on those a query means a condition. */
export function refusedOutsideSearch(parameters: readonly Parameter[], reading: boolean): Refusal | undefined {
  if (!parameters.every(([name]) => formats.has(name) || (reading && trimming.has(name)))) {
    return new Refusal(403, 'not-supported', 'Conditional interactions are not supported.');
  }
  return refusedFormat(parameters);
}

/** The parameters to send to the server. */
export function withoutFormat(parameters: readonly Parameter[]): Parameter[] {
  return parameters.filter(([name]) => !formats.has(name));
}

/** True if the answer may lack the elements that name its patient. */
export function trims(parameters: readonly Parameter[]): boolean {
  return parameters.some(([name]) => trimming.has(name));
}

export function printParameters(parameters: readonly Parameter[]): string {
  return new URLSearchParams(parameters.map(([name, value]): [string, string] => [name, value])).toString();
}

function isSearchParameter(name: string): boolean {
  const match = parameterName.exec(name);
  if (!match) return false;
  const [, base = '', modifier] = match;
  // RFC 6750 §2.3: a token in an address ends in logs, and this one would be sent on.
  if (base === 'access_token') return false;
  if (base.startsWith('_')) return control.has(base) && modifier === undefined;
  return modifier === undefined || modifiers.has(modifier) || typeModifier.test(modifier);
}

/** Why the answer cannot have the form that these parameters ask for, if so. */
export function refusedFormat(parameters: readonly Parameter[]): Refusal | undefined {
  const names = parameters.map(([name]) => name);
  const repeated = names.find((name, index) => onlyOnce.has(name) && names.indexOf(name) !== index);
  if (repeated !== undefined) return invalid(`The parameter '${repeated}' may appear only once.`);
  const format = parameters.find(([name]) => name === '_format')?.[1];
  // An app that does not escape the plus sign of `application/fhir+json` sends a space.
  if (format === undefined || /^(json|application\/json|application\/fhir[+ ]json)$/.test(format)) return undefined;
  return new Refusal(406, 'not-supported', 'Only JSON is supported.');
}

function invalid(message: string): Refusal {
  return new Refusal(400, 'invalid', message);
}
