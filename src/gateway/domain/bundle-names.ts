import { Refusal } from './refusal.js';

type Json = Record<string, unknown>;

const absolute = /^https?:\/\/[^\s"<>\\]{1,500}?\/([A-Z][A-Za-z]{0,63}\/[A-Za-z0-9.-]{1,64})$/;
/** Members of an entry that say how it was found: a Bundle of requests that was made of one with answers has them. */
const ofAnswers = ['search', 'link'];

/**
 * The entries of a Bundle of requests by the names that the gateway decides on: `urn:…` for what gets an id from the
 * server, none for what its address names. A `fullUrl` may also be the address of the resource, here or elsewhere (FHIR
 * R4 Bundle.entry.fullUrl), and means the same in references. `newName` makes a name that is unique. An address that
 * does not fit the request stays, for `readEntry` to refuse. The entries are changed in place.
 */
export function nameEntries(entries: readonly unknown[], newName: () => string): void {
  const all = entries.filter(isObject);
  for (const entry of all) for (const name of ofAnswers) delete entry[name];
  const references = new Map<string, string>();
  for (const entry of all) {
    const { fullUrl, request } = entry;
    const address = typeof fullUrl === 'string' ? absolute.exec(fullUrl)?.[1] : undefined;
    if (typeof fullUrl !== 'string' || address === undefined || !isObject(request)) continue;
    if (isNamedByAddress(request)) {
      if (request.url !== address) continue;
      delete entry.fullUrl;
      references.set(fullUrl, address);
    } else if (typeOf(request) === address.split('/', 1)[0]) {
      const name = newName();
      entry.fullUrl = name;
      references.set(fullUrl, name).set(address, name);
    }
  }
  if (references.size > 0) for (const { resource } of all) rename(resource, references);
}

/** True if the Bundle has something for {@link nameEntries} to do. */
export function needsNames(entries: readonly unknown[]): boolean {
  return entries.some(
    (entry) =>
      isObject(entry) &&
      (ofAnswers.some((name) => name in entry) || (typeof entry.fullUrl === 'string' && absolute.test(entry.fullUrl))),
  );
}

/** Throws a {@link Refusal} if two entries have one name: a reference could mean either. */
export function assertUniqueNames(entries: readonly unknown[]): void {
  const names = entries.flatMap((entry) =>
    isObject(entry) && typeof entry.fullUrl === 'string' ? [entry.fullUrl] : [],
  );
  if (new Set(names).size < names.length) throw new Refusal(400, 'invalid', 'Two entries have the same fullUrl.');
}

/** A create, and a change by a condition, have no address of their own. */
function isNamedByAddress({ method, url }: Json): boolean {
  return method !== 'POST' && typeof url === 'string' && !url.includes('?');
}

function typeOf({ url }: Json): string | undefined {
  return typeof url === 'string' ? /^[A-Za-z]+/.exec(url)?.[0] : undefined;
}

function rename(value: unknown, references: ReadonlyMap<string, string>): void {
  if (typeof value !== 'object' || value === null) return;
  const object = value as Json;
  for (const [name, child] of Object.entries(object)) {
    // An address relative to the base is one only in a reference; elsewhere it may be any text.
    const isAddress = typeof child === 'string' && (name === 'reference' || absolute.test(child));
    const renamed = isAddress ? references.get(child) : undefined;
    if (renamed !== undefined) object[name] = renamed;
    else rename(child, references);
  }
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
