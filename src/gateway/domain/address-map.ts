import { Transform } from 'node:stream';
import { withoutEnd } from './references/addresses.js';

/** A host with its port, at which bases are. */
interface Authority {
  /** As URLs have it in lower case; the port is left out if it is the default one. */
  host: string;
  port: string;
  /** The paths of the bases, the longest first. */
  paths: readonly string[];
}

interface Place extends Pick<Authority, 'port'> {
  /** True if addresses there that are below no base are hidden. */
  isHidden: boolean;
  bases: readonly RegExp[];
}

/** Part of a text that is replaced. */
interface Found {
  from: number;
  to: number;
  by: string;
}

const percent = '%(?:25){0,4}';
const colon = `(?::|${percent}3[Aa]|&#(?:58|[Xx]3[Aa]);)`;
const slash = `(?:\\\\{0,7}/|${percent}2[Ff]|&#(?:47|[Xx]2[Ff]);|&sol;)`;
/** An encoded character of a segment of a path, as opposed to one that ends it, such as `%2F`. */
const encodedInSegment = '%(?:25)*(?:2[DdEe]|3\\d|[46][1-9A-Fa-f]|[57][\\dAa]|5[Ff]|7[Ee]|[89A-Fa-f][\\dA-Fa-f])';
/** A base ends here: `/r4` is not a prefix of `/r4b`, but a full stop that ends a sentence is not part of a segment. */
const end = `(?![A-Za-z0-9_~-]|\\.+(?:[A-Za-z0-9_~-]|${encodedInSegment})|${encodedInSegment})`;
const endOfAuthority = new RegExp(`${end}(?!${colon}\\d)`, 'y');
const defaultPort = new RegExp(`${colon}(?:443|80)(?!\\d)`, 'y');
/** The part of an address before its host. A user's name there is none of a FHIR base, and left out. */
const beforeHost = new RegExp(
  `(?<scheme>${patternInAnyCase('http')}(?:${patternInAnyCase('s')})?${colon})?(?<slashes>${slash}${slash})(?:[A-Za-z0-9._~!$'()*+,;:%-]{1,128}(?:@|${percent}40))?$`,
  'i',
);
/** The same part in its usual spelling, and the last character of any: a text may have very many hosts. */
const usualBeforeHost = /(?<scheme>https?:)(?<slashes>\/\/)$/i;
const endOfPrefix = /[/f;@0]/i;
const endsInColon = new RegExp(`${colon}$`);
/** Not within a word, another host or an address of mail. */
const beforeBareHost = /(?:^|[^A-Za-z0-9._@%-]|%(?:25)*[\dA-Fa-f]{2})$/;
/** The rest of an address, also as JSON has it. */
const rest = /(?:[A-Za-z0-9._~:/?#@!$&*+,;=%-]|\\+\/|\\+u00(?:2[56BbFf]|3[AaDd]))*/y;
/** The rest of an address that is percent-encoded as a part of another one. */
const encodedRest = /(?:[A-Za-z0-9._~-]|%(?:25)*(?![01]|2[0267-9Cc]|3[CcEe]|5[B-Db-d]|7[B-Db-d])[\dA-Fa-f]{2})*/y;
const afterSentence = new Set('.,;:!?');
/** A character that needs no encoding: where a text has one, a host may be encoded as well. */
const overEncoded = /%(?:25)*(?:2[DdEe]|3\d|[46][1-9A-Fa-f]|[57][\dAa]|5[Ff]|7[Ee])/y;
/** A character of addresses as a JSON escape. */
const jsonEscape = /(?<!\\)((?:\\\\)*)\\u00(2[5DdEeFf]|3[\dAa]|4[\dA-Fa-f]|5[\dAaFf]|6[1-9A-Fa-f]|7[\dAaEe])/g;
/** An expression, because a search for the plain word takes 20 times as long in some texts. */
const location = /"location"\s*:\s*"/;
/**
 * The `response.location` of an entry, by a URL or its path: whatever the server calls itself there, the resource is
 * its own.
 */
const locationOfEntry =
  /("location"\s*:\s*")(?:https?:)?\\?\/[^"\s]*?(?<=\/)([A-Z][A-Za-z]{0,63}\\?\/[A-Za-z0-9.-]{1,64}(?:\\?\/_history\\?\/[A-Za-z0-9.-]{1,64})?(?="|$))/g;
/** A `fullUrl` that is only a path, which FHIR does not allow and apps could not resolve. */
const rootedFullUrl =
  /("fullUrl"\s*:\s*")\\?\/(?!\\?\/)[^"\s]*?(?<=\/)([A-Z][A-Za-z]{0,63}\\?\/[A-Za-z0-9.-]{1,64})(?="|$)/g;
const rooted = /"fullUrl"\s*:\s*"\\?\//y;
/** A quotation mark with which something may begin. */
const beginOfText = /"(?:(?:location|fullUrl)"\s*(?::\s*"?)?)?$/;

/** No part of an address before its path is longer. */
const longestOrigin = 512;
/** Bytes without a quotation mark that are held back in a stream. */
const longestHeld = 64 * 1024;

/**
 * Puts one FHIR base in place of others, wherever an address stands in a text: with escaped slashes, percent-encoded as
 * a part of another address, with a host in another spelling. It works on the text, so that nothing else of a resource
 * changes; parsing would lose the precision of decimals. All that it looks for is ASCII: the text may also be bytes, as
 * Latin-1.
 */
export class AddressMap {
  /** Find the usual spelling, and so nearly all addresses. */
  private readonly usual: readonly RegExp[];
  private readonly replacement: string;
  private readonly places: readonly Place[];
  /** Finds hosts; each place has a group of its own. */
  private readonly hosts: RegExp;
  private readonly encodedHosts: RegExp;
  /** The part that a text has, in lower case, if a host stands in it unencoded. */
  private readonly clues: readonly { host: string; port: string }[];

  constructor(
    /** Base URLs without a slash at their end. */
    from: readonly string[],
    private readonly to: string,
    /**
     * True if other addresses of these hosts become `…`, and the `response.location` of an entry becomes one of ours.
     */
    private readonly hides = false,
  ) {
    this.replacement = to.replaceAll('$', '$$$$');
    const bases = from.map((base) => base.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('/', '\\\\?/'));
    // An expression of one base is found in a tenth of the time, but must not find what another one has put there.
    const areApart = !from.some(
      (base) => to.startsWith(base) || from.some((other) => other !== base && other.startsWith(base)),
    );
    const found = areApart ? bases : [`(?:${bases.join('|')})`];
    this.usual = found.map((base) => new RegExp(base + end, 'g'));
    const authorities = authoritiesOf(from);
    const [own] = authoritiesOf([to]);
    this.places = authorities.map(({ host, port, paths }) => ({
      port,
      isHidden: hides && !(host === own?.host && port === own.port),
      bases: paths.map((path) => new RegExp(patternOf(path, true) + end, 'y')),
    }));
    const hosts = (encoded: boolean) =>
      new RegExp(authorities.map((one) => `(${hostPattern(one, encoded)})`).join('|'), 'gi');
    this.hosts = hosts(false);
    this.encodedHosts = hosts(true);
    // An IPv6 address has signs that need an encoding.
    this.clues = authorities.map(({ host, port }) => ({ host: longestOf(host.split(/[^A-Za-z0-9._~-]+/)), port }));
  }

  /**
   * Maps the addresses in JSON. The entries of a Bundle of type `searchset` have no `response`, so that none is looked
   * for in it.
   */
  inJson(text: string, isSearchset = false): string {
    let mapped = this.withUsual(text);
    if (this.hides && !isSearchset && location.test(mapped)) {
      mapped = mapped.replace(locationOfEntry, `$1${this.replacement}/$2`);
    }
    if (this.hides && hasRooted(mapped)) mapped = mapped.replace(rootedFullUrl, `$1${this.replacement}/$2`);
    if (mapped.includes('\\u00')) {
      const plain = mapped.replace(
        jsonEscape,
        (_, before, code) => before + String.fromCharCode(Number.parseInt(code, 16)),
      );
      if (this.hostsIn(plain)?.exec(plain)) mapped = plain;
    }
    return this.withOthers(mapped, '\\u2026');
  }

  /** Maps the addresses in a text that is not JSON, such as a search value. */
  inText(text: string): string {
    return this.withOthers(this.withUsual(text), '…');
  }

  private withUsual(text: string): string {
    return this.usual.reduce((mapped, base) => mapped.replace(base, this.replacement), text);
  }

  /** Maps the addresses in JSON of any length, in constant memory. */
  jsonStream(): Transform {
    let held = '';
    return new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        held += chunk.toString('latin1');
        const cut = this.cutOf(held);
        const ready = this.inJson(held.slice(0, cut));
        held = held.slice(cut);
        done(null, Buffer.from(ready, 'latin1'));
      },
      flush: (done) => done(null, Buffer.from(this.inJson(held), 'latin1')),
    });
  }

  /** Returns a place in the text at which no address stands: no address has a quotation mark. */
  private cutOf(text: string): number {
    const afterQuote = text.lastIndexOf('"') + 1;
    const begun = beginOfText.exec(text.slice(Math.max(0, afterQuote - longestOrigin), afterQuote));
    const cut = afterQuote - (begun?.[0].length ?? 0);
    if (text.length - cut < longestHeld) return cut;
    const within = text.length - 2 * longestOrigin;
    const around = text.slice(within - longestOrigin);
    const isClear = !this.hostsIn(around)?.exec(around);
    return isClear || text.length - cut > 2 * longestHeld ? within : cut;
  }

  /** The expression that finds the hosts in the text; undefined if there are none, as after most texts were mapped. */
  private hostsIn(text: string): RegExp | undefined {
    const hasEncoded = isOverEncoded(text);
    if (!hasEncoded && !this.hasClue(text)) return undefined;
    const hosts = hasEncoded ? this.encodedHosts : this.hosts;
    hosts.lastIndex = 0;
    return hosts;
  }

  /** A search for plain words takes a tenth of the time of the expression. */
  private hasClue(text: string): boolean {
    const possible = this.clues.filter(({ port }) => text.includes(port));
    if (possible.length === 0) return false;
    const lower = text.toLowerCase();
    return possible.some(({ host }) => lower.includes(host));
  }

  /** Maps what has another spelling, and hides what cannot be mapped. */
  private withOthers(text: string, hidden: string): string {
    const hosts = this.hostsIn(text);
    if (!hosts) return text;
    let mapped = '';
    let done = 0;
    for (let match = hosts.exec(text); match; match = hosts.exec(text)) {
      const place = this.places[match.slice(1).findIndex((group) => group !== undefined)];
      const found = place && this.foundAt(text, match, place, done, hidden);
      if (!found) continue;
      mapped += text.slice(done, found.from) + found.by;
      done = found.to;
      hosts.lastIndex = Math.max(hosts.lastIndex, done);
    }
    return done === 0 ? text : mapped + text.slice(done);
  }

  private foundAt(text: string, match: RegExpExecArray, place: Place, done: number, hidden: string): Found | undefined {
    const before = text.slice(Math.max(done, match.index - longestOrigin), match.index);
    const own = match.index + match[0].length;
    const afterHost = (place.port === '' ? endOf(defaultPort, text, own) : undefined) ?? own;
    if (endOf(endOfAuthority, text, afterHost) === undefined) return undefined;
    const usual = usualBeforeHost.exec(before.slice(-8));
    const prefix = usual ?? (endOfPrefix.test(before.slice(-1)) ? beforeHost.exec(before) : null);
    const from = match.index - (prefix?.[0].length ?? 0);
    const separators = prefix ? (prefix.groups?.scheme ?? '') + prefix.groups?.slashes : '';
    const isForeign =
      prefix !== null && prefix.groups?.scheme === undefined && endsInColon.test(before.slice(0, prefix.index));
    if (prefix && !isForeign) {
      const to = place.bases.map((base) => endOf(base, text, afterHost)).find((one) => one !== undefined);
      const base = prefix.groups?.scheme === undefined ? this.to.replace(/^https?:/, '') : this.to;
      if (to !== undefined) return { from, to, by: encodedLike(separators + text.slice(afterHost, to), base) };
    }
    if (!place.isHidden) return undefined;
    // A host alone is not an address, and may be a word.
    if (!prefix && (place.port === '' || !beforeBareHost.test(before))) return undefined;
    const isEncoded = separators.includes('%');
    const to = endOf(isEncoded ? encodedRest : rest, text, afterHost) ?? afterHost;
    const address = withoutEnd(text.slice(afterHost, to), afterSentence);
    return { from, to: afterHost + address.length, by: isEncoded ? encodedLike(separators, '…') : hidden };
  }
}

/** True if the first `fullUrl` is a path: a server writes all of them in one way. */
function hasRooted(text: string): boolean {
  rooted.lastIndex = text.indexOf('"fullUrl"');
  return rooted.lastIndex >= 0 && rooted.test(text);
}

function authoritiesOf(bases: readonly string[]): Authority[] {
  const byKey = new Map<string, { host: string; port: string; paths: string[] }>();
  for (const base of bases) {
    const { hostname: host, port, pathname } = new URL(base);
    const key = `${host}:${port}`;
    const authority = byKey.get(key) ?? { host, port, paths: [] };
    authority.paths.push(pathname.replace(/\/+$/, ''));
    byKey.set(key, authority);
  }
  return [...byKey.values()].map((one) => ({ ...one, paths: one.paths.toSorted((a, b) => b.length - a.length) }));
}

function hostPattern({ host, port }: Authority, encoded: boolean): string {
  // The flag of the expression is enough for letters that are not encoded.
  const name = encoded ? patternInAnyCase(host) : patternOf(host, false);
  return `${name}\\.?${port === '' ? '' : `${colon}${patternOf(port, encoded)}(?!\\d)`}`;
}

/** Matches the text in any encoding; characters that need none match without, unless `encoded`. */
function patternOf(text: string, encoded: boolean): string {
  return [...text].map((character) => patternOfCharacter(character, encoded)).join('');
}

function patternOfCharacter(character: string, encoded: boolean): string {
  if (character === '/') return slash;
  if (character === ':') return colon;
  if (character === '%') return percent;
  const plain = character.replace(/[^A-Za-z0-9_-]/, '\\$&');
  if (!encoded && /[A-Za-z0-9._~-]/.test(character)) return plain;
  const code = character.charCodeAt(0).toString(16);
  const digits = code.replace(/[a-f]/g, (letter) => `[${letter.toUpperCase()}${letter}]`);
  return `(?:${plain}|${percent}${digits})`;
}

/** Matches the text in any encoding and in any case. */
function patternInAnyCase(text: string): string {
  return [...text]
    .map((character) => {
      const cases = new Set([character.toLowerCase(), character.toUpperCase()]);
      return `(?:${[...cases].map((one) => patternOfCharacter(one, true)).join('|')})`;
    })
    .join('');
}

/** The end of what the pattern matches there; undefined when it does not match. */
function endOf(sticky: RegExp, text: string, from: number): number | undefined {
  sticky.lastIndex = from;
  return sticky.test(text) ? sticky.lastIndex : undefined;
}

/** The address, percent-encoded as often as the one that it replaces. */
function encodedLike(found: string, address: string): string {
  const separators = found.match(/%(?:25)*(?:3a|2f)/gi) ?? [];
  const level = Math.max(0, ...separators.map((one) => (one.length - 1) / 2));
  let encoded = address;
  for (let times = 0; times < level; times += 1) encoded = encodeURIComponent(encoded);
  const isLowerCase = separators.some((one) => /[a-f]$/.test(one));
  return isLowerCase ? encoded.replace(/%[\dA-F]{2}/g, (code) => code.toLowerCase()) : encoded;
}

/** Percent signs are rare, and found in a tenth of the time of the expression. */
function isOverEncoded(text: string): boolean {
  for (let at = text.indexOf('%'); at >= 0; at = text.indexOf('%', at + 1)) {
    if (endOf(overEncoded, text, at) !== undefined) return true;
  }
  return false;
}

function longestOf(texts: readonly string[]): string {
  return texts.reduce((longest, text) => (text.length > longest.length ? text : longest), '');
}
