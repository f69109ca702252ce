// @ts-check
import { claimsIn } from '../probe/forged.js';
import { scopesIn } from '../record/scopes.js';
import { listOf, objectOf } from '../server/capabilities.js';

/** @import { Actor, Json, JsonObject } from '../types.js' */

/** The given tokens cannot be used. */
export class BadTokens extends Error {}

/**
 * The tokens of a file, of standard input or of the environment. Each is the token itself, or an object such as the
 * answer of a token endpoint: `access_token` or `token`, `scope`, `patient`, `fhirUser`, `id_token`, `refresh_token`.
 *
 * @param {string | undefined} text the file; undefined for none
 * @param {Record<string, string | undefined>} environment
 * @returns {{ a: Actor, b: Actor, more: Actor[] }}
 */
export function givenTokens(text, environment) {
  const file = text === undefined ? {} : objectIn(text);
  const of = (/** @type {string} */ name) => file[name] ?? environment[`TOKEN_${name.toUpperCase()}`];
  const a = actorOf('A', of('a'), false);
  const b = actorOf('B', of('b'), false);
  if (!a || !b) {
    const missing = [!a && 'A', !b && 'B'].filter(Boolean).join(' and ');
    throw new BadTokens(`The token of ${missing} is missing: give it by --tokens or in TOKEN_A and TOKEN_B.`);
  }
  if (a.token === b.token) throw new BadTokens('A and B have the same token: two patients are needed.');
  // What is accepted of these is a finding; a token that is not one is refused by every server.
  const given = Array.isArray(file.refused) ? file.refused : [];
  const refused = given.map(textOf).filter((one) => typeof one === 'string');
  const others = [
    actorOf('practitioner', of('practitioner'), true),
    actorOf('service', of('service'), true),
    ...listOf(file.more).map((one, at) => actorOf(String(one.name ?? `more ${at + 1}`), one, false)),
  ];
  return { a: { ...a, refused }, b, more: others.flatMap((one) => one ?? []) };
}

/** The token of a text or an object. @param {Json | undefined} value */
function textOf(value) {
  const given = objectOf(value);
  const token = typeof value === 'string' ? value.trim() : (given?.access_token ?? given?.token);
  return token === '' ? undefined : token;
}

/** @param {string} text @returns {JsonObject} */
function objectIn(text) {
  /** @type {Json} */
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    throw new BadTokens('The tokens are not JSON: see --help for the form.');
  }
  const object = objectOf(value);
  if (!object) throw new BadTokens('The tokens are not a JSON object: see --help for the form.');
  return object;
}

/**
 * @param {string} name
 * @param {Json | undefined} value
 * @param {boolean} isUnlimited true if it is not a token of a single patient
 * @returns {Actor | undefined}
 */
export function actorOf(name, value, isUnlimited) {
  const token = textOf(value);
  const given = objectOf(value) ?? {};
  if (token === undefined) return undefined;
  if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token))
    throw new BadTokens(`The token of ${name} has characters that no token has: is it whole, and only the token?`);
  const claims = claimsIn(token.split('.')[1] ?? '') ?? {};
  const { exp, aud } = claims;
  if (typeof exp === 'number' && exp * 1000 < Date.now())
    throw new BadTokens(`The token of ${name} has expired at ${new Date(exp * 1000).toISOString()}.`);
  const scope = [given.scope, claims.scope, claims.scp].find((one) => one !== undefined);
  const scopeText = Array.isArray(scope) ? scope.join(' ') : typeof scope === 'string' ? scope : undefined;
  const user = [given.fhirUser, claims.fhirUser].find((one) => typeof one === 'string');
  const patient = [given.patient, claims.patient].find((one) => typeof one === 'string');
  return {
    name,
    token,
    patient: isUnlimited
      ? undefined
      : typeof patient === 'string'
        ? patient.replace(/^.*Patient\//, '')
        : patientOf(user),
    scopes: scopeText === undefined ? undefined : scopesIn(scopeText),
    scopeText,
    fhirUser: typeof user === 'string' ? user : undefined,
    companions: [given.id_token, given.refresh_token].flatMap((one) =>
      typeof one === 'string' && one !== '' ? [one] : [],
    ),
    refused: [],
    audience:
      [aud]
        .flat()
        .filter((one) => typeof one === 'string')
        .join(' ') || undefined,
  };
}

/** The patient that the user is. @param {Json | undefined} user */
function patientOf(user) {
  return typeof user === 'string' ? /(?:^|\/)Patient\/([A-Za-z0-9.-]+)$/.exec(user)?.[1] : undefined;
}
