/**
 * SMART App Launch scopes, versions 1 (`patient/Observation.read`), 2 (`patient/Observation.rs`) and 2.2
 * (`…rs?category=laboratory`). The text of a scope is kept byte for byte: apps compare what they get back with what
 * they asked for, so nothing is re-encoded, re-ordered or compared case-insensitively. Values of conditions are
 * compared without their percent-encoding.
 *
 * A text outside of the grammar has no meaning and is dropped by the caller: `.sr` or `.dus` (letters out of order)
 * must not be read as some other permission.
 */
import type { SmartSubject } from '../client-values.js';

export const maxScopeLength = 2000;
/** More in one request is a mistake or an attack; the caller answers `invalid_scope`. */
export const maxScopes = 500;

export interface ResourceScope {
  kind: 'resource';
  text: string;
  version: 1 | 2;
  subject: SmartSubject;
  /** A resource type, or `*`. */
  type: string;
  /** Non-empty, in the order of `cruds`; for version 1 what the word stands for. */
  actions: string;
  /** Search parameters that narrow the scope, as literal name and value. */
  query: readonly (readonly [name: string, value: string])[];
}

/** `launch`, `launch/patient`, `launch/questionnaire?role=…`. */
export interface LaunchScope {
  kind: 'launch';
  text: string;
  /** The resource type in lower case, or null for the plain `launch` of an EHR launch. */
  context: string | null;
  role: string | null;
}

interface IdentityScope {
  kind: 'identity';
  text: 'openid' | 'fhirUser' | 'profile' | 'email' | 'phone';
}

interface RefreshScope {
  kind: 'refresh';
  text: 'offline_access' | 'online_access';
}

/** A FHIR operation: `user/Patient.$everything`, `system/*.$export`. */
export interface OperationScope {
  kind: 'operation';
  text: string;
  subject: SmartSubject;
  type: string;
  operation: string;
}

/** A scope SMART leaves to servers: a full URI, or a name that starts with two underscores. */
interface ExtensionScope {
  kind: 'extension';
  text: string;
}

export type SmartScope = ResourceScope | LaunchScope | IdentityScope | RefreshScope | OperationScope | ExtensionScope;

const legacyActions: Readonly<Record<string, string>> = { read: 'rs', write: 'cud', '*': 'cruds' };

const resource = /^(patient|user|system)\/(\*|[A-Z][A-Za-z]{0,63})\.(read|write|\*|c?r?u?d?s?)(?:\?(.+))?$/;
const operation = /^(patient|user|system)\/(\*|[A-Z][A-Za-z]{0,63})\.\$([a-z][A-Za-z0-9-]{0,63})$/;
const launch = /^launch(?:\/([a-z]{1,64})(?:\?role=(.+))?)?$/;
const extension = /^(?:https?:\/\/[!-~]+|urn:[!-~]+|__[A-Za-z0-9_.:-]+)$/;
const notScopeToken = /[^!#-[\]-~]/;
const parameterName = /^[A-Za-z_][A-Za-z0-9_.:-]{0,99}$/;
/** Excludes `;`, `#`, `?` and the like: characters that a URL or a query language could take for a delimiter. */
const parameterValue = /^[A-Za-z0-9._~:/|,%+@!$'()*=-]+$/;
const badEscape = /%(?![2-7][0-9A-Fa-f]|[89A-Fa-f][0-9A-Fa-f])|%7[Ff]/;

/** The scopes of a scope string (`RFC 6749 §3.3`), in order and each once. */
export function splitScopes(text: string): string[] {
  return [...new Set(text.split(' '))].filter((scope) => scope !== '');
}

/** The meaning of one scope, or undefined when it has none. Linear in its length. */
export function parseScope(text: string): SmartScope | undefined {
  if (text.length > maxScopeLength || notScopeToken.test(text)) return undefined;
  switch (text) {
    case 'openid':
    case 'fhirUser':
    case 'profile':
    case 'email':
    case 'phone':
      return { kind: 'identity', text };
    case 'offline_access':
    case 'online_access':
      return { kind: 'refresh', text };
  }
  return parseResource(text) ?? parseLaunch(text) ?? parseOperation(text) ?? parseExtension(text);
}

/** The text of a resource scope: what `parseScope` reads back as the same scope. */
export function printScope(scope: Omit<ResourceScope, 'kind' | 'text'>): string {
  const access = scope.version === 1 ? legacyWord(scope.actions) : scope.actions;
  const query = scope.query.map(([name, value]) => `${name}=${value}`).join('&');
  return `${scope.subject}/${scope.type}.${access}${query && `?${query}`}`;
}

/**
 * True if `granted` allows everything that `asked` allows. A query makes a scope narrower, so a granted query covers
 * only a scope that carries at least the same conditions. The subjects are not compared: `user/` does not cover
 * `patient/`.
 */
export function covers(granted: SmartScope, asked: SmartScope): boolean {
  if (granted.kind !== 'resource' || asked.kind !== 'resource') return granted.text === asked.text;
  return (
    granted.subject === asked.subject &&
    (granted.type === '*' || granted.type === asked.type) &&
    [...asked.actions].every((action) => granted.actions.includes(action)) &&
    limitsLess(granted.query, asked.query)
  );
}

/** True if each of these conditions is met by all resources that the other ones leave. */
export function limitsLess(wide: ResourceScope['query'], narrow: ResourceScope['query']): boolean {
  return wide.every(([name, value]) => narrow.some((pair) => pair[0] === name && admits(name, value, pair[1])));
}

/** The value of a condition without percent-encoding (`RFC 3986 §2.1`); undefined if it stands for no text. */
export function plainValue(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** A comma separates alternatives, and a code alone is that code of any system (`FHIR R4 §3.1.1.4.10`). */
function admits(name: string, wide: string, narrow: string): boolean {
  if (wide === narrow) return true;
  const [all, some] = [plainValue(wide), plainValue(narrow)];
  if (all === undefined || some === undefined) return false;
  if (all === some) return true;
  if (name !== 'category') return false;
  const alternatives = all.split(',');
  return some
    .split(',')
    .every((one) => alternatives.some((other) => one === other || (!other.includes('|') && one.endsWith(`|${other}`))));
}

function parseResource(text: string): ResourceScope | undefined {
  const match = resource.exec(text);
  if (!match) return undefined;
  const [, subject, type = '', access = '', queryText] = match;
  const legacy = legacyActions[access];
  const query = queryText === undefined ? [] : parseQuery(queryText);
  // Version 1 has no query part, so `.read?…` is neither version.
  if (access === '' || query === undefined || (legacy !== undefined && queryText !== undefined)) return undefined;
  const version = legacy === undefined ? 2 : 1;
  return { kind: 'resource', text, version, subject: subject as SmartSubject, type, actions: legacy ?? access, query };
}

function parseQuery(text: string): [string, string][] | undefined {
  const pairs: [string, string][] = [];
  for (const part of text.split('&')) {
    const equals = part.indexOf('=');
    const name = part.slice(0, Math.max(equals, 0));
    const value = part.slice(equals + 1);
    if (!parameterName.test(name) || !isValue(value)) return undefined;
    pairs.push([name, value]);
  }
  return pairs;
}

/** An escape may stand for a printable character only: `%00` and its kind never reach a FHIR server through a scope. */
function isValue(text: string): boolean {
  return parameterValue.test(text) && !badEscape.test(text);
}

function parseLaunch(text: string): LaunchScope | undefined {
  const match = launch.exec(text);
  if (!match) return undefined;
  const [, context = null, role = null] = match;
  return role === null || isValue(role) ? { kind: 'launch', text, context, role } : undefined;
}

function parseOperation(text: string): OperationScope | undefined {
  const match = operation.exec(text);
  if (!match) return undefined;
  const [, subject, type = '', name = ''] = match;
  return { kind: 'operation', text, subject: subject as SmartSubject, type, operation: name };
}

function parseExtension(text: string): ExtensionScope | undefined {
  return extension.test(text) ? { kind: 'extension', text } : undefined;
}

function legacyWord(actions: string): string {
  const word = Object.keys(legacyActions).find((key) => legacyActions[key] === actions);
  if (word === undefined) throw new RangeError(`No version 1 access word stands for '${actions}'`);
  return word;
}
