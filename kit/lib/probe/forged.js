// @ts-check
import { createHmac } from 'node:crypto';

/** @import { Actor, Json } from '../types.js' */

/**
 * Tokens that a server has to refuse: made of a self-contained one, with the other patient in it; none for others.
 *
 * @param {Actor} actor
 * @param {string} patient
 * @returns {string[]}
 */
export function forgedTokens({ token }, patient) {
  const [head = '', body = '', signature = ''] = token.split('.');
  const header = claimsIn(head);
  const claims = claimsIn(body);
  if (!header || !claims) return [];
  const changed = part({
    ...claims,
    patient,
    ...('fhirUser' in claims && { fhirUser: `Patient/${patient}` }),
    ...('sub' in claims && { sub: patient }),
    scope: `${claims.scope ?? ''} system/*.cruds user/*.cruds patient/*.cruds`.trim(),
  });
  const none = (/** @type {string} */ alg) => part({ ...header, alg });
  const weak = part({ ...header, alg: 'HS256' });
  const signed = (/** @type {string} */ key) =>
    `${weak}.${changed}.${createHmac('sha256', key).update(`${weak}.${changed}`).digest('base64url')}`;
  return [
    `${head}.${changed}.${signature}`,
    `${none('none')}.${changed}.`,
    `${none('None')}.${changed}.`,
    `${none('NONE')}.${changed}.${signature}`,
    `${none('none')}.${changed}`,
    `${head}.${changed}.`,
    `${head}.${changed}`,
    signed(''),
    signed('secret'),
    signed('null'),
    `${part({ ...header, jwk: { kty: 'oct', k: '' } })}.${changed}.${signature}`,
    `${part({ ...header, kid: '../../dev/null' })}.${changed}.${signature}`,
  ];
}

/** @param {{ [name: string]: unknown }} content */
const part = (content) => Buffer.from(JSON.stringify(content)).toString('base64url');

/**
 * The claims of a part of a JSON Web Token; undefined for anything else.
 *
 * @param {string} text
 * @returns {Record<string, Json> | undefined}
 */
export function claimsIn(text) {
  try {
    const claims = JSON.parse(Buffer.from(text, 'base64url').toString());
    return typeof claims === 'object' && claims !== null && !Array.isArray(claims) ? claims : undefined;
  } catch {
    return undefined;
  }
}
