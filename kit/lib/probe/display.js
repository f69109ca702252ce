// @ts-check
import { createHmac, randomBytes } from 'node:crypto';

/** @import { Display } from '../types.js' */

/** Values that say whose data it is. `version`, `system`, `code` and names of types and parameters are not. */
const PERSONAL = new Set([
  'A',
  'B',
  'id',
  'own',
  'value',
  'text',
  'other',
  'shared',
  'binary',
  'target',
  'ref',
  'made',
  'mine',
  'number',
  'group',
  'binding',
]);

/**
 * What requests are shown with in reports: values are hashed, with a key of this run, as short ids could be guessed.
 *
 * @param {boolean} showIds
 * @returns {Display}
 */
export function displayOf(showIds) {
  const key = randomBytes(16);
  const hash = (/** @type {string} */ value) =>
    value === '' ? '' : `id-${createHmac('sha256', key).update(value).digest('hex').slice(0, 8)}`;
  const masked = (/** @type {string} */ value) => {
    const [, type, rest, query] = /^([A-Z][A-Za-z]+\/)([^/?$]+)(.*)$/.exec(value) ?? [];
    return type && rest ? `${type}${hash(rest)}${(query ?? '').replace(/=Patient\/[^&]+/, '=Patient/…')}` : hash(value);
  };
  return (bindings, name) =>
    Object.fromEntries(
      Object.entries(bindings).map(([place, value]) => {
        if (place === 'word') return [place, tokenVariable(name)];
        if (place === 'companion') return [place, '$OTHER_TOKEN'];
        if (place === 'base') return [place, '$BASE'];
        if (showIds) return [place, value];
        if (place === 'link') return [place, `$BASE/…further-page-${hash(value)}`];
        if (place === 'target' && /^[^/]+\/\$/.test(value)) return [place, value];
        return [place, PERSONAL.has(place) ? masked(value) : value];
      }),
    );
}

/** The shell variable of a token. @param {string} name */
export function tokenVariable(name) {
  return `$TOKEN_${name.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}`;
}
