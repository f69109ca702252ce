/** Finds addresses of the FHIR server in text. Every spelling that some reader may take for one counts. */

/** A resource of the server. */
export interface Place {
  type: string;
  id: string;
  /** Of an address of a Binary: each version has a right of its own (decision 0096). Of others any version is meant. */
  version?: string | undefined;
}

/** The path of a place below the base of the server. */
export function pathOfPlace({ type, id, version }: Place): string {
  return version === undefined ? `${type}/${id}` : `${type}/${id}/_history/${version}`;
}

/** Reads the groups of a pattern: type, id, version. */
export function placeFrom([, type, id, version]: readonly (string | undefined)[]): Place | undefined {
  if (type === undefined || id === undefined) return undefined;
  return type === 'Binary' ? { type, id, version } : { type, id };
}

/** An address below a base of the server; without a place where it is one of no single resource, such as a search. */
export interface ServerAddress {
  place: Place | undefined;
}

/** The length is bounded for text that has slashes by chance, such as base64. */
const candidate = /(?:https?:)?[\\/]{2}[^\s"'<>]{1,2000}/gi;
const below = /^([A-Z][A-Za-z]{0,63})\/([A-Za-z0-9.-]{1,64})(?:\/_history\/([A-Za-z0-9.-]{1,64}))?(?![A-Za-z0-9._~%-])/;
/** A search, or an operation, for a type; what is no type (`metadata`) is about no resource. */
const ofType = /^[A-Z][A-Za-z]{0,63}(?=[/?])/;
const afterSentence = /[.,;:!?)\]}]+$/;

/** All addresses of the server that a text contains, without relative ones. */
export function addressesIn(text: string, bases: readonly string[]): ServerAddress[] {
  if (!text.includes('//') && !text.includes('\\\\')) return [];
  return [...text.matchAll(candidate)].flatMap(([found]) => addressIn(found.replace(afterSentence, ''), bases) ?? []);
}

/** Reads a text that is one address, relative to a base or absolute; undefined if it is none of the server or names none of its resources. */
export function addressIn(text: string, bases: readonly string[]): ServerAddress | undefined {
  for (const base of bases) {
    const target = targetBelow(text.trim(), base);
    if (target === undefined) continue;
    const place = placeFrom(below.exec(target) ?? []);
    if (place) return { place };
    if (ofType.test(target)) return { place: undefined };
  }
  return undefined;
}

export function isUrn(text: string): boolean {
  return /^urn:/i.test(text);
}

/** The path after the base, decoded, with its query; undefined for an address elsewhere. */
function targetBelow(text: string, base: string): string | undefined {
  if (!URL.canParse(text, `${base}/`)) return undefined;
  const [address, { host, pathname }] = [new URL(text, `${base}/`), new URL(`${base}/`)];
  if (address.host !== host || !/^https?:$/.test(address.protocol)) return undefined;
  const path = plainPath(address.pathname);
  const root = plainPath(pathname);
  return path.toLowerCase().startsWith(root.toLowerCase()) ? path.slice(root.length) + address.search : undefined;
}

/** Decoded as often as it is encoded, and with single slashes. */
export function plainPath(path: string): string {
  let text = path;
  for (let round = 0; round < 3; round += 1) {
    try {
      text = decodeURIComponent(text);
    } catch {
      break;
    }
  }
  return text.replace(/[\\/]+/g, '/');
}
