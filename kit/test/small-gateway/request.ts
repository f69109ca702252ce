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
  /** The parameters of the address alone; `query` has those of a form as well. */
  inAddress: Query;
  /** True for an entry of a batch or transaction. */
  isEntry: boolean;
  /** Of an entry: how many bundles it is in, its place, and what was sent. */
  depth: number;
  at: number;
  bundle?: string;
  isAbsolute?: boolean;
  sentMethod?: string;
  hasBundleParameters: boolean;
  interaction: Interaction;
  type: string;
  id: string;
  /** True if a mutant has changed the address after it was checked. */
  isRewritten?: boolean;
}

/** Where an entry of a bundle stands. */
export type EntryOf = Pick<
  SmallRequest,
  'depth' | 'at' | 'bundle' | 'isAbsolute' | 'sentMethod' | 'hasBundleParameters'
>;

export type Interaction =
  | 'metadata'
  | 'options'
  | 'operation'
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
  | 'export end'
  | 'page'
  | 'unknown';

/** Understands a request; a path in an unusual spelling is not known. */
export function understood(
  method: string,
  target: string,
  headers: IncomingHttpHeaders,
  body: string,
  entry: EntryOf = { depth: 0, at: 0, hasBundleParameters: false },
): SmallRequest {
  const [raw = '', search = ''] = splitOnce(target, '?');
  const parts = raw.split('/').filter((part, at, all) => part !== '' || (at > 0 && at < all.length - 1));
  const isPlain = parts.every((part) => /^[A-Za-z0-9.$_*-]+$/.test(part) && part !== '..' && part !== '.');
  const inAddress: Query = [...new URLSearchParams(search)];
  const query = [...inAddress, ...(method === 'POST' ? formIn(body, String(headers['content-type'] ?? '')) : [])];
  const request = { method, parts, raw, query, inAddress, headers, body, isEntry: entry.depth > 0, ...entry };
  const [type = '', id = ''] = parts;
  return { ...request, type, id, interaction: isPlain ? interactionOf(method, parts, query) : 'unknown' };
}

/** The fields of a form, in either encoding. */
function formIn(body: string, contentType: string): Query {
  if (/x-www-form-urlencoded/i.test(contentType)) return [...new URLSearchParams(body)];
  if (!/multipart\/form-data/i.test(contentType)) return [];
  return [...body.matchAll(/name="([^"]+)"\r?\n\r?\n(.*?)\r?\n--/gs)].map(([, name = '', value = '']) => [name, value]);
}

const COMPARTMENTS = ['Patient', 'Encounter', 'Practitioner', 'Device'];

function interactionOf(method: string, parts: string[], query: Query): Interaction {
  const [first = '', second = '', third = '', fourth] = parts;
  const isType = /^[A-Z]/.test(first);
  const reads = method === 'GET' || method === 'HEAD';
  const has = (name: string) => query.some(([one]) => one === name);
  if (method === 'OPTIONS') return 'options';
  if (parts.length === 0) {
    if (method === 'POST') return 'bundle';
    return reads ? (has('_getpages') ? 'page' : 'search of system') : 'unknown';
  }
  if (first === 'metadata') return 'metadata';
  if (first === '$graphql' || (isType && third === '$graphql')) return 'graphql';
  if (first === '_history' && reads) return 'history of system';
  if (first === '$export-status' && reads) return 'export status';
  if (first === '$export-status' && method === 'DELETE') return 'export end';
  if (first === '$export-file' && reads) return 'export file';
  if (first === '$export' || second === '$export' || third === '$export') return 'export';
  if (/^\$[a-z-]+$/.test(first) && parts.length === 1) return 'operation';
  if (first === '_search' && method === 'POST' && parts.length === 1) return 'search of system';
  if (!isType) return 'unknown';
  if (third === '$everything' && (first === 'Patient' || first === 'Encounter')) return 'everything';
  if (second === '$everything' && first === 'Patient') return 'everything';
  if (second === '$lastn' && first === 'Observation') return 'lastn';
  if (second === '_search' && method === 'POST' && parts.length === 2) return 'search by post';
  if (second === '_history' && reads) return 'history of type';
  if (third === '_history' && reads) return fourth === undefined ? 'history' : 'vread';
  if (COMPARTMENTS.includes(first) && /^[A-Z*]/.test(third)) {
    if (parts.length === 3 && reads) return 'search of compartment';
    if (parts.length === 4 && fourth === '_search' && method === 'POST') return 'search of compartment';
  }
  const last = parts.at(-1) ?? '';
  if (/^\$[a-z-]+$/.test(last) && parts.length <= 3) return 'operation';
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
function splitOnce(text: string, separator: string): [string, string] {
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
