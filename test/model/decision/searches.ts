/** Searches: what they may ask for, how they are held to the limit, and what is shown of the answer. */
import { parameterForPatient } from './definitions.js';
import { isCategoryClosed, isPatientInPart, partFor, shownOfPatient } from './levels.js';
import { isMixed, participantsOf, useOf } from './mixed-resources.js';
import { mayKnow, shownOf } from './records.js';
import { isAll, opened, opensAll, type Permission } from './scopes.js';
import { isChallenged, type SignInDecision } from './sign-in.js';
import { Refused } from './verdict.js';
import {
  type Acting,
  type Asked,
  at,
  local,
  namedBy,
  of,
  type Query,
  type Reached,
  type Resource,
  type Server,
  type Token,
} from './world.js';

const control = ['_id', '_lastUpdated', '_profile', '_security', '_sort', '_source', '_tag', '_total', '_elements'];
/** Of two values a server may take either. */
const onlyOnce = [
  '_format',
  '_pretty',
  '_elements',
  '_summary',
  '_sort',
  '_total',
  '_count',
  '_offset',
  '_skip',
  '_page',
];
const modifiers = ['above', 'below', 'contains', 'exact', 'identifier', 'missing', 'not', 'text'];

/**
 * Rule `understood`: the types that a search reaches. Refused are names with an underscore that are not listed, unknown
 * modifiers, includes of everything, and chains that are too long.
 */
export function reachedBy(searched: string, query: Query): Reached[] {
  const names = query.map(([name]) => name);
  if (names.some((name, index) => onlyOnce.includes(name) && names.indexOf(name) !== index))
    throw new Refused('understood', 400);
  return query.flatMap(([name, value]) => {
    const include = /^_(rev)?include(:iterate)?$/.exec(name);
    if (include) return includedBy(searched, value, include[1] !== undefined, include[2] !== undefined);
    if (name.startsWith('_has:') || name.includes('.')) return chainOf(name, 4);
    const [base = '', modifier] = name.split(':');
    const isKnown = base.startsWith('_')
      ? [...control, '_summary', '_count', '_offset', '_skip', '_page', '_format', '_pretty'].includes(base) &&
        modifier === undefined
      : /^[A-Za-z][A-Za-z0-9-]*$/.test(base) &&
        (modifier === undefined || modifiers.includes(modifier) || /^[A-Z]/.test(modifier)) &&
        base !== 'access_token';
    if (!isKnown || (name === '_sort' && value.includes('.'))) throw new Refused('understood', 400);
    return [];
  });
}

function includedBy(searched: string, value: string, isReverse: boolean, isIterated: boolean): Reached[] {
  const [, source, target] = /^([A-Z][A-Za-z]*):[A-Za-z][A-Za-z0-9_-]*(?::([A-Z][A-Za-z]*))?$/.exec(value) ?? [];
  if (source === undefined) throw new Refused('understood', 400);
  const from = isReverse ? (target ?? searched) : source;
  if (!isIterated && from !== searched) throw new Refused('understood', 400);
  const type = isReverse ? source : (target ?? '*');
  const included: Reached = { type, letter: isReverse ? 's' : 'r', shown: true };
  // An iterated include walks through resources that the answer may not show.
  return isIterated ? [included, { type: from, letter: 'r', shown: false }, { ...included, shown: false }] : [included];
}

function chainOf(name: string, depth: number): Reached[] {
  const [, by, beyond] = /^_has:([A-Z][A-Za-z]*):[A-Za-z][A-Za-z0-9_-]*:(.+)$/.exec(name) ?? [];
  const [, to, rest = beyond] =
    /^[A-Za-z][A-Za-z0-9_-]*(?::([A-Z][A-Za-z]*))?\.(.+)$/.exec(by === undefined ? name : '') ?? [];
  if (rest !== undefined && depth > 0) {
    // The parameter `patient` looks at patients alone.
    const named = name.startsWith('patient.') ? 'Patient' : '*';
    return [{ type: by ?? to ?? named, letter: 's', shown: false }, ...chainOf(rest, depth - 1)];
  }
  const isEnd = /^(?:_id|[A-Za-z][A-Za-z0-9_-]*)(?::(?:exact|contains|missing|not|text|identifier))?$/.test(name);
  if (!isEnd || depth === 0) throw new Refused('understood', 400);
  return [];
}

/** Rule `reached`. What only filters would reveal resources that are not shown, so all of them have to be open. */
export function assertReached(reached: readonly Reached[], token: Token, permissions: readonly Permission[]): void {
  for (const { type, letter, shown } of reached) {
    if (type !== '*' && opened(token, type, letter).length === 0) throw new Refused('reached', 403);
    if (!shown && !(isAll(permissions) && opensAll(token, type, letter))) throw new Refused('reached', 403);
  }
}

/** Rules `kept-private`, `contact-details` and `place`: what is not shown is not asked about. */
export function assertAsked(type: string, query: Query, { acting }: Token): void {
  if (!acting) return;
  if (query.some(([name]) => ['_offset', '_skip', '_page'].includes(name))) throw new Refused('place', 403);
  if (query.some(([name, value]) => name === 'category' && isCategoryClosed(acting, type, value)))
    throw new Refused('kept-private', 403);
  if (type === 'Patient' && !query.every((condition) => asksAboutShown(acting, condition)))
    throw new Refused('contact-details', 403);
}

/** Elements of a Patient, and the parameters that look at them. */
const ofPatient: Readonly<Record<string, readonly string[]>> = {
  name: ['name', 'family', 'given', 'phonetic'],
  identifier: ['identifier'],
  gender: ['gender'],
  birthDate: ['birthdate'],
  address: ['', '-city', '-state', '-postalcode', '-country', '-use'].map((end) => `address${end}`),
  telecom: ['telecom', 'phone', 'email'],
  link: ['link'],
};
/** Elements that are shown where only contacts are hidden. */
const further =
  'active deceased death-date general-practitioner organization language race ethnicity age birthOrderBoolean'.split(
    ' ',
  );

function asksAboutShown(acting: Acting, [name, value]: Query[number]): boolean {
  if (!isPatientInPart(acting) && acting.basis !== 'parental-responsibility') return true;
  const isInclude = /^_include(:|$)/.test(name);
  const [base = '', modifier] = isInclude ? [value.split(':')[1]] : name.split(':');
  if (!isPatientInPart(acting)) {
    const known = [...Object.values(ofPatient).flat(), ...further, 'mothersMaidenName'];
    return known.includes(base) || (!isInclude && base.startsWith('_'));
  }
  if (base.startsWith('_')) return !isInclude && !['_tag', '_source'].includes(base);
  if (base === 'identifier' && modifier !== undefined) return false;
  const [element = ''] = Object.entries(ofPatient).find(([, names]) => names.includes(base)) ?? [];
  return shownOfPatient(acting).includes(element);
}

/** Rule `listed-parameter`. */
export function assertListed(query: Query, listed: readonly string[]): void {
  const isFree = (name: string) => name.startsWith('_') || name.includes('.');
  if (!query.every(([name]) => isFree(name) || listed.includes(name.split(':')[0] ?? ''))) {
    throw new Refused('listed-parameter', 400);
  }
}

export interface Found {
  shown: Resource[];
  /** The number that the answer has; undefined where it has none. */
  total: number | undefined;
  /** The conditions with which the server was asked (rule `asked-inside`); undefined if it was not asked. */
  inside: Query | undefined;
}

interface Search {
  type: string;
  query: Query;
  reached: readonly Reached[];
  permissions: readonly Permission[];
  signIn: SignInDecision;
}

/** A search within a limit. */
export function searchInside(
  { type, query, reached, permissions, signIn }: Search,
  token: Token,
  server: Server,
): Found {
  const isCount = query.some(
    ([name, value]) => (name === '_summary' && value === 'count') || (name === '_count' && /^0+$/.test(value)),
  );
  const trims = query.some(([name]) => name === '_elements' || name === '_summary');
  if (trims && !isCount) assertTrimmed(query);
  // How an answer is trimmed, sorted or paged means nothing to its number.
  const counted = isCount ? query.filter(([name]) => !isOfAnswer(name)) : query;
  const asked = askedAbout(type, counted, permissions, token, server);
  const conditions = asked && isWithinByItself(type, asked) ? [] : limitOf(type, permissions, server);
  const inside = asked && withConditions(asked, conditions, permissions, server);
  if (!inside) return { shown: [], total: 0, inside: undefined };
  const found = server.find(type, inside);
  const matches = found.map((one) => shownOf(one, permissions, token, server));
  const shown = matches.flatMap((one) => (one.what === 'nothing' ? [] : one.resource));
  if (found.some((one, index) => matches[index]?.what !== 'nothing' && isChallenged(signIn, one))) {
    throw new Refused('sign-in', 401);
  }
  const total = shown.length;
  if (isCount) return { shown: [], total, inside: conditions };
  const included = includedShown(server.included(found, inside), reached, token, server);
  if (included.some((one) => isChallenged(signIn, one))) throw new Refused('sign-in', 401);
  const kept = total < found.length ? included.filter((one) => isTold(one, shown, server)) : included;
  return { shown: [...shown, ...kept], total, inside: conditions };
}

/** Rule `included`. */
function includedShown(
  included: readonly Resource[],
  reached: readonly Reached[],
  token: Token,
  server: Server,
): Resource[] {
  return included.flatMap((one) => {
    const type = one.resourceType;
    const ways = reached.filter((way) => way.shown && (way.type === '*' || way.type === type));
    const shown = shownOf(
      one,
      ways.flatMap(({ letter }) => opened(token, type, letter)),
      token,
      server,
    );
    return shown.what === 'nothing' ? [] : shown.resource;
  });
}

/** Rule `included`: true if a shown match names the resource, or the resource names one. */
function isTold(included: Resource, matches: readonly Resource[], server: Server): boolean {
  const key = ({ resourceType, id }: Resource) => `${resourceType}/${id}`;
  return matches.some(
    (match) => namesOf(match, server).includes(key(included)) || namesOf(included, server).includes(key(match)),
  );
}

/** All that a resource refers to. */
function namesOf(value: unknown, server: Server): (string | undefined)[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = 'reference' in value && typeof value.reference === 'string' ? [namedBy(value, server)?.here] : [];
  return [...own, ...Object.values(value).flatMap((one) => namesOf(one, server))];
}

/** Rule `trimmed`. */
export function assertTrimmed(query: Query): void {
  for (const [name, value] of query) {
    if (name === '_summary' && !['true', 'false', 'text', 'data'].includes(value)) throw new Refused('trimmed', 400);
    if (name === '_elements' && !/^[A-Za-z0-9,]+$/.test(value)) throw new Refused('trimmed', 400);
  }
}

/** What says nothing of the matches themselves. */
function isOfAnswer(name: string): boolean {
  return onlyOnce.includes(name) || /^_(?:rev)?include/.test(name);
}

/** A Provenance need not name the patient: one of what the token may know of is inside of the record. */
function isWithinByItself(type: string, asked: Query): boolean {
  return type === 'Provenance' && asked.some(([name]) => name === 'target');
}

/** Rule `asked-inside`: the conditions for the server, as far as one search can have them. */
function limitOf(type: string, permissions: readonly Permission[], server: Server): Query {
  const patients = [...new Set(permissions.map(({ patient }) => patient))];
  if (patients.length > 1) return [];
  const [patient] = patients;
  const own: Query =
    patient === undefined ? [] : [[parameterForPatient(type), type === 'Patient' ? patient : `Patient/${patient}`]];
  const lists = permissions.map(({ categories }) => categories);
  if (lists.some((list) => list.length === 0)) return own;
  const isOne = lists.length === 1 || lists.every((list) => list.length === 1);
  if (!isOne || !server.listed(type).includes('category')) return own;
  const values = lists.length === 1 ? (lists[0] ?? []) : [[...new Set(lists.flat())].join(',')];
  return [...own, ...values.map((value) => ['category', value] as const)];
}

/** The patient of the limit takes the place of the app's; undefined if the app asks for another one alone. */
function withConditions(
  query: Query,
  conditions: Query,
  permissions: readonly Permission[],
  server: Server,
): Query | undefined {
  const patient = permissions[0]?.patient ?? '';
  const isLimiting = (name: string) => name !== 'category' && conditions.some(([own]) => own === name);
  const isOwn = (value: string) =>
    value.split(',').some((one) => one === patient || local(one, server) === `Patient/${patient}`);
  if (!query.every(([name, value]) => !isLimiting(name) || isOwn(value))) return undefined;
  return [...query.filter(([name]) => !isLimiting(name)), ...conditions];
}

/** Rule `asked-about`: the search without what the token may not know of; undefined if a condition has nothing else. */
function askedAbout(
  type: string,
  query: Query,
  permissions: readonly Permission[],
  token: Token,
  server: Server,
): Query | undefined {
  const patients = permissions.flatMap(({ patient }) => patient ?? []);
  if (type === 'Patient' && token.acting && isPatientInPart(token.acting)) {
    const [patient = ''] = patients;
    const stored = server.stored('Patient', patient);
    return askedByNumber(query, stored && partFor(token.acting, stored, server));
  }
  if (patients.length === 0 || !isMixed(type)) return query;
  const asked: (readonly [string, string])[] = [];
  // What may not be asked is refused, whatever else is asked.
  let findsNothing = false;
  for (const [name, value] of query) {
    const [base = '', modifier] = name.split(':');
    const isOf = (one: string) => useOf(type, one);
    if (name === '_sort') {
      if (value.split(',').some((one) => isOf(one.replace(/^-/, '')) !== 'as-it-is'))
        throw new Refused('asked-about', 403);
    }
    const use = name === '_sort' || name.includes('.') || name.startsWith('_') ? 'as-it-is' : isOf(base);
    if (use === 'as-it-is') {
      asked.push([name, value]);
      continue;
    }
    if (use === 'not' || (modifier !== undefined && !/^[A-Z]/.test(modifier))) throw new Refused('asked-about', 403);
    const types = modifier === undefined ? use : [modifier];
    const known = value
      .split(',')
      .flatMap((one) => (/^[A-Za-z0-9.-]+$/.test(one) ? types.map((own) => `${own}/${one}`) : [one]))
      .filter((one) => patients.some((patient) => mayAskAbout(type, one, patient, token, server)));
    findsNothing ||= known.length === 0;
    asked.push([base, known.join(',')]);
  }
  return findsNothing ? undefined : asked;
}

/** Rule `contact-details`: an identifier that is not shown finds nothing. */
function askedByNumber(query: Query, shown: Resource | undefined): Query | undefined {
  const isOwn = (value: string) =>
    at(shown, ['identifier']).some((one) => {
      const [number, system] = value.split('|').reverse();
      return (
        (system === undefined || system === (of(one, 'system') ?? '')) &&
        (number === of(one, 'value') || (number === '' && system !== undefined && system !== ''))
      );
    });
  const asked = query.map(([name, value]): Query[number] => {
    if (name !== 'identifier' || value === '') return [name, value];
    return [name, value.split(',').filter(isOwn).join(',')];
  });
  return asked.every(([, value], index) => value !== '' || query[index]?.[1] === '') ? asked : undefined;
}

function mayAskAbout(type: string, value: string, patient: string, token: Token, server: Server): boolean {
  const named = namedBy({ reference: value }, server);
  if (named?.here === undefined) return false;
  const isOpen = participantsOf(type)?.onlyPatients === true && named.type !== 'Patient';
  return isOpen || mayKnow(named, patient, token, server);
}

/** Rule `understood`: the parameters of operations. */
export function assertOperationParameters({ operation = '', query }: Asked): void {
  const known: Record<string, string[]> = {
    everything: ['start', 'end', '_since', '_type', '_count'],
    export: ['_outputFormat', '_since', '_type', '_elements'],
    docref: ['patient', 'start', 'end', 'type', 'on-demand', 'profile', '_count'],
  };
  const names = known[operation];
  if (names && !query.every(([name]) => names.includes(name))) throw new Refused('understood', 400);
}

/** Rule `understood`: a condition of a change is one value of the resource itself, in the plainest way. */
export function isPlainCondition([name, value]: Query[number]): boolean {
  return /^[A-Za-z][A-Za-z0-9-]*$/.test(name) && value.split(',').every((one) => /[^|\s]/.test(one));
}
