/**
 * Classifies a request as a FHIR interaction, from its method and address alone (FHIR R4 §3.1). Scopes are decided on
 * the result, so there is one spelling for everything: an ambiguous address (escapes, dot segments, empty segments,
 * other letter case) is refused, and so is everything that is not named.
 */

import { refusedInOperation } from './operation-parameters.js';
import type { Parameter } from './parameter.js';
import { compartmentCondition, isInPatientCompartment } from './patient-compartment.js';
import { Refusal } from './refusal.js';
import type { RelatedType } from './related-types.js';
import {
  readParameters,
  refusedCondition,
  refusedInHistory,
  refusedInSearch,
  refusedOutsideSearch,
} from './search-parameters.js';

export type Interaction =
  | 'read'
  | 'vread'
  | 'history-instance'
  | 'history-type'
  | 'search'
  | 'create'
  | 'update'
  | 'patch'
  | 'delete'
  | 'operation';

export interface FhirRequest {
  interaction: Interaction;
  /** `*` for an operation on the whole server. */
  type: string;
  /** Absent for a search, a history of the type, a create, a change of what a condition finds, and some operations. */
  id?: string;
  /** Name of the operation, without its dollar sign; also of the one that is but another search. */
  operation?: string;
  /** For an export: the kind of the page. */
  exported?: 'job' | 'file';
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

const typeName = /^[A-Z][A-Za-z]{0,63}$/;
/** A dot alone or two would be a step in the path. */
const logicalId = /^(?!\.{1,2}$)[A-Za-z0-9.-]{1,64}$/;
const operationName = /^\$([a-z][A-Za-z0-9-]{0,63})$/;
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);

export function isResourceType(text: string): boolean {
  return typeName.test(text);
}

export function isLogicalId(text: string): boolean {
  return logicalId.test(text);
}

/** `target` is what follows the FHIR base: empty, or a path with its query as it was sent. */
export function classify(method: string, target: string): FhirRequest | Refusal {
  if (!methods.has(method))
    return new Refusal(405, 'not-supported', 'This method is not supported.', { Allow: allowed });
  const query = target.indexOf('?');
  const path = query < 0 ? target : target.slice(0, query);
  if (!/^(\/[A-Za-z0-9._$-]*)*$/.test(path)) return unknownAddress();
  const parameters = readParameters(query < 0 ? '' : target.slice(query + 1));
  if (parameters instanceof Refusal) return parameters;
  const segments = path.split('/').slice(1);
  const found = interactionOf(method === 'HEAD' ? 'GET' : method, segments);
  if (found instanceof Refusal) return found;
  const { type, inRecordOf } = found;
  const within = inRecordOf === undefined ? [] : [compartmentCondition(type, inRecordOf)];
  return refusedParameters(found, parameters) ?? { ...found, parameters: [...parameters, ...within] };
}

type Address = Omit<FhirRequest, 'parameters'>;

function refusedParameters(
  { interaction, type, id, operation }: Address,
  parameters: Parameter[],
): Refusal | undefined {
  switch (interaction) {
    case 'operation':
      return refusedInOperation(operation ?? '', parameters);
    case 'search':
      return refusedInSearch(type, parameters);
    case 'history-instance':
    case 'history-type':
      return refusedInHistory(parameters);
    case 'update':
    case 'patch':
    case 'delete':
      return id === undefined ? refusedCondition(parameters) : refusedOutsideSearch(parameters, false);
    default:
      return refusedOutsideSearch(parameters, actionOf[interaction] === 'r');
  }
}

const allowed = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';
const ofInstance: Readonly<Record<string, Interaction>> = {
  GET: 'read',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

function interactionOf(method: string, segments: string[]): Address | Refusal {
  const [type = '', id = '', third, versionId = ''] = segments;
  if (segments.some((segment) => segment.startsWith('$'))) return operationAt(method, segments);
  if (type === '') return segments.length > 1 ? unknownAddress() : atTheBase(method);
  if (type === '_history' || type === '_search') return unsupported('Requests to the whole server');
  if (!isResourceType(type)) return unknownAddress();
  if (segments.length === 1) return atType(method, type);
  if (id === '_search' && segments.length === 2) {
    return method === 'POST' ? { interaction: 'search', type } : wrongMethod('POST');
  }
  if (id === '_history') {
    if (segments.length > 2) return unknownAddress();
    return method === 'GET' ? { interaction: 'history-type', type } : wrongMethod('GET, HEAD');
  }
  if (!isLogicalId(id)) return unknownAddress();
  if (third === undefined) {
    const interaction = ofInstance[method];
    return interaction ? { interaction, type, id } : wrongMethod('GET, HEAD, PUT, PATCH, DELETE');
  }
  if (third === '_history') {
    if (segments.length > 4 || (segments.length === 4 && !isLogicalId(versionId))) return unknownAddress();
    if (method !== 'GET') return wrongMethod('GET, HEAD');
    return segments.length === 3
      ? { interaction: 'history-instance', type, id }
      : { interaction: 'vread', type, id, versionId };
  }
  if (!isResourceType(third) || segments.length > 3) return unknownAddress();
  if (type !== 'Patient' || third === 'Patient' || !isInPatientCompartment(third)) {
    return unsupported('Searches in this compartment');
  }
  return method === 'GET' ? { interaction: 'search', type: third, inRecordOf: id } : wrongMethod('GET, HEAD');
}

function operationAt(method: string, segments: string[]): Address | Refusal {
  const operation = operationName.exec(segments.at(-1) ?? '')?.[1];
  const [type, id, more] = segments.slice(0, -1);
  if (operation === undefined || more !== undefined) return unknownAddress();
  if ((type !== undefined && !isResourceType(type)) || (id !== undefined && !isLogicalId(id))) return unknownAddress();
  // A language that asks for anything, rather than an operation that means something.
  if (operation === 'graphql') return unsupported('GraphQL requests');
  if (method !== 'GET' && method !== 'POST') return wrongMethod('GET, HEAD, POST');
  if (type === 'Observation' && id === undefined && operation === 'lastn') {
    return method === 'GET' ? { interaction: 'search', type, operation } : wrongMethod('GET, HEAD');
  }
  return { interaction: 'operation', type: type ?? '*', operation, ...(id === undefined ? {} : { id }) };
}

function atTheBase(method: string): Refusal {
  if (method === 'POST') return unsupported('Batches and transactions');
  return unsupported('Requests to the whole server');
}

function atType(method: string, type: string): Address | Refusal {
  if (method === 'GET') return { interaction: 'search', type };
  if (method === 'POST') return { interaction: 'create', type };
  const interaction = ofInstance[method];
  return interaction ? { interaction, type } : unknownAddress();
}

function unsupported(what: string): Refusal {
  return new Refusal(403, 'not-supported', `${what} are not supported.`);
}

function unknownAddress(): Refusal {
  return new Refusal(400, 'invalid', 'This is not an address of the FHIR API.');
}

function wrongMethod(allow: string): Refusal {
  return new Refusal(405, 'not-supported', 'This method is not supported here.', { Allow: allow });
}
