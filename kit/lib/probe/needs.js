// @ts-check

/** @import { Actor, Way } from '../types.js' */

/**
 * By what a way needs of a token: why this one will not do.
 *
 * @type {Record<string, (actor: Actor) => string | undefined>}
 */
const NEEDS = {
  'a token without fhirUser': ({ scopes, fhirUser, token }) =>
    scopes !== undefined && fhirUser === undefined && token.split('.').length === 3
      ? undefined
      : 'it takes a token of the first patient whose claims have no fhirUser: give one among `more` (see README)',
  'a token with scopes of several contexts': ({ scopes = [] }) =>
    new Set(scopes.map(({ context }) => context)).size > 1
      ? undefined
      : 'it takes a token of the first patient with patient/ and user/ or system/ scopes: give one among `more` (see README)',
};

/**
 * Why a way cannot be tried with a token; undefined if it can.
 *
 * @param {Way} way
 * @param {Actor} actor
 */
export function needsOf(way, actor) {
  return way.needs === undefined ? undefined : NEEDS[way.needs]?.(actor);
}
