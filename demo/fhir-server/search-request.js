// @ts-check
import { splitSearchOnComma } from '@medplum/core';
import { isServed, searchParametersOf, targetsOf } from './definitions.js';
import { FhirError } from './fhir-error.js';

/**
 * @import { SearchParameter } from '@medplum/fhirtypes'
 * @import { ServedType } from './definitions.js'
 */

/**
 * @typedef {object} Inclusion `_include` or `_revinclude` after its names were checked.
 * @property {ServedType} source
 * @property {SearchParameter} parameter
 * @property {string | undefined} targetType
 */

/**
 * @typedef {object} SearchRequest
 * @property {ServedType} type
 * @property {[string, string][]} understood What the client sent and the server used: the `self` link.
 * @property {[string, string][]} filters The same conditions in the form that the engine matches.
 * @property {string[]} sort
 * @property {Inclusion[]} includes
 * @property {Inclusion[]} revIncludes
 * @property {number} count
 * @property {number} offset
 */

const DEFAULT_COUNT = 50;
const MAX_COUNT = 500;

/** Modifiers that the engine honours; it takes all others for "equals", which would be a wrong answer. */
const MODIFIERS = /** @type {Record<string, string[]>} */ ({
  string: ['contains', 'missing'],
  token: ['not', 'missing'],
  date: ['missing'],
  uri: ['missing'],
  reference: ['missing'],
});

/**
 * Reads a search. An unknown parameter is left out of the search and of the `self` link, or refused when the client
 * asked for `Prefer: handling=strict` (FHIR R4 §3.1.1.4.1).
 *
 * @param {ServedType} type
 * @param {Iterable<[string, string]>} query
 * @param {{ strict: boolean, baseUrl: string }} options
 * @returns {SearchRequest}
 */
export function readSearch(type, query, { strict, baseUrl }) {
  /** @type {SearchRequest} */
  const request = {
    type,
    understood: [],
    filters: [],
    sort: [],
    includes: [],
    revIncludes: [],
    count: DEFAULT_COUNT,
    offset: 0,
  };
  for (const [key, value] of query) {
    if (value === '') {
      continue;
    }
    if (readControl(request, key, value) || readFilter(request, key, value, baseUrl)) {
      request.understood.push([key, value]);
    } else if (strict) {
      throw new FhirError(400, 'not-supported', `Search parameter not supported for ${type}: ${key}=${value}`);
    }
  }
  return request;
}

/**
 * Parameters that shape the answer instead of selecting resources.
 *
 * @param {SearchRequest} request
 * @param {string} key
 * @param {string} value
 * @returns {boolean} whether it was understood
 */
function readControl(request, key, value) {
  switch (key) {
    case '_count':
      request.count = Math.min(naturalNumber(key, value), MAX_COUNT);
      return true;
    case '_offset':
      request.offset = naturalNumber(key, value);
      return true;
    case '_summary':
      if (value === 'count') {
        request.count = 0;
      }
      return value === 'count' || value === 'false';
    case '_total':
      return ['none', 'estimate', 'accurate'].includes(value);
    case '_format':
      return true;
    case '_sort':
      return readSort(request, value);
    case '_include':
      return readInclusion(request.includes, value);
    case '_revinclude':
      return readInclusion(request.revIncludes, value);
    default:
      return false;
  }
}

/**
 * @param {string} key
 * @param {string} value
 */
function naturalNumber(key, value) {
  if (!/^\d{1,6}$/.test(value)) {
    throw new FhirError(400, 'invalid', `${key} must be a whole number of 0 or more`);
  }
  return Number(value);
}

/**
 * @param {SearchRequest} request
 * @param {string} value
 */
function readSort(request, value) {
  const known = searchParametersOf(request.type);
  const rules = value.split(',');
  if (!rules.every((rule) => known.has(rule.replace(/^-/, '')))) {
    return false;
  }
  request.sort = rules;
  return true;
}

/**
 * @param {Inclusion[]} inclusions
 * @param {string} value `Source:parameter` or `Source:parameter:Target`
 */
function readInclusion(inclusions, value) {
  const [source = '', code = '', targetType] = value.split(':');
  const parameter = isServed(source) ? searchParametersOf(source).get(code) : undefined;
  if (!isServed(source) || parameter?.type !== 'reference') {
    return false;
  }
  inclusions.push({ source, parameter, targetType });
  return true;
}

/**
 * @param {SearchRequest} request
 * @param {string} key
 * @param {string} value
 * @param {string} baseUrl
 * @returns {boolean} whether it was understood
 */
function readFilter(request, key, value, baseUrl) {
  if (key.includes('.') || key.startsWith('_has:')) {
    // Ignoring a chain would answer with far more than was asked for, so it is refused even when handling is lenient.
    throw new FhirError(400, 'not-supported', `Chained search is not supported: ${key}`);
  }
  const [code = '', modifier] = key.split(':', 2);
  const parameter = searchParametersOf(request.type).get(code);
  if (!parameter) {
    return false;
  }
  if (parameter.type === 'reference' && modifier !== 'missing') {
    request.filters.push([code, typedReferences(parameter, modifier, value, baseUrl)]);
    return true;
  }
  if (modifier !== undefined && !MODIFIERS[parameter.type]?.includes(modifier)) {
    throw new FhirError(400, 'not-supported', `Modifier not supported: ${key}`);
  }
  request.filters.push([key, value]);
  return true;
}

/**
 * The engine compares references as text, and data holds them as `Type/id`: `1`, `Patient/1`, `subject:Patient=1` and
 * an absolute URL of this server all mean that.
 *
 * @param {SearchParameter} parameter
 * @param {string | undefined} modifier
 * @param {string} value
 * @param {string} baseUrl
 */
function typedReferences(parameter, modifier, value, baseUrl) {
  if (modifier !== undefined && !isServed(modifier)) {
    throw new FhirError(400, 'not-supported', `Modifier not supported: ${parameter.code}:${modifier}`);
  }
  const targets = modifier === undefined ? targetsOf(parameter) : [modifier];
  return splitSearchOnComma(value)
    .flatMap((item) => {
      const reference = item.startsWith(`${baseUrl}/`) ? item.slice(baseUrl.length + 1) : item;
      return reference.includes('/') ? [reference] : targets.map((target) => `${target}/${reference}`);
    })
    .join(',');
}
