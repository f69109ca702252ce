// @ts-check
import { listOf, objectOf } from '../server/capabilities.js';

/** @import { Answer, Bindings, Evidence, Json, JsonObject } from '../types.js' */

/** Headers about the connection, caches and the way of an answer. */
const IGNORED =
  /^(?:x-cache|x-cache-hits|x-served-by|x-timer|cf-cache-status|cf-ray|date|age|connection|keep-alive|transfer-encoding|content-encoding|vary|retry-after|via|www-authenticate)$/;
/** Headers whose values are few words, and not dates, lengths or hashes. */
const COMPARED = /count|total|^(?:content-type|allow|cache-control|content-range)$/;

/**
 * Compares an answer with those to the same request about something that does not exist. A difference counts if it is
 * there twice, and if two answers about nothing do not differ.
 *
 * @param {Answer} real
 * @param {Bindings} secrets the values that were asked for
 * @param {{ again: () => Promise<Answer>, nothing: () => Promise<{ answer: Answer, like: Bindings } | undefined> }} ask
 * @returns {Promise<Evidence | undefined>}
 */
export async function toldBy(real, secrets, { again, nothing }) {
  const first = await nothing();
  if (!first) return undefined;
  const both = [secrets, first.like];
  if (differencesOf(signsOf(real, both), signsOf(first.answer, both)).size === 0) return undefined;
  const repeated = await again();
  const second = await nothing();
  if (!second) return undefined;
  // A short value may stand anywhere in a text: it is written alike in all of them.
  const all = [...both, second.like];
  const signs = (/** @type {Answer} */ answer) => signsOf(answer, all);
  const differences = differencesOf(signs(real), signs(first.answer));
  const unstable = [
    ...differencesOf(signs(real), signs(repeated)).keys(),
    ...differencesOf(signs(first.answer), signs(second.answer)).keys(),
  ];
  for (const name of unstable) differences.delete(name);
  return differences.size > 0 ? { status: real.status, differences: [...differences.values()] } : undefined;
}

/**
 * The parts of an answer besides its resources: by name, a text in which the asked values are all written alike.
 *
 * @param {Answer} answer
 * @param {readonly Bindings[]} secrets
 * @returns {Record<string, string>}
 */
function signsOf(answer, secrets) {
  const alike = alikeOf(secrets);
  /** @type {Record<string, string>} */
  const signs = { status: String(answer.status) };
  for (const [name, value] of Object.entries(answer.headers))
    if (!IGNORED.test(name)) signs[`header ${name}`] = COMPARED.test(name) ? alike(value) : 'present';
  const challenge = answer.headers['www-authenticate'];
  if (challenge !== undefined) signs['header www-authenticate'] = alike(challenge);
  const root = objectOf(answer.json);
  if (root?.resourceType === 'Bundle') Object.assign(signs, signsOfBundle(root, alike));
  else if (root?.resourceType === 'OperationOutcome' || answer.status >= 400) signs.text = alike(answer.text);
  else if (root?.resourceType === undefined || root.resourceType === 'Parameters') signs.text = alike(answer.text);
  else signs.kind = String(root.resourceType);
  return signs;
}

/** @param {JsonObject} bundle @param {(text: string) => string} alike */
function signsOfBundle(bundle, alike) {
  const entries = listOf(bundle.entry);
  const outcomes = entries.flatMap(({ resource, response }) => [
    ...(objectOf(resource)?.resourceType === 'OperationOutcome' ? [textOf(resource)] : []),
    ...(objectOf(response)?.outcome ? [textOf(objectOf(response)?.outcome)] : []),
  ]);
  const statuses = entries.flatMap(({ response }) => objectOf(response)?.status ?? []).map((one) => String(one));
  const nested = entries.flatMap(({ resource }) => {
    const inner = objectOf(resource);
    return inner?.resourceType === 'Bundle' ? [`${inner.total ?? ''}/${listOf(inner.entry).length}`] : [];
  });
  return {
    total: String(bundle.total ?? 'absent'),
    type: String(bundle.type),
    self: alike(String(listOf(bundle.link).find(({ relation }) => relation === 'self')?.url ?? 'absent')),
    entries: String(entries.length),
    links: listOf(bundle.link)
      .map(({ relation }) => String(relation))
      .filter((relation) => !/^(?:self|first)$/.test(relation))
      .sort()
      .join(),
    statuses: statuses.map((status) => status.slice(0, 3)).join(),
    nested: nested.join(),
    members: [...Object.keys(bundle), ...Object.keys(objectOf(bundle.meta) ?? {}).map((name) => `meta.${name}`)]
      .filter((name) => !/^(?:total|entry|link)$/.test(name))
      .sort()
      .join(),
    text: alike(outcomes.join('\n')),
  };
}

/** @param {Json | undefined} value */
const textOf = (value) => JSON.stringify(value ?? null);

/**
 * Writes the asked values, times, and numbers of requests alike.
 *
 * @param {readonly Bindings[]} secrets
 * @returns {(text: string) => string}
 */
function alikeOf(secrets) {
  const values = [...new Set(secrets.flatMap((one) => Object.values(one)))]
    .filter((value) => value !== '')
    .flatMap((value) => [value, encodeURIComponent(value)])
    .sort((one, other) => other.length - one.length);
  return (text) => {
    // An address that is repeated in a text has the values encoded.
    let result = text.replace(/%([2-7][0-9A-F])/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
    for (const value of values)
      result = result.replaceAll(new RegExp(`(?<![A-Za-z0-9])${escaped(value)}(?![A-Za-z0-9])`, 'g'), '…');
    return result
      .replace(/\d{4}-\d{2}-\d{2}T[\d:.]+(?:Z|[+-]\d{2}:\d{2})/g, 'TIME')
      .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi, 'UUID')
      .replace(/\b(?=[A-Za-z0-9-]*\d)[A-Za-z0-9-]{8,}\b/g, 'CODE');
  };
}

/** @param {string} text */
const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/**
 * The names of what differs between two answers, with both values where they are numbers.
 *
 * @param {Record<string, string>} one
 * @param {Record<string, string>} other
 * @returns {Map<string, string>} what is said about each difference, by its name
 */
function differencesOf(one, other) {
  const found = new Map();
  for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) {
    if (one[name] === other[name]) continue;
    const isText = name === 'text' || name === 'self' || name === 'header www-authenticate';
    found.set(
      name,
      isText ? `${name} differs` : `${name} ${one[name] ?? 'absent'} instead of ${other[name] ?? 'absent'}`,
    );
  }
  return found;
}
