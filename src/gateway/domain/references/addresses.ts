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
/** A search, or an operation, for a type; anything else (`metadata`) is not about a resource. */
const ofType = /^[A-Z][A-Za-z]{0,63}(?=[/?])/;
const afterSentence = new Set('.,;:!?)]}');
/** Read in the same way whatever the base is, but for its scheme. */
const withHost = /^(?:https?:)?[\\/]{2}/i;

/** All addresses of the server that a text contains, without relative ones. `read` reads each text that may be one. */
export function addressesIn(text: string, bases: readonly string[], read = addressIn): ServerAddress[] {
  if (!text.includes('//') && !text.includes('\\\\')) return [];
  const found: ServerAddress[] = [];
  for (const [one] of text.matchAll(candidate)) {
    const address = read(withoutEnd(one, afterSentence), bases);
    if (address) found.push(address);
  }
  return found;
}

/**
 * Reads a text that is one address, relative to a base or absolute; undefined if it is none of the server or names none
 * of its resources.
 */
export function addressIn(text: string, bases: readonly string[]): ServerAddress | undefined {
  const read = reading(text.trim());
  for (const base of bases) {
    const target = targetBelow(read, base);
    if (target === undefined) continue;
    const place = placeFrom(below.exec(target) ?? []);
    if (place) return { place };
    if (ofType.test(target)) return { place: undefined };
  }
  return undefined;
}

/** The text without these characters at its end. A regular expression would look for the end from each of them. */
export function withoutEnd(text: string, characters: ReadonlySet<string>): string {
  let end = text.length;
  while (end > 0 && characters.has(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

export function isUrn(text: string): boolean {
  return /^urn:/i.test(text);
}

/** Reads the text relative to bases. It is read once for all where it has a host of its own: there may be very many. */
function reading(text: string): (base: URL) => URL | undefined {
  const known = new Map<string, URL | undefined>();
  const hasHost = withHost.test(text);
  return (base) => {
    const key = hasHost ? base.protocol : base.href;
    if (!known.has(key)) known.set(key, URL.canParse(text, base.href) ? new URL(text, base) : undefined);
    return known.get(key);
  };
}

/** The path after the base, decoded, with its query; undefined for an address elsewhere. */
function targetBelow(read: (base: URL) => URL | undefined, base: string): string | undefined {
  const own = new URL(`${base}/`);
  const address = read(own);
  if (address?.host !== own.host || !/^https?:$/.test(address.protocol)) return undefined;
  const path = plainPath(address.pathname);
  const root = plainPath(own.pathname);
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
