/** Which resources the scopes of a token open, by type and letter. */
import { directory, subjectElements } from './definitions.js';
import { isNeverWritten, isTypeOpen } from './levels.js';
import type { Acting, Token } from './world.js';

/** All resources of a type, or those of one patient, or those of categories (each of them), or both. */
export interface Permission {
  patient?: string;
  categories: readonly string[];
  /**
   * Present if the user acts for the patient: what the levels permit for the letter (rule `level`). Without a patient
   * it is for the resource of the user alone, of which they show all or a part (rule `other-representatives`).
   */
  acting?: Acting;
  letter?: string;
}

interface Scope {
  subject: string;
  type: string;
  letters: string;
  query: string[];
  operation?: string;
}

/** Version 1 has three words for letters (SMART 2.2 §scopes-for-requesting-fhir-resources). */
const words: Readonly<Record<string, string>> = { read: 'rs', write: 'cud', '*': 'cruds' };

/** Rule `scope-text`: undefined for what opens nothing, such as `patient/Observation.sr` or `.read?category=x`. */
function scopeOf(text: string): Scope | undefined {
  const named = /^(patient|user|system)\/(\*|[A-Z][A-Za-z]*)\.\$([a-z][A-Za-z0-9-]*)$/.exec(text);
  if (named)
    return { subject: named[1] ?? '', type: named[2] ?? '', letters: '', query: [], operation: named[3] ?? '' };
  const found = /^(patient|user|system)\/(\*|[A-Z][A-Za-z]*)\.(read|write|\*|c?r?u?d?s?)(?:\?(.+))?$/.exec(text);
  const [, subject = '', type = '', access = '', query] = found ?? [];
  if (!found || access === '' || (query !== undefined && access in words)) return undefined;
  return { subject, type, letters: words[access] ?? access, query: query?.split('&') ?? [] };
}

function scopesOf({ scopes }: Token): Scope[] {
  return scopes.flatMap((text) => scopeOf(text) ?? []);
}

/**
 * Rule `scope-person`: the patient whose data a scope opens. `patient/` is the patient of the launch. `user/` is what
 * the user may see: a patient's own record, everything for practitioners, and nothing for anyone else.
 */
function personOf({ subject }: Scope, { patient, user = '', acting }: Token): string | 'everyone' | 'no-one' {
  // Rule `acting`.
  if (acting && subject !== 'patient') return 'no-one';
  if (subject === 'system') return 'everyone';
  if (subject === 'patient') return patient === undefined ? 'no-one' : `Patient/${patient}`;
  if (user.startsWith('Patient/')) return user;
  return /^Practitioner(Role)?\//.test(user) ? 'everyone' : 'no-one';
}

/** Rule `scope-category`: undefined if the scope has a condition that cannot be checked on a resource alone. */
function categoriesOf({ query }: Scope): string[] | undefined {
  const values = query.map((one) => /^category=((?:[^|,\\]*\|)?[^|,\\]+(?:,(?:[^|,\\]*\|)?[^|,\\]+)*)$/.exec(one)?.[1]);
  return values.every((one) => one !== undefined) ? values.map((one) => decodeURIComponent(String(one))) : undefined;
}

/**
 * Rule `record-types`: a scope of one patient opens the types of the patient compartment. A patient is not made by an
 * app, and a Binary has no search for its patient.
 */
function isOfRecord(type: string, letter: string): boolean {
  if (type === 'Patient') return letter !== 'c';
  if (type === 'Binary') return letter !== 's';
  return subjectElements.has(type);
}

function isReadOfDirectory(type: string, letter: string): boolean {
  return directory.includes(type) && (letter === 'r' || letter === 's');
}

/** What the token opens of a type for a letter; an empty list for nothing. */
export function opened(token: Token, type: string, letter: string): Permission[] {
  const { acting, guards } = token;
  return openedByScopes(token, type, letter).flatMap((one): Permission[] => {
    if (one.patient === undefined) return [one];
    if (guards && isNeverWritten(type, letter)) return [];
    if (!acting) return [one];
    return isTypeOpen(acting, type, letter) ? [{ ...one, acting, letter }] : [];
  });
}

/** The same without what relationships open and protect. */
export function openedByScopes(token: Token, type: string, letter: string): Permission[] {
  return scopesOf(token).flatMap((scope): Permission[] => {
    const categories = categoriesOf(scope);
    const person = personOf(scope, token);
    const isFor = (scope.type === '*' || scope.type === type) && scope.letters.includes(letter);
    if (!isFor || !categories || person === 'no-one') return [];
    if (person === 'everyone' || isReadOfDirectory(type, letter)) return [{ categories }];
    return isOfRecord(type, letter) ? [{ patient: person.slice('Patient/'.length), categories }] : [];
  });
}

/** What the token opens for running an operation (rule `operation`). */
export function openedToRun(token: Token, type: string, operation: string): Permission[] {
  return scopesOf(token).flatMap((scope): Permission[] => {
    const person = personOf(scope, token);
    if (scope.operation !== operation || (scope.type !== '*' && scope.type !== type) || person === 'no-one') return [];
    return [person === 'everyone' ? { categories: [] } : { patient: person.slice('Patient/'.length), categories: [] }];
  });
}

/** True if all resources are open. */
export function isAll(permissions: readonly Permission[]): boolean {
  return permissions.some(
    ({ patient, categories, acting }) => patient === undefined && categories.length === 0 && acting === undefined,
  );
}

/** True if the token opens all resources of a type for each of the letters; `*` stands for every type. */
export function opensAll(token: Token, type: string, all: string): boolean {
  return [...all].every((letter) => isAll(opened(token, type, letter)));
}

/** What both open. */
export function both(one: readonly Permission[], other: readonly Permission[]): Permission[] {
  return one.flatMap((a) =>
    other.flatMap((b): Permission[] => {
      if (a.patient !== undefined && b.patient !== undefined && a.patient !== b.patient) return [];
      const patient = a.patient ?? b.patient;
      const categories = [...a.categories, ...b.categories];
      return [{ ...a, ...b, ...(patient !== undefined && { patient }), categories }];
    }),
  );
}

/** A search serves one patient: the one in context comes before the signed-in user. */
export function forOneSearch(permissions: readonly Permission[], { patient }: Token): readonly Permission[] {
  const inContext = permissions.filter((one) => one.patient === patient);
  return permissions.every((one) => one.patient !== undefined) && inContext.length > 0 ? inContext : permissions;
}

/** Rule `export`: scopes of a system for everything, or one that names the operation next to scopes for everything. */
export function opensExport(token: Token, type: string): boolean {
  const scopes = scopesOf(token);
  const isSystem = ['r', 's'].every((letter) =>
    scopes.some(
      (one) => one.subject === 'system' && one.type === '*' && one.letters.includes(letter) && one.query.length === 0,
    ),
  );
  const isNamed = openedToRun(token, type, 'export').some(({ patient }) => patient === undefined);
  return (isSystem || isNamed) && opensAll(token, '*', 'rs');
}

/** Rule `own-user`: `fhirUser`, or `profile` of SMART 1, tells the app who is signed in. */
export function toldUser({ scopes, user }: Token): string | undefined {
  return scopes.includes('fhirUser') || (scopes.includes('openid') && scopes.includes('profile')) ? user : undefined;
}
