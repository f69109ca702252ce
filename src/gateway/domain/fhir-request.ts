/**
 * Classifies a request as a FHIR interaction, from its method and address alone (FHIR R4 §3.1). Scopes are decided on
 * the result, so there is one spelling for everything: an ambiguous address (escapes, dot segments, empty segments,
 * other letter case) is refused, and so is everything that is not named.
 */

import type { Interaction } from '../../contract/audit/access-detail.js';
import { forServersDocref } from './operations/docref.js';
import { assertOperationParameters } from './operations/operation-parameters.js';
import type { Parameter } from './parameter.js';
import { compartmentCondition, typesOfRecord } from './patient-compartment.js';
import { Refusal } from './refusal.js';
import type { RelatedType } from './related-types.js';
import {
  assertCondition,
  assertHistory,
  assertNoCondition,
  assertSearch,
  printParameters,
  readParameters,
  withoutFormat,
} from './search-parameters.js';

/** The pages of an export (Bulk Data Access 2.0): its status, a file of the server, a file of a store, lost files. */
export type ExportPage = 'job' | 'file' | 'stored' | 'lost';

/** A request by its meaning (FHIR R4 §3.1.0): interaction, type, id and parameters. */
export interface FhirRequest {
  interaction: Interaction;
  /** `*` for an operation on the whole server. */
  type: string;
  /** Absent for a search, a history of the type, a create, a change of what a condition finds, and some operations. */
  id?: string;
  /** Name of the operation, without its dollar sign; also of the one that is but another search. */
  operation?: string;
  /**
   * For an export: the kind of the page. A stored file is outside of the server; of those that are lost the page has
   * the names.
   */
  exported?: ExportPage;
  /** For such a page: the key of the export in the record of accesses. */
  job?: string;
  /** The patient whose record the address searches in; the condition for it is the last of the parameters. */
  inRecordOf?: string;
  /** The parameters that decide which resource is meant, or whether one is created (see `condition.ts`). */
  condition?: readonly Parameter[];
  /** For a vread. */
  versionId?: string;
  /** The parameters of the address; a search by POST has more in its body. */
  parameters: Parameter[];
  /** The server's own address of a further page, below its base, in place of the parameters. */
  page?: string;
  /** For a further page that begins amid one of the server's: the shown matches of that which come before it. */
  skip?: number;
  /** For a further page that is filled from several of the server's: the number of its matches. */
  size?: number;
  /** For a further page: the types that the original search reaches. */
  relatedTypes?: readonly RelatedType[];
}

/** The letter of a SMART scope that allows an interaction (`SMART 2.2 §scopes-for-requesting-fhir-resources`). */
export const actionOf: Readonly<Record<Interaction, string>> = {
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

const typeName = '[A-Z][A-Za-z]{0,63}';
/** A dot alone or two would be a step in the path. */
const logicalId = '(?!\\.{1,2}(?:/|$))[A-Za-z0-9.-]{1,64}';
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);

const isTypeName = new RegExp(`^${typeName}$`);
const isId = new RegExp(`^${logicalId}$`);

export function isResourceType(text: string): boolean {
  return isTypeName.test(text);
}

export function isLogicalId(text: string): boolean {
  return isId.test(text);
}

/** True if one Binary is read, of now or an earlier version: its answer may be content in place of FHIR JSON. */
export function isBinaryRead({ interaction, type }: Pick<FhirRequest, 'interaction' | 'type'>): boolean {
  return type === 'Binary' && (interaction === 'read' || interaction === 'vread');
}

/**
 * Throws a {@link Refusal} for what is not understood. `target` is what follows the FHIR base: empty, or a path with
 * its query as it was sent.
 */
export function classify(method: string, target: string): FhirRequest {
  if (!methods.has(method))
    throw new Refusal(405, 'not-supported', 'This method is not supported.', { Allow: allowed });
  const query = target.indexOf('?');
  const path = query < 0 ? target : target.slice(0, query);
  if (!/^(\/[A-Za-z0-9._$-]*)*$/.test(path)) throw unknownAddress(path);
  const parameters = readParameters(query < 0 ? '' : target.slice(query + 1));
  const found = interactionOf(method === 'HEAD' ? 'GET' : method, path);
  assertParameters(found, parameters);
  const { type, inRecordOf } = found;
  const within = inRecordOf === undefined ? [] : [compartmentCondition(type, inRecordOf)];
  return { ...found, parameters: [...parameters, ...within] };
}

/** Classifies a request; undefined for one that is not understood. */
export function tryClassify(method: string, target: string): FhirRequest | undefined {
  try {
    return classify(method, target);
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

/** The target of the request to the server, below its base, without what the gateway settles itself. */
export function pathOf({ interaction, type, id, operation, versionId, parameters, page }: FhirRequest): string {
  if (page !== undefined) return page;
  const history = interaction.startsWith('history') ? '_history' : versionId && `_history/${versionId}`;
  const named = [type === '*' ? undefined : type, id, history, operation && `$${operation}`];
  const path = named.filter((part) => part !== undefined).join('/');
  const asked = operation === 'docref' ? forServersDocref(parameters) : parameters;
  const query = printParameters(withoutFormat(asked));
  return `/${path}${query && `?${query}`}`;
}

type Address = Omit<FhirRequest, 'parameters'>;

/** Throws a {@link Refusal} unless a request may have these parameters in its address. */
export function assertParameters(
  { interaction, type, id, operation }: Address,
  parameters: readonly Parameter[],
): void {
  if (interaction === 'operation' || operation === 'docref') assertOperationParameters(operation ?? '', parameters);
  else if (interaction === 'search') assertSearch(type, parameters);
  else if (interaction.startsWith('history')) assertHistory(parameters);
  else if (id === undefined && interaction !== 'create') assertCondition(parameters);
  else assertNoCondition(parameters, actionOf[interaction] === 'r');
}

const allowed = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';

interface Pattern {
  path: RegExp;
  meanings: { readonly [method: string]: Interaction };
  /** A name for requests that are refused. */
  refusedPattern?: string;
}

const parts: Readonly<Record<string, string>> = {
  type: typeName,
  id: logicalId,
  versionId: logicalId,
  inRecordOf: logicalId,
  operation: '[a-z][A-Za-z0-9-]{0,63}',
};

/** Matches whole paths; a name in angle brackets stands for its part of an address. */
function pattern(path: string, meanings: Pattern['meanings']): Pattern {
  const source = path.replace(/<(\w+)(?:=([^>]+))?>/g, (_, name, only) => `(?<${name}>${only ?? parts[name]})`);
  return { path: new RegExp(`^${source.replaceAll('/$', '/\\$')}$`), meanings };
}

function refused(path: string, what: string): Pattern {
  return { ...pattern(path, {}), refusedPattern: what };
}

/** The addresses of the FHIR API, with the meaning of each method. The first pattern that matches decides. */
const addresses: readonly Pattern[] = [
  // A language that asks for anything, rather than an operation that means something.
  refused('(?:/<type>(?:/<id>)?)?/$graphql', 'GraphQL requests'),
  pattern('/<type=Observation>/$<operation=lastn>', { GET: 'search', POST: 'search' }),
  pattern('/<type=DocumentReference>/$<operation=docref>', { GET: 'search', POST: 'search' }),
  pattern('/$<operation>', { GET: 'operation', POST: 'operation' }),
  pattern('/<type>/$<operation>', { GET: 'operation', POST: 'operation' }),
  pattern('/<type>/<id>/$<operation>', { GET: 'operation', POST: 'operation' }),
  refused('/?', 'Requests to the whole server'),
  refused('/_(?:history|search)(?:/(?!\\$)[^/]*)*', 'Requests to the whole server'),
  pattern('/<type>', { GET: 'search', POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' }),
  pattern('/<type>/_search', { POST: 'search' }),
  pattern('/<type>/_history', { GET: 'history-type' }),
  pattern('/<type>/<id>', { GET: 'read', PUT: 'update', PATCH: 'patch', DELETE: 'delete' }),
  pattern('/<type>/<id>/_history', { GET: 'history-instance' }),
  pattern('/<type>/<id>/_history/<versionId>', { GET: 'vread' }),
  pattern(`/Patient/<inRecordOf>/<type=${typesOfRecord.join('|')}>`, { GET: 'search' }),
  pattern(`/Patient/<inRecordOf>/<type=${typesOfRecord.join('|')}>/_search`, { POST: 'search' }),
  refused(`/<type>/<id>/${typeName}`, 'Searches in this compartment'),
];

function interactionOf(method: string, path: string): Address {
  for (const { path: pattern, meanings, refusedPattern: refused } of addresses) {
    const found = pattern.exec(path);
    if (!found) continue;
    if (refused !== undefined) throw unsupported(isBundle(method, path) ? 'Batches and transactions' : refused);
    const interaction = meanings[method];
    if (interaction === undefined) throw wrongMethod(method, Object.keys(meanings));
    return { interaction, type: '*', ...found.groups };
  }
  throw unknownAddress(path);
}

/** True for a batch or a transaction (FHIR R4 §3.1.0.11). */
export function isBundle(method: string, path: string): boolean {
  return method === 'POST' && (path === '' || path === '/');
}

function unsupported(what: string): Refusal {
  return new Refusal(403, 'not-supported', `${what} are not supported.`);
}

function unknownAddress(path: string): Refusal {
  const detail = {
    fault: addressFault(path),
    remedy: 'Have the app use the addresses of FHIR: the base, /, a type such as Patient, / and an id.',
  };
  const refusal = new Refusal(400, 'invalid', 'This is not an address of the FHIR API.');
  return refusal.because({ code: 'gateway-request-form', detail });
}

const isTypedTwice = new RegExp(`^/(${typeName})/\\1/`);

function addressFault(path: string): string {
  const [, version] = /^\/(dstu2|stu3|r[2-6]b?)(?=\/|$)/i.exec(path) ?? [];
  if (version !== undefined)
    return `its address has ${version} after the FHIR base, which has no version in its address`;
  if (/\{|%7b|\[|%5b|<|%3c/i.test(path)) return 'its address has a template that was not filled in';
  if (isTypedTwice.test(path)) return 'its address has two types one after the other: an id follows the first';
  if (path.includes('//')) return 'its address has two slashes one after the other';
  if (path.endsWith('/')) return 'its address has a slash at its end';
  if (/^\/[a-z]/.test(path)) return 'its address does not begin with a resource type, which has a capital letter';
  return 'its address is none of FHIR';
}

function wrongMethod(sent: string, methods: readonly string[]): Refusal {
  const allow = methods.map((method) => (method === 'GET' ? 'GET, HEAD' : method)).join(', ');
  const refusal = new Refusal(405, 'not-supported', 'This method is not supported here.', { Allow: allow });
  const fault = `its method is ${sent}, and this address takes ${methods.join(', ')}`;
  const remedy = `Have the app send this request by ${methods.join(' or ')}, or another one.`;
  return refusal.because({ code: 'gateway-request-form', detail: { fault, remedy } });
}
