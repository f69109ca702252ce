import { Refusal } from './refusal.js';

/** One request of a batch or transaction (FHIR R4 §3.1.0.11). */
export interface BundleEntry {
  method: string;
  /** An address relative to the FHIR base: a slash, then type, id and query. */
  target: string;
  /** Headers that mean the same on a request of its own. */
  headers: Readonly<Record<string, string>>;
  resource?: unknown;
}

/** A posted Bundle (FHIR R4 §3.1.0.11). */
export interface BundleRequest {
  type: 'batch' | 'transaction';
  /** To be read one by one with {@link readEntry}. */
  entries: readonly unknown[];
}

/** The record of one patient is often loaded as one transaction; the requests of a batch are carried out one by one. */
const mostEntries = { batch: 100, transaction: 1_000 };
/** Each entry of a limited token costs requests to the FHIR server before the transaction is sent. */
const mostLimited = 100;
const methods = new Set(['GET', 'POST', 'PUT', 'DELETE']);
const conditions: Readonly<Record<string, string>> = {
  ifMatch: 'if-match',
  ifNoneMatch: 'if-none-match',
  ifModifiedSince: 'if-modified-since',
  ifNoneExist: 'if-none-exist',
};
/** A name for other entries to refer to; an address would be a second one next to that of the request. */
const localName = /^urn:(?:uuid|oid):[^\s"<>\\]{1,200}$/;

type Json = Record<string, unknown>;

/** Reads a Bundle of requests. Throws a {@link Refusal} of the whole Bundle; its entries are not looked at. */
export function readBundle(bundle: unknown): BundleRequest {
  if (!isObject(bundle) || bundle.resourceType !== 'Bundle') throw invalid('The body must be a Bundle.');
  const { type, entry = [] } = bundle;
  if (type !== 'batch' && type !== 'transaction') throw invalid('The Bundle must be a batch or a transaction.');
  if (!Array.isArray(entry)) throw invalid('The entries of the Bundle must be a list.');
  if (entry.length > mostEntries[type]) throw tooMany(`A ${type} may have ${mostEntries[type]} entries at most.`);
  return { type, entries: entry };
}

/** Throws a {@link Refusal} of a transaction that a limited token may not send for its number of entries. */
export function assertMayBeLimited(entries: readonly unknown[]): void {
  if (entries.length <= mostLimited) return;
  throw tooMany(`With this token a transaction may have ${mostLimited} entries at most.`);
}

/** Reads one entry. Throws a {@link Refusal} for what is not understood. */
export function readEntry(entry: unknown): BundleEntry {
  if (!isObject(entry) || !isObject(entry.request)) throw invalid('Each entry must have a request.');
  const { fullUrl, resource, request, id: _id, ...unknown } = entry;
  const { method, url, id: _requestId, ...more } = request as Json;
  const [strange] = [...Object.keys(unknown), ...Object.keys(more).filter((name) => !Object.hasOwn(conditions, name))];
  if (strange !== undefined) throw invalid(`The member '${strange.slice(0, 80)}' is not supported in an entry.`);
  if (typeof method !== 'string' || !methods.has(method)) throw invalid('This method is not supported in a Bundle.');
  if (typeof url !== 'string' || !/^[A-Z]/.test(url)) {
    throw invalid('The address in an entry must begin with a resource type.');
  }
  if (fullUrl !== undefined && !(typeof fullUrl === 'string' && localName.test(fullUrl))) {
    throw invalid('The fullUrl of an entry must be a urn:uuid, the address of its resource, or be left out.');
  }
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(more)) {
    if (typeof value !== 'string' || /[^\x20-\x7e]/.test(value))
      throw invalid(`The ${name} of an entry is not usable.`);
    headers[conditions[name] ?? ''] = value;
  }
  if (resource !== undefined) headers['content-type'] = 'application/fhir+json';
  return { method, target: `/${url}`, headers, resource };
}

function tooMany(sentence: string): Refusal {
  return new Refusal(413, 'too-long', sentence);
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function invalid(message: string): Refusal {
  return new Refusal(400, 'invalid', message);
}
