// @ts-check
import { COMPARTMENT, collectedBy, ownersOf } from '../record/compartment.js';
import { permitsResource } from '../record/scopes.js';
import { listOf, objectOf } from '../server/capabilities.js';
import { resourcesIn } from './resources.js';

/** @import { Actor, Answer, Ask, Evidence, Facts, Json, Resource } from '../types.js' */

const SHARED_TYPES = new Set(['Practitioner', 'PractitionerRole', 'Organization', 'Location', 'Medication']);

/**
 * The content of an answer that the token may not see; undefined if there is none.
 *
 * @param {Answer} answer
 * @param {Ask} ask
 * @param {Actor} actor
 * @param {Facts} facts
 * @returns {Evidence | undefined}
 */
export function shownBy(answer, ask, actor, facts) {
  const all = resourcesIn(answer);
  /** @type {Record<string, number>} */
  const resources = {};
  let references = 0;
  for (const resource of all) {
    const { resourceType } = resource;
    if (isForeign(resource, actor, facts) || isOutOfScope(resource, actor, facts))
      resources[resourceType] = (resources[resourceType] ?? 0) + 1;
    else references += foreignReferences(resource, actor, facts);
  }
  const markers = actor.patient === undefined ? 0 : markersIn(answer, ask, all, facts);
  const total = hiddenTotal(answer.json, ask);
  const evidence = {
    ...(Object.keys(resources).length > 0 && { resources }),
    ...(references > 0 && { references }),
    ...(markers > 0 && { markers }),
    ...(total && actor.patient !== undefined && { total }),
  };
  return Object.keys(evidence).length > 0 ? { status: answer.status, ...evidence } : undefined;
}

/** True if the resource belongs to another patient than the token's. @type {Judge} */
function isForeign(resource, { patient }, { a, b }) {
  if (patient === undefined) return false;
  const key = `${resource.resourceType}/${resource.id}`;
  const owners = ownersOf(resource);
  if (owners.length > 0 && resource.resourceType in COMPARTMENT) return !owners.includes(patient);
  if (resource.resourceType === 'Binary') return b.binaries.has(key) && !a.binaries.has(key);
  return b.resources.has(key) && !a.resources.has(key);
}

/** @typedef {(resource: Resource, actor: Actor, facts: Facts) => boolean} Judge */

/** True if no scope of the token permits the resource. @type {Judge} */
function isOutOfScope(resource, { scopes }, { a, b }) {
  const { resourceType, id } = resource;
  if (scopes === undefined || !(resourceType in COMPARTMENT || SHARED_TYPES.has(resourceType))) return false;
  const whole = a.resources.get(`${resourceType}/${id}`) ?? b.resources.get(`${resourceType}/${id}`);
  // A part of a resource may lack its category.
  if (!whole && isPart(resource)) return !permitsResource(withoutQueries(scopes), resource);
  return !permitsResource(scopes, whole ?? resource);
}

/** @param {readonly import('../types.js').Scope[]} scopes */
const withoutQueries = (scopes) => scopes.map((scope) => ({ ...scope, query: [] }));

/** @param {Resource} resource */
function isPart(resource) {
  const tags = listOf(objectOf(resource.meta)?.tag);
  return resource.category === undefined || tags.some(({ code }) => code === 'SUBSETTED');
}

/** @param {Resource} resource @param {Actor} actor @param {Facts} facts */
function foreignReferences(resource, { patient }, { a, b }) {
  if (patient === undefined) return 0;
  return collectedBy(resource).filter((key) =>
    key.startsWith('Patient/')
      ? key !== `Patient/${patient}`
      : b.resources.has(key) && !a.resources.has(key) && !a.shared.has(key),
  ).length;
}

/**
 * How many texts that only the other record has stand where no resource of a record is: in a refusal, in headers, in
 * what is not JSON. What was asked may be repeated.
 *
 * @param {Answer} answer
 * @param {Ask} ask
 * @param {Resource[]} all
 * @param {Facts} facts
 */
function markersIn(answer, ask, all, { b }) {
  const asked = decoded(JSON.stringify([ask.target, ask.headers, ask.body ?? '']));
  const open = all.filter(({ resourceType }) => !(resourceType in COMPARTMENT) && !SHARED_TYPES.has(resourceType));
  const isFhir = all.length > 0 || objectOf(answer.json)?.resourceType !== undefined;
  const text = decoded(
    [...(isFhir ? open.map((one) => JSON.stringify(one)) : [answer.text]), ...Object.values(answer.headers)].join('\n'),
  );
  const contents = [...b.binaries.values()].filter((content) => content.length > 16);
  return (
    b.markers.filter((marker) => text.includes(marker) && !asked.includes(marker)).length +
    contents.filter((content) => answer.text.includes(content)).length
  );
}

/** @param {string} text */
function decoded(text) {
  try {
    return `${text}\n${decodeURIComponent(text.replace(/\+/g, ' '))}`;
  } catch {
    return text;
  }
}

/**
 * A total above the number of matches in an answer that has no other pages: it counts what was left out.
 *
 * @param {Json | undefined} json
 * @param {Ask} ask
 */
function hiddenTotal(json, ask) {
  const bundle = objectOf(json);
  if (bundle?.resourceType !== 'Bundle' || typeof bundle.total !== 'number') return undefined;
  if (bundle.type !== 'searchset' && bundle.type !== 'history') return undefined;
  const asked = decoded(`${ask.target} ${ask.body ?? ''}`);
  if (/_summary=count|_count=0|_offset|_getpages|_page|_skip/.test(asked) || ask.isAbsolute) return undefined;
  if (listOf(bundle.link).some(({ relation }) => /^(?:next|prev|previous|last)$/.test(String(relation))))
    return undefined;
  const shown = listOf(bundle.entry).filter((entry) => !isExtra(entry)).length;
  return bundle.total > shown ? { total: bundle.total, shown } : undefined;
}

/** @param {import('../types.js').JsonObject} entry */
function isExtra(entry) {
  return /^(?:include|outcome)$/.test(String(objectOf(entry.search)?.mode));
}

/**
 * The ids in an answer of GraphQL.
 *
 * @param {Json | undefined} json
 * @returns {string[]}
 */
export function graphIds(json) {
  if (Array.isArray(json)) return json.flatMap(graphIds);
  const object = objectOf(json);
  if (!object) return [];
  return Object.entries(object).flatMap(([name, value]) => {
    if (name === 'errors') return [];
    return name === 'id' && typeof value === 'string' ? [value] : graphIds(value);
  });
}
