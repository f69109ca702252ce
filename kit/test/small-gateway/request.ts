import type { IncomingHttpHeaders } from 'node:http';
import type { Json } from './records.js';
import type { Query } from './search.js';

/** A request as the small gateway understands it. */
export interface SmallRequest {
  method: string;
  /** The parts of the path below the base, decoded. */
  parts: string[];
  /** The path as it was sent. */
  raw: string;
  query: Query;
  headers: IncomingHttpHeaders;
  body: string;
  /** True for an entry of a batch or transaction. */
  isEntry: boolean;
  interaction: Interaction;
  type: string;
  id: string;
  /** True if a mutant has changed the address after it was checked. */
  isRewritten?: boolean;
}

export type Interaction =
  | 'metadata'
  | 'read'
  | 'vread'
  | 'history'
  | 'history of type'
  | 'history of system'
  | 'search'
  | 'search by post'
  | 'search of system'
  | 'search of compartment'
  | 'everything'
  | 'lastn'
  | 'graphql'
  | 'bundle'
  | 'create'
  | 'update'
  | 'patch'
  | 'delete'
  | 'conditional update'
  | 'conditional delete'
  | 'conditional patch'
  | 'export'
  | 'export status'
  | 'export file'
  | 'page'
  | 'unknown';

/** Understands a request; a path in an unusual spelling is not known. */
export function understood(
  method: string,
  target: string,
  headers: IncomingHttpHeaders,
  body: string,
  isEntry = false,
): SmallRequest {
  const [raw = '', search = ''] = splitOnce(target, '?');
  const parts = raw.split('/').filter((part, at, all) => part !== '' || (at > 0 && at < all.length - 1));
  const isPlain = parts.every((part) => /^[A-Za-z0-9.$_*-]+$/.test(part) && part !== '..' && part !== '.');
  const isForm = /x-www-form-urlencoded/i.test(String(headers['content-type'] ?? ''));
  const query: Query = [
    ...new URLSearchParams(search),
    ...(isForm && method === 'POST' ? new URLSearchParams(body) : []),
  ];
  const request = { method, parts, raw, query, headers, body, isEntry };
  const [type = '', id = ''] = parts;
  return { ...request, type, id, interaction: isPlain ? interactionOf(method, parts, query) : 'unknown' };
}

function interactionOf(method: string, parts: string[], query: Query): Interaction {
  const [first = '', second = '', third = '', fourth] = parts;
  const isType = /^[A-Z]/.test(first);
  const reads = method === 'GET' || method === 'HEAD';
  const has = (name: string) => query.some(([one]) => one === name);
  if (parts.length === 0) {
    if (method === 'POST') return 'bundle';
    return reads ? (has('_getpages') ? 'page' : 'search of system') : 'unknown';
  }
  if (first === 'metadata') return 'metadata';
  if (first === '$graphql') return 'graphql';
  if (first === '_history' && reads) return 'history of system';
  if (first === '$export-status' && reads) return 'export status';
  if (first === '$export-file' && reads) return 'export file';
  if (first === '$export' || second === '$export' || third === '$export') return 'export';
  if (!isType) return 'unknown';
  if (third === '$everything' && first === 'Patient') return 'everything';
  if (second === '$lastn' && first === 'Observation') return 'lastn';
  if (second === '_search' && method === 'POST' && parts.length === 2) return 'search by post';
  if (second === '_history' && reads) return 'history of type';
  if (third === '_history' && reads) return fourth === undefined ? 'history' : 'vread';
  if (parts.length === 3 && first === 'Patient' && /^[A-Z*]/.test(third) && reads) return 'search of compartment';
  if (parts.length > 2 || second.startsWith('$') || second.startsWith('_')) return 'unknown';
  if (reads) return second === '' ? 'search' : 'read';
  const isConditional = second === '';
  if (method === 'POST') return second === '' ? 'create' : 'unknown';
  if (method === 'PUT') return isConditional ? 'conditional update' : 'update';
  if (method === 'PATCH') return isConditional ? 'conditional patch' : 'patch';
  if (method === 'DELETE') return isConditional ? 'conditional delete' : 'delete';
  return 'unknown';
}

/** @returns the parts before and after the first separator */
export function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + separator.length)];
}

export const queryValue = ({ query }: SmallRequest, name: string) => query.find(([one]) => one === name)?.[1];

export const jsonIn = (text: string): Json | undefined => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
