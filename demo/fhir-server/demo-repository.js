// @ts-check
import { deepClone, evalFhirPath, globalSchema, matchesSearchRequest, Operator } from '@medplum/core';
import { MemoryRepository } from '@medplum/fhir-router';
import { generateDemoData } from '../data/generate.js';

/**
 * @import { Filter, SearchRequest, SortRule, WithId } from '@medplum/core'
 * @import { Bundle, Resource } from '@medplum/fhirtypes'
 */

/**
 * @typedef {object} Stored what a `MemoryRepository` holds, which never changes a resource that it stores
 * @property {Map<string, Map<string, Resource>>} resources by type and id
 * @property {Map<string, Map<string, Resource[]>>} history versions by type and id
 */

/** @type {Promise<MemoryRepository> | undefined} */
let generated;

/**
 * A repository of the generated patients. Those of one process share the resources until one changes them: there are
 * thousands.
 */
export async function createDemoRepository() {
  generated ??= generate();
  const { resources, history } = storedIn(await generated);
  const repository = new DemoRepository();
  const stored = storedIn(repository);
  for (const [type, ofType] of resources) stored.resources.set(type, new Map(ofType));
  for (const [type, ofType] of history) {
    stored.history.set(type, new Map([...ofType].map(([id, versions]) => [id, [...versions]])));
  }
  return repository;
}

async function generate() {
  const repository = new MemoryRepository();
  for (const resource of generateDemoData()) await repository.createResource(resource);
  return repository;
}

/** @param {MemoryRepository} repository */
function storedIn(repository) {
  return /** @type {Stored} */ (/** @type {unknown} */ (repository));
}

/**
 * Searches as its base class does, which evaluates every condition on every resource, sorts by evaluating both sides of
 * each comparison, and copies all matches: too slow for thousands of resources.
 */
class DemoRepository extends MemoryRepository {
  /** The number of resources. */
  get size() {
    return [...storedIn(this).resources.values()].reduce((total, ofType) => total + ofType.size, 0);
  }

  /**
   * @override
   * @template {Resource} T
   * @param {SearchRequest<T>} request its first sort rule weighs most
   * @returns {Promise<Bundle<WithId<T>>>}
   */
  async search(request) {
    const { resourceType, filters = [], sortRules = [], offset = 0, count } = request;
    const needed = filters.map((filter) => textsOf(resourceType, filter)).filter((texts) => texts !== undefined);
    const matches = [...(storedIn(this).resources.get(resourceType)?.values() ?? [])].filter(
      (resource) =>
        needed.every((texts) => texts.some((text) => textOf(resource).includes(text))) &&
        matchesSearchRequest(resource, request),
    );
    const page = sorted(matches, sortRules).slice(offset, count === undefined ? undefined : offset + count);
    const entry = page.map((resource) => ({ resource: /** @type {WithId<T>} */ (deepClone(resource)) }));
    return {
      resourceType: 'Bundle',
      type: 'searchset',
      ...(entry.length > 0 && { entry }),
      total: matches.length,
    };
  }
}

/**
 * The texts of which a resource must have one to match: those of a token or a reference are in its JSON. Undefined for
 * a filter that other resources match, too.
 *
 * @param {string} type
 * @param {Filter} filter
 * @returns {string[] | undefined}
 */
function textsOf(type, { code, operator, value }) {
  const kind = globalSchema.types[type]?.searchParams?.[code]?.type;
  if (operator !== Operator.EQUALS || (kind !== 'token' && kind !== 'reference')) return undefined;
  // An escaped comma or bar makes only more parts.
  const texts = value
    .toLowerCase()
    .split(',')
    .map((one) => {
      const parts = one.split(/[|\\]/).map((part) => JSON.stringify(part).slice(1, -1));
      if (kind === 'reference' && parts.length === 1 && one !== '') return `${parts[0]}"`;
      return parts.reduce((longest, part) => (part.length > longest.length ? part : longest), '');
    });
  return texts.includes('') ? undefined : texts;
}

/** JSON in lower case, by resource. @type {WeakMap<Resource, string>} */
const texts = new WeakMap();

/** @param {Resource} resource */
function textOf(resource) {
  const known = texts.get(resource);
  if (known !== undefined) return known;
  const text = JSON.stringify(resource).toLowerCase();
  texts.set(resource, text);
  return text;
}

/**
 * @param {Resource[]} resources
 * @param {SortRule[]} rules the first one weighs most
 */
function sorted(resources, rules) {
  if (rules.length === 0) return resources;
  const keyed = resources.map((resource) => ({ resource, keys: rules.map(({ code }) => sortKey(resource, code)) }));
  keyed.sort((one, other) => {
    for (const [index, { descending }] of rules.entries()) {
      const order = (one.keys[index] ?? '').localeCompare(other.keys[index] ?? '');
      if (order !== 0) return descending ? -order : order;
    }
    return 0;
  });
  return keyed.map(({ resource }) => resource);
}

/**
 * @param {Resource} resource
 * @param {string} code
 */
function sortKey(resource, code) {
  const expression = globalSchema.types[resource.resourceType]?.searchParams?.[code]?.expression;
  return expression === undefined ? '' : JSON.stringify(evalFhirPath(expression, resource));
}
