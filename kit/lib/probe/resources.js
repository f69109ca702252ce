// @ts-check
import { listOf, objectOf } from '../server/capabilities.js';

/** @import { Answer, Json, Resource } from '../types.js' */

/** Types that hold resources and are not part of a record. */
const HOLDERS = new Set(['Bundle', 'Parameters']);

/**
 * The resources in an answer, those in Bundles and Parameters as well, of JSON, NDJSON and XML.
 *
 * @param {Answer} answer
 * @returns {Resource[]}
 */
export function resourcesIn({ json, text, headers }) {
  if (json !== undefined) return withinJson(json);
  if (/ndjson/.test(headers['content-type'] ?? '') || /^\{.*\}\n\{/.test(text)) return text.split('\n').flatMap(lineOf);
  return withinXml(text);
}

/** @param {Json | undefined} value @returns {Resource[]} */
export function withinJson(value) {
  if (Array.isArray(value)) return value.flatMap(withinJson);
  const object = objectOf(value);
  if (!object) return [];
  if (typeof object.resourceType !== 'string') return [];
  const resource = /** @type {Resource} */ (object);
  if (!HOLDERS.has(resource.resourceType)) return [resource];
  const entries = listOf(resource.entry).flatMap((entry) => [entry.resource, objectOf(entry.response)?.outcome]);
  return [...entries, ...partsOf(resource.parameter)].flatMap(withinJson);
}

/** @param {Json | undefined} parameters @returns {(Json | undefined)[]} */
function partsOf(parameters) {
  return listOf(parameters).flatMap(({ resource, part }) => [resource, ...partsOf(part)]);
}

/** @param {string} line @returns {Resource[]} */
function lineOf(line) {
  try {
    return withinJson(JSON.parse(line));
  } catch {
    return [];
  }
}

/** Type, id and subject of what stands in an XML text. @param {string} text @returns {Resource[]} */
function withinXml(text) {
  const found = text.matchAll(/<([A-Z][A-Za-z]+)(?:\s[^>]*)?>\s*(?:<!--.*?-->\s*)?<id\s+value="([^"]+)"\s*\/>/g);
  return [...found].map(([, resourceType = '', id = '']) => ({ resourceType, id }));
}
