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
  const keep = (/** @type {string} */ type, /** @type {string} */ param, /** @type {string} */ value) => {
    if (!found.has(`${type} ${param} ${value}`))
      found.set(`${type} ${param} ${value}`, { known: { type, param, value }, secret: {} });
  };
  const seen = new Set();
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
      const { resourceType } = resource;
      const key = `${resourceType} ${param}`;
      if (param === undefined || value === undefined || !parameters.has(param) || seen.has(key)) continue;
      seen.add(key);
      keep(resourceType, param, value);
      if (param === 'date') continue;
      keep(resourceType, param, `${value},kit-nothing`);
      const { system, text } = conceptIn(resource[param]);
      for (const form of system === undefined ? [] : [`${system}|${value}`, `${system}|`])
        keep(resourceType, param, form);
      if (text !== undefined) keep(resourceType, `${param}:text`, text);
    }
  }
  return [...found.values()];
}

/**
 * Labels of the other record's resources: tags, profiles, sources, and systems of identifiers.
 *
 * @param {Facts} facts
 * @returns {{ known: Bindings, secret: Bindings }[]}
 */
export function labelsOf({ server, b }) {
  const found = new Map();
  for (const { resourceType, meta, identifier } of b.resources.values()) {
    const { tag, security, profile, source } = objectOf(meta) ?? {};
    const own = /** @type {const} */ ([
      ['_tag', listOf(tag)[0]?.code],
      ['_security', listOf(security)[0]?.code],
      ['_profile', [profile].flat()[0]],
      ['_source', source],
      ['identifier', systemIn(listOf(identifier)[0])],
    ]);
    const parameters = server.types.get(resourceType)?.parameters ?? new Set();
    for (const [param, value] of own) {
      const isServed = param !== 'identifier' || parameters.has(param);
      if (typeof value !== 'string' || !isServed || found.has(`${resourceType} ${param}`)) continue;
      found.set(`${resourceType} ${param}`, { known: { type: resourceType, param, value }, secret: {} });
    }
  }
  return [...found.values()];
}

/** @param {import('../types.js').JsonObject | undefined} identifier */
const systemIn = (identifier) => (typeof identifier?.system === 'string' ? `${identifier.system}|` : undefined);

/** @param {Json | undefined} value @returns {{ system?: string, text?: string }} */
function conceptIn(value) {
  const concept = objectOf([value].flat()[0]);
  const [coding] = listOf(concept?.coding);
  const text = [concept?.text, coding?.display].find((one) => typeof one === 'string');
  return {
    ...(typeof coding?.system === 'string' && { system: coding.system }),
    ...(typeof text === 'string' && { text }),
  };
}

/** The first code of an element. @param {Json | undefined} value @returns {string | undefined} */
function codeIn(value) {
  if (typeof value === 'string') return value;
  const [first] = [value].flat();
  const concept = objectOf(first);
  const code = listOf(concept?.coding)[0]?.code ?? concept?.code;
  return typeof code === 'string' ? code : undefined;
}
