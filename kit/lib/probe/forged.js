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
  const renamed = {
    ...claims,
    patient,
    ...('fhirUser' in claims && { fhirUser: `Patient/${patient}` }),
    ...('sub' in claims && { sub: patient }),
    scope: `${claims.scope ?? ''} system/*.cruds user/*.cruds patient/*.cruds`.trim(),
  };
  const changed = part(renamed);
  const none = (/** @type {string} */ alg) => part({ ...header, alg });
  const weak = part({ ...header, alg: 'HS256' });
  const { alg: _alg, ...rest } = header;
  const withHeader = (/** @type {{ [name: string]: unknown }} */ more) => `${part({ ...header, ...more })}.${changed}`;
  const signed = (/** @type {string} */ key) => signedBy(`${weak}.${changed}`, key);
  return [
    `${head}.${changed}.${signature}`,
    `${none('none')}.${changed}.`,
    `${none('None')}.${changed}.`,
    `${none('NONE')}.${changed}.${signature}`,
    `${none('none')}.${changed}`,
    `${head}.${changed}.`,
    `${head}.${changed}`,
    `${none('nOnE')}.${changed}.`,
    `${none('none')}.${changed}.${signature}`,
    `${part(rest)}.${changed}.${signature}`,
    ...['', null, ['none']].map((alg) => `${part({ ...header, alg })}.${changed}.${signature}`),
    `${head}.${part({ ...renamed, iss: 'https://gatehouse-enforcement-kit.invalid' })}.${signature}`,
    ...WEAK_KEYS.map(signed),
    `${withHeader({ jwk: { kty: 'oct', k: '' } })}.${signature}`,
    `${withHeader({ kid: '../../dev/null' })}.${signature}`,
    signedBy(`${withHeader({ alg: 'HS256', kid: '../../../../dev/null' })}`, ''),
    signedBy(
      `${withHeader({ alg: 'HS256', jwk: { kty: 'oct', k: Buffer.from('secret').toString('base64url') } })}`,
      'secret',
    ),
    `${withHeader({ kid: 'gatehouse-enforcement-kit' })}.${signature}`,
    `${withHeader({ jku: 'https://gatehouse-enforcement-kit.invalid/keys' })}.${signature}`,
    `${withHeader({ x5u: 'https://gatehouse-enforcement-kit.invalid/key' })}.${signature}`,
    `${withHeader({ x5c: ['AAAA'] })}.${signature}`,
    // CVE-2022-21449: a signature of zeros is valid for each key.
    `${withHeader({ alg: 'ES256' })}.${Buffer.alloc(64).toString('base64url')}`,
    `${withHeader({ alg: 'PS256' })}.${Buffer.alloc(256).toString('base64url')}`,
  ];
}

/** Keys of examples and of frameworks before they are configured. */
const WEAK_KEYS = ['', 'secret', 'null', 'undefined', 'password', 'changeit', 'changeme', 'key', 'your-256-bit-secret'];

/** @param {string} text @param {string} key */
const signedBy = (text, key) => `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;

/**
 * The own token, damaged in ways that a comparison may overlook.
 *
 * @param {Actor} actor
 * @returns {string[]}
 */
export function damagedTokens({ token }) {
  const [last = '', ...rest] = token.split('.').reverse();
  const before = rest
    .reverse()
    .map((one) => `${one}.`)
    .join('');
  const swapped = last.replace(/[a-z]|[A-Z]/g, (one) =>
    one === one.toUpperCase() ? one.toLowerCase() : one.toUpperCase(),
  );
  return [
    token.slice(0, -4),
    `${before}${last.slice(0, 4)}`,
    ...(swapped === last ? [] : [before + swapped]),
    `${token}AAAA`,
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
