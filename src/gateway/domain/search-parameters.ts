import type { Parameter } from './parameter.js';
import { Refusal } from './refusal.js';
import { namesRelatedType, relatedTypesOf } from './related-types.js';
import { onlyJson, shownType } from './request-headers.js';
import { faultyParameter, shownName, unknownParameter, wrongModifier } from './search-faults.js';

const mostParameters = 100;
const parameterName = /^([A-Za-z_][A-Za-z0-9_-]{0,63})(?::([A-Za-z-]+))?$/;
/**
 * Modifiers that only say how a resource's own value is compared; `in` and `not-in` make the server fetch what they
 * name.
 */
const modifiers = new Set(['above', 'below', 'contains', 'exact', 'identifier', 'missing', 'not', 'text']);
/** Names of values of the resource itself: in the order of `patient.name` stand names that the token may not open. */
const sorting = /^-?[A-Za-z_][A-Za-z0-9_-]{0,63}(?:,-?[A-Za-z_][A-Za-z0-9_-]{0,63})*$/;
const plainName = /^[A-Za-z][A-Za-z0-9-]{0,63}$/;
const typeModifier = /^[A-Z][A-Za-z]{0,63}$/;

/** Say something about the answer's form; the gateway acts on them itself. */
const formats = new Set(['_format', '_pretty']);
/** Leave out elements that tell whose resource it is. */
const trimming = new Set(['_elements', '_summary']);
/**
 * Numbers alone: what a server hides in a cursor (`_cursor`, `_pageToken`, `_getpages`) may be another search than
 * this.
 */
const count = '_count';
const paging = [count, '_offset', '_skip', '_page'];
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

/** Reads a query, with or without its question mark, or a form. */
export function readParameters(text: string): Parameter[] {
  const parameters = [...new URLSearchParams(text)];
  if (parameters.length > mostParameters) throw invalid('There are too many parameters.');
  // U+FFFD is what a broken escape decodes to.
  if (parameters.some((pair) => pair.some((part) => /[\p{Cc}\uFFFD]/u.test(part)))) {
    throw invalid('A parameter contains a control character or a broken escape.');
  }
  return parameters;
}

/** An app that does not escape the plus sign of `application/fhir+json` sends a space. */
const jsonFormat = /^\s*(?:json|(?:application|text)\/(?:json|fhir[+ ]json|json[+ ]fhir))\s*(?:;.*)?$/i;

/** True if the parameters say the form of the answer, which overrides the `Accept` header (FHIR R4 §3.1.0.1.11). */
export function namesFormat(parameters: readonly Parameter[]): boolean {
  return parameters.some(([name]) => name === '_format');
}

/** Throws a {@link Refusal} unless these parameters can be part of a search. */
export function assertSearch(type: string, parameters: readonly Parameter[]): void {
  relatedTypesOf(type, parameters);
  for (const [name, value] of parameters) {
    if (!isSearchParameter(name) && !namesRelatedType(name) && !formats.has(name)) {
      throw unsupportedParameter(name);
    }
    if (name === '_sort' && !sorting.test(value)) {
      throw new Refusal(400, 'not-supported', 'Results can be sorted by values of their own only.');
    }
  }
  assertFormat(parameters);
}

/** Throws a {@link Refusal} unless these parameters can be part of a history. */
export function assertHistory(parameters: readonly Parameter[]): void {
  for (const [name] of parameters) {
    if (!inHistory.has(name) && !formats.has(name)) {
      throw new Refusal(400, 'not-supported', `A history cannot be asked for by '${name.slice(0, 80)}'.`);
    }
  }
  assertFormat(parameters);
}

/**
 * Throws a {@link Refusal} unless these parameters can decide which resource is changed. Each names a value of the
 * resource itself, in the plainest way: one that a server leaves out as empty would let the change hit everything else
 * that is found.
 */
export function assertCondition(parameters: readonly Parameter[]): void {
  const condition = withoutFormat(parameters);
  if (condition.length === 0) {
    const remedy =
      'Have the app put the id of the resource at the end of the address, or a condition such as ?identifier=….';
    throw invalid('A change without an id needs a condition, such as ?identifier=….').because({
      code: 'gateway-request-form',
      detail: { fault: 'it would change a resource, and its address has neither an id nor a condition', remedy },
    });
  }
  for (const [name, value] of condition) {
    if (!plainName.test(name)) {
      throw new Refusal(400, 'not-supported', `A change cannot be asked for by '${name.slice(0, 80)}'.`);
    }
    if (value.split(',').some((part) => !/[^|\s]/.test(part))) throw invalid(`The condition '${name}' has no value.`);
  }
  assertFormat(parameters);
}

/**
 * Throws a {@link Refusal} unless the server knows every parameter of a search that must not be answered with more than
 * it asks for: a server may ignore a condition that it does not know (FHIR R4 §3.1.1.4). `known` is what its
 * CapabilityStatement lists for the type.
 */
export function assertKnown(parameters: readonly Parameter[], known: readonly string[]): void {
  const unknown = parameters
    .map(([name]) => name)
    .filter((name) => !namesRelatedType(name) && !name.startsWith('_'))
    .find((name) => !known.includes(name.split(':')[0] ?? ''));
  if (unknown === undefined) return;
  if (isForeignPlace(unknown)) throw unsupportedParameter(unknown);
  throw unknownParameter(
    `The FHIR server does not know the search parameter '${unknown.slice(0, 80)}' here.`,
    unknown,
    {
      fault: 'is none that the FHIR server lists for the type',
      known,
    },
  );
}

/** Names of other servers for a page of results. */
const isForeignPlace = (name: string) =>
  /^(?:_getpages(?:offset)?|_?pageToken|_?cursor|ct|page(?:Id|Token)?|_bundletype)$/i.test(name);
const inclusions = ['_include', '_revinclude', '_has'];

/** The refusal of a parameter that is not passed on: its name or its modifier is none that a search may have. */
function unsupportedParameter(name: string): Refusal {
  const sentence = `The search parameter '${name.slice(0, 80)}' is not supported.`;
  const [, base = '', modifier] = /^(_?[A-Za-z][A-Za-z0-9_-]{0,40}):([A-Za-z-]{1,40})$/.exec(name) ?? [];
  if (modifier !== undefined && base !== 'access_token') {
    const isInclusion = inclusions.includes(base);
    const takes = isInclusion ? ['iterate'] : base.startsWith('_') ? [] : [...modifiers];
    return wrongModifier(sentence, { base, modifier, takes });
  }
  if (!parameterName.test(name)) {
    const remedy = 'a name of letters, digits, - and _, then : and a modifier if it has one';
    return faultyParameter(400, sentence, {
      name: shownName(name),
      fault: 'has a form that no name has',
      right: remedy,
    });
  }
  if (isForeignPlace(name)) {
    return faultyParameter(400, sentence, {
      name,
      fault: 'is a place in the results as another server names it',
      right: 'the link next of the answer as it is, to the next page',
    });
  }
  const known = name.startsWith('_') ? [...control, ...inclusions] : [];
  return unknownParameter(sentence, name, { fault: 'is none that is passed on to the FHIR server', known });
}

/**
 * Throws a {@link Refusal} unless these parameters can accompany any other interaction: on those a query means a
 * condition.
 */
export function assertNoCondition(parameters: readonly Parameter[], reading: boolean): void {
  const other = parameters.find(([name]) => !formats.has(name) && !(reading && trimming.has(name)));
  if (other !== undefined) {
    throw faultyParameter(403, 'Conditional interactions are not supported.', {
      name: shownName(other[0]),
      fault: 'is in the address of a request that is no search, where it would be a condition',
      right: 'this address without it',
    });
  }
  assertFormat(parameters);
}

/**
 * Throws a {@link Refusal} for a place in the results that the app chooses: the server counts what is kept private, so
 * that the same match at two places would tell of it.
 */
export function assertNoPlace(parameters: readonly Parameter[]): void {
  const place = parameters.find(([name]) => name !== count && paging.includes(name));
  if (place === undefined) return;
  throw new Refusal(
    403,
    'not-supported',
    `With this token '${place[0]}' is not supported: follow the link to the next page.`,
  );
}

/** The number of matches on a page that the parameters ask for; undefined if they ask for none that is plain. */
export function countIn(parameters: readonly Parameter[]): number | undefined {
  const value = parameters.find(([name]) => name === count)?.[1];
  return value !== undefined && /^[1-9]\d{0,8}$/.test(value) ? Number(value) : undefined;
}

/** The same parameters, asking for this many matches on a page at least. */
export function askedForMore(parameters: readonly Parameter[], least: number): Parameter[] {
  const isLess = (countIn(parameters) ?? least) < least;
  return parameters.map((one) => (isLess && one[0] === count ? [count, String(least)] : one));
}

/** The parameters to send to the server. */
export function withoutFormat(parameters: readonly Parameter[]): Parameter[] {
  return parameters.filter(([name]) => !formats.has(name));
}

/** True for a place in the results that means the same to every server. */
export function isPagingByNumber(name: string, value: string): boolean {
  return paging.includes(name) && /^\d{1,9}$/.test(value);
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

/** Throws a {@link Refusal} unless the answer can have the form that these parameters ask for. */
export function assertFormat(parameters: readonly Parameter[]): void {
  const names = parameters.map(([name]) => name);
  const repeated = names.find((name, index) => onlyOnce.has(name) && names.indexOf(name) !== index);
  if (repeated !== undefined) throw invalid(`The parameter '${repeated}' may appear only once.`);
  const format = parameters.find(([name]) => name === '_format')?.[1];
  if (format === undefined || jsonFormat.test(format)) return;
  throw onlyJson(`its _format is ${shownType(format)}`);
}

function invalid(message: string): Refusal {
  return new Refusal(400, 'invalid', message);
}
