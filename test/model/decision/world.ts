/** What a decision is about: a token, a request, and what the FHIR server has. */
import type { Path } from './definitions.js';

export type Json = Record<string, unknown>;
export type Resource = Json & { resourceType: string; id?: string };
export type Query = readonly (readonly [name: string, value: string])[];

export interface Token {
  scopes: readonly string[];
  /** The id of the patient in context. */
  patient?: string;
  /** The signed-in user as `Type/id`; absent in a token of a service. */
  user?: string;
  /** The level of the sign-in. */
  acr?: string;
  /** Seconds since the sign-in. */
  age?: number;
  /** Present if the user acts for the patient. */
  relationship?: ActingFor;
  /** What {@link relationship} opens on its day. */
  acting?: Acting;
  /** True where accounts may act for patients. */
  guards?: boolean;
}

/** A relationship, when it is used, and what the patient's record says then. */
export interface ActingFor {
  relationship: Relationship;
  /** A time in UTC, `YYYY-MM-DDThh:mmZ`. */
  at: string;
  /** Where the days of the patient's hospital begin: a key of {@link zones}. */
  zone: string;
  facts: Facts;
}

/** Time zones without summer time, in minutes east of UTC. */
export const zones: Readonly<Record<string, number>> = {
  UTC: 0,
  'Asia/Kathmandu': 345,
  'Pacific/Kiritimati': 840,
  'Pacific/Pago_Pago': -660,
};

/** What is kept private: `Type`, `Type/category`, labels, and codes of an element. */
export interface Without {
  types: readonly string[];
  categories: readonly string[];
  securityLabels: readonly string[];
  codes: readonly { element: string; codes: readonly string[] }[];
}

export interface Level {
  /** `full`, or kinds: `Type`, `Type?category=…`, `?_security=…`, `contact-details`, `Type.element`. */
  kinds: 'full' | readonly string[];
  without: Without;
  change: 'full' | readonly string[];
}

/** A user who acts for a patient. */
export interface Acting {
  patient: string;
  /** The user's own RelatedPerson or Person. */
  person?: string;
  basis: string;
  levels: readonly Level[];
}

export interface Step {
  from: number;
  /** A level, `not-possible` or `ends`; without it the relationship's own level is the only limit. */
  level?: string;
  agreement?: boolean;
}

interface Basis {
  keptPrivate: Without;
  ages: readonly Step[];
  afterDeath: 'ends' | 'continues';
}

/** What the operator has configured. */
export interface Representation {
  bases: Readonly<Record<string, Basis>>;
  levels: Readonly<Record<string, Level>>;
  /** What is private unless its kind is chosen, where kinds are chosen one by one (`consent.sensitive`). */
  sensitive: Omit<Without, 'codes'>;
}

export interface Relationship {
  basis: string;
  level: string;
  /** The kinds of the level that were chosen; left out for the whole level. */
  chosen?: readonly string[];
  status: string;
  /** Why it is suspended. */
  reason?: string;
  /** The first and the last day. */
  start?: string;
  end?: string;
  /** The steps to which the patient agreed. */
  agreed: readonly number[];
  /**
   * A step above which two administrators went, until its end or until a day: to another level in place of that of the
   * step, or to the relationship's own. `chosen` as of the relationship.
   */
  above?: { step: number; until?: string; level?: string; chosen?: readonly string[] };
  /** True if administrators decided without a birth date. */
  isUndated?: boolean;
}

/** What the patient's record says. */
export interface Facts {
  birthDate?: string;
  isDeceased?: boolean;
  isInactive?: boolean;
  isReplaced?: boolean;
}

export interface Asked {
  /** A key of {@link letters}, or a bundle of several. */
  interaction: string;
  type: string;
  id?: string;
  version?: string;
  /** The name of an operation. */
  operation?: string;
  query: Query;
  /** A resource, or the operations of a JSON Patch. */
  body?: unknown;
  ifNoneExist?: Query;
  ifMatch?: string;
  /** True for an update with `If-None-Match: *`. */
  onlyNew?: boolean;
  /** True for a search or an operation by POST. */
  byPost?: boolean;
  /** For a read: the version that the app has, `W/"1"`. */
  known?: string;
  /** True for a Binary that is read or written as its content, and not as a resource. */
  asContent?: boolean;
  /** The patient of `Patient/<id>/<type>`. */
  inRecordOf?: string;
  /** For a bundle. */
  parts?: readonly Asked[];
  /** For a part: the name by which other parts refer to it. */
  name?: string;
}

/** A type that a search reaches besides its own, and the letter of the scope that it takes. */
export interface Reached {
  type: string;
  letter: 'r' | 's';
  /** True for an included type; false for one that only filters. */
  shown: boolean;
}

export interface StepUpRule {
  actions: string;
  types: readonly string[];
  acr?: string;
  maxAge?: number;
}

/** The addresses by which references mean the server. */
export interface Names {
  bases: readonly string[];
}

/** What a FHIR server answers, however it understands a search. */
export interface Server extends Names {
  types: readonly string[];
  listed(type: string): readonly string[];
  conditional(type: string): readonly string[];
  makesByUpdate(type: string): boolean;
  operations: readonly { name: string; type: string | null }[];
  stored(type: string, id: string): Resource | undefined;
  /** True for what has versions, and is not there any more. */
  isDeleted(type: string, id: string): boolean;
  /** Oldest first. */
  versions(type: string, id: string): readonly Resource[];
  /** All matches, without paging. */
  find(type: string, query: Query): readonly Resource[];
  /** What the server adds to these matches. */
  included(found: readonly Resource[], query: Query): readonly Resource[];
  everything(id: string): readonly Resource[];
}

/** The FHIR interactions that the gateway knows, with the letter of a scope that each takes (rule `scope-letter`). */
export const letters: Readonly<Record<string, string>> = {
  read: 'r',
  vread: 'r',
  'history-instance': 'r',
  'history-type': 's',
  search: 's',
  create: 'c',
  update: 'u',
  patch: 'u',
  delete: 'd',
  operation: 's',
};

/** Operations whose answers are limited to the other scopes, by the type that they are asked of. */
export const operationsOfRecord: Readonly<Record<string, string>> = {
  everything: 'Patient',
  lastn: 'Observation',
  docref: 'DocumentReference',
};

/** The values at a path; a list counts as each of its members. `name*` is an element that may be nested in itself. */
export function at(value: unknown, path: Path): unknown[] {
  if (Array.isArray(value)) return value.flatMap((one) => at(one, path));
  const [name, ...rest] = path;
  if (name === undefined) return value === undefined || value === null ? [] : [value];
  if (typeof value !== 'object' || value === null) return [];
  if (!name.endsWith('*')) return at((value as Json)[name], rest);
  const own = (value as Json)[name.slice(0, -1)];
  return [...at(own, rest), ...(own === undefined ? [] : at(own, path))];
}

export function of(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Json)[name] : undefined;
}

/** The address of a resource below any base of the server; other texts as they are. */
export function local(reference: string, { bases }: Names): string {
  const base = bases.find((one) => reference.startsWith(`${one}/`));
  return base === undefined ? reference : reference.slice(base.length + 1);
}

/** The type that a Reference names, and `Type/id` if it is one of this server; undefined without a known type. */
export function namedBy(value: unknown, server: Names): { type: string; here?: string } | undefined {
  const reference = of(value, 'reference');
  if (typeof reference !== 'string') {
    const type = of(value, 'type');
    return typeof type === 'string' ? { type: type.replace(/^.*\//, '') } : undefined;
  }
  const plain = local(reference, server).replace(/\/_history\/[^/]+$/, '');
  const [, type] = /(?:^|\/)([A-Z][A-Za-z]*)\/[A-Za-z0-9.-]+$/.exec(plain) ?? [];
  if (type === undefined) return undefined;
  return /^[A-Z][A-Za-z]*\/[A-Za-z0-9.-]+$/.test(plain) ? { type, here: plain } : { type };
}
