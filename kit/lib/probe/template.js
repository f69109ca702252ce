// @ts-check
import { randomBytes, randomInt, randomUUID } from 'node:crypto';

/** @import { Ask, AskTemplate, Bindings } from '../types.js' */

/**
 * How a value is written: `{id|pct}` is percent-encoded as a whole.
 *
 * @type {Record<string, (value: string) => string>}
 */
const FILTERS = {
  q: encodeURIComponent,
  pct: (value) => [...Buffer.from(value)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
  pct2: (value) => [...Buffer.from(value)].map((byte) => `%25${byte.toString(16).padStart(2, '0')}`).join(''),
  json: (value) => JSON.stringify(value).slice(1, -1),
  wide: (value) =>
    encodeURIComponent(value.replace(/[!-~]/g, (one) => String.fromCharCode(one.charCodeAt(0) + 0xfee0))),
  up: (value) => value.toUpperCase(),
  base64: (value) => Buffer.from(value).toString('base64url'),
};

/**
 * Puts values into the places of a text. A place without a value stays, since texts of GraphQL have braces.
 *
 * @param {string} text
 * @param {Bindings} bindings
 */
function fill(text, bindings) {
  return text.replace(/\{([A-Za-z]+)(?:\|([a-z0-9]+))?\}/g, (place, name, filter) => {
    const value = bindings[name];
    if (value === undefined) return place;
    return filter ? (FILTERS[filter]?.(value) ?? place) : value;
  });
}

/** The names of all places that ways use. */
const PLACES = new Set([
  ...['A', 'B', 'type', 'id', 'own', 'version', 'param', 'value', 'system', 'text', 'link', 'shared', 'source'],
  ...['binary', 'code', 'other', 'word', 'target', 'ref', 'none', 'line', 'companion', 'refused', 'number', 'group'],
]);

/**
 * The request of a way. `over` has texts with places of their own, by name.
 *
 * @param {AskTemplate} template
 * @param {Bindings} bindings
 * @param {Bindings} over
 * @returns {Ask | string} the name of a place that has no value, if there is one
 */
export function askOf({ method = 'GET', target, line, headers = {}, body, authorization }, bindings, over = {}) {
  const inner = Object.entries(over).map(([name, text]) => [name, fill(text, bindings)]);
  const all = { ...bindings, ...Object.fromEntries(inner) };
  /** @type {Ask} */
  const ask = {
    method: fill(method, all),
    target: fill(target, all),
    headers: Object.entries(headers).flatMap(([name, value]) =>
      [value].flat().map((one) => /** @type {[string, string]} */ ([name, fill(one, all)])),
    ),
    ...(line !== undefined && { line: fill(line, all) }),
    ...(body !== undefined && { body: fill(body, all) }),
    ...(authorization !== undefined && { authorization: fill(authorization, all) }),
    ...(target.startsWith('{link}') && { isAbsolute: true }),
  };
  const left = JSON.stringify(ask).matchAll(/\{([A-Za-z]+)(?:\|[a-z0-9]+)?\}/g);
  const missing = [...left].find(([, name = '']) => PLACES.has(name));
  return missing?.[1] ?? ask;
}

/**
 * A value of the same form that means nothing: digits for digits, letters for letters. A short one could exist.
 *
 * @param {string} value
 */
export function nothingLike(value) {
  if (/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value)) return randomUUID();
  if (/^\d{1,9}$/.test(value)) return String(randomInt(1_100_000_000, 1_999_999_999));
  const like = value.replace(/[a-z]|[A-Z]|\d/g, (one) => {
    if (/\d/.test(one)) return String(randomInt(10));
    return String.fromCharCode((one === one.toUpperCase() ? 65 : 97) + randomInt(26));
  });
  return value.replace(/[^A-Za-z0-9]/g, '').length < 8 ? `${like}${randomBytes(6).toString('hex')}` : like;
}
