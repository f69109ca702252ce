// @ts-check
import {
  convertToSearchableReferences,
  evalFhirPathTyped,
  isOk,
  OperationOutcomeError,
  toTypedValue,
} from '@medplum/core';
import { makeSimpleRequest } from '@medplum/fhir-router';
import { isServed } from './definitions.js';

/**
 * @import { FhirRepository, FhirRouter } from '@medplum/fhir-router'
 * @import { Bundle, BundleEntry, BundleLink, Resource } from '@medplum/fhirtypes'
 * @import { ServedType } from './definitions.js'
 * @import { Inclusion, SearchRequest } from './search-request.js'
 */

/**
 * @typedef {object} Engine
 * @property {FhirRouter} router
 * @property {FhirRepository} repository
 * @property {string} baseUrl
 */

/**
 * Asks the engine, and throws its OperationOutcome when it refuses.
 *
 * @param {Engine} engine
 * @param {'GET' | 'POST' | 'PUT' | 'DELETE'} method
 * @param {string} path relative to the base URL
 * @param {unknown} [body]
 * @returns {Promise<Resource | undefined>}
 */
export async function ask({ router, repository }, method, path, body) {
  const [outcome, resource] = await router.handleRequest(makeSimpleRequest(method, path, body), repository);
  if (!isOk(outcome)) {
    throw new OperationOutcomeError(outcome);
  }
  return resource;
}

/**
 * All resources of a type that match, in the order asked for.
 *
 * @param {Engine} engine
 * @param {ServedType} type
 * @param {[string, string][]} filters
 * @param {{ sort?: string[], count?: number, offset?: number }} [page]
 * @returns {Promise<{ resources: Resource[], total: number }>}
 */
export async function find(engine, type, filters, { sort = [], count, offset } = {}) {
  const query = new URLSearchParams(filters);
  if (sort.length > 0) {
    query.set('_sort', sort.join(','));
  }
  if (count !== undefined) {
    query.set('_count', String(count));
  }
  if (offset !== undefined) {
    query.set('_offset', String(offset));
  }
  const bundle = /** @type {Bundle} */ (await ask(engine, 'GET', `${type}?${query}`));
  const resources = (bundle.entry ?? []).map((entry) => /** @type {Resource} */ (entry.resource));
  return { resources, total: bundle.total ?? resources.length };
}

/**
 * A search answered as clients expect it: paged, linked, with full URLs and included resources.
 *
 * @param {Engine} engine
 * @param {SearchRequest} request
 * @returns {Promise<Bundle>}
 */
export async function search(engine, request) {
  const { resources, total } = await find(engine, request.type, request.filters, request);
  const included = await includedBy(engine, request, resources);
  const entry = [
    ...resources.map((resource) => toEntry(engine.baseUrl, resource, 'match')),
    ...included.map((resource) => toEntry(engine.baseUrl, resource, 'include')),
  ];
  return {
    resourceType: 'Bundle',
    type: 'searchset',
    total,
    link: linksOf(engine.baseUrl, request, total),
    ...(entry.length > 0 ? { entry } : {}),
  };
}

/**
 * The versions of a resource, newest first, on one page.
 *
 * @param {Engine} engine
 * @param {ServedType} type
 * @param {string} id
 * @returns {Promise<Bundle>}
 */
export async function history(engine, type, id) {
  const { entry = [] } = /** @type {Bundle} */ (await ask(engine, 'GET', `${type}/${id}/_history`));
  const versions = entry.map(({ resource }) => /** @type {Resource} */ (resource));
  const timeOf = (/** @type {Resource} */ { meta }) => Date.parse(meta?.lastUpdated ?? '');
  // The engine turns its own list around each time it is asked.
  versions.sort((one, other) => timeOf(other) - timeOf(one));
  return {
    resourceType: 'Bundle',
    type: 'history',
    total: versions.length,
    link: [{ relation: 'self', url: `${engine.baseUrl}/${type}/${id}/_history` }],
    entry: versions.map((resource) => ({
      fullUrl: `${engine.baseUrl}/${keyOf(resource)}`,
      resource,
      request: { method: 'PUT', url: keyOf(resource) },
      response: { status: '200', etag: `W/"${resource.meta?.versionId}"`, lastModified: resource.meta?.lastUpdated },
    })),
  };
}

/**
 * @param {string} baseUrl
 * @param {Resource} resource
 * @param {'match' | 'include'} mode
 * @returns {BundleEntry}
 */
export function toEntry(baseUrl, resource, mode) {
  return { fullUrl: `${baseUrl}/${keyOf(resource)}`, resource, search: { mode } };
}

/** @param {Resource} resource */
const keyOf = (resource) => `${resource.resourceType}/${resource.id}`;

/**
 * @param {string} baseUrl
 * @param {SearchRequest} request
 * @param {number} total
 * @returns {BundleLink[]}
 */
function linksOf(baseUrl, { type, understood, count, offset }, total) {
  const conditions = understood.filter(([key]) => key !== '_offset');
  /** @param {[string, string][]} query */
  const urlOf = (query) => `${baseUrl}/${type}${query.length > 0 ? `?${new URLSearchParams(query)}` : ''}`;
  /** @param {number} start */
  const page = (start) => urlOf(start > 0 ? [...conditions, ['_offset', String(start)]] : conditions);
  const links = [{ relation: 'self', url: urlOf(understood) }];
  if (count > 0 && offset > 0) {
    links.push({ relation: 'first', url: page(0) }, { relation: 'previous', url: page(Math.max(0, offset - count)) });
  }
  if (count > 0 && offset + count < total) {
    links.push({ relation: 'next', url: page(offset + count) });
  }
  return links;
}

/**
 * The resources that `_include` and `_revinclude` add to this page, each once and never one that already matched.
 *
 * @param {Engine} engine
 * @param {SearchRequest} request
 * @param {Resource[]} matches
 */
async function includedBy(engine, { includes, revIncludes }, matches) {
  const seen = new Set(matches.map(keyOf));
  /** @type {Resource[]} */
  const added = [];
  /** @param {Resource} resource */
  const add = (resource) => {
    if (!seen.has(keyOf(resource))) {
      seen.add(keyOf(resource));
      added.push(resource);
    }
  };
  for (const inclusion of includes) {
    for (const reference of matches.flatMap((match) => referencesOf(match, inclusion))) {
      const [type = '', id = ''] = reference.split('/');
      const found = isServed(type) ? (await find(engine, type, [['_id', id]])).resources : [];
      found.forEach(add);
    }
  }
  for (const { source, parameter, targetType } of revIncludes) {
    const targets = matches.filter((match) => targetType === undefined || match.resourceType === targetType);
    if (targets.length > 0) {
      const { resources } = await find(engine, source, [[parameter.code, targets.map(keyOf).join(',')]]);
      resources.forEach(add);
    }
  }
  return added;
}

/**
 * @param {Resource} resource
 * @param {Inclusion} inclusion
 */
function referencesOf(resource, { source, parameter, targetType }) {
  if (resource.resourceType !== source) {
    return [];
  }
  return convertToSearchableReferences(evalFhirPathTyped(parameter.expression ?? '', [toTypedValue(resource)])).filter(
    (reference) => targetType === undefined || reference.startsWith(`${targetType}/`),
  );
}
