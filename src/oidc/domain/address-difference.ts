import { damageOf, mendedAmong, placeholderIn } from '../../contract/rules/damage.js';
import { nearest } from '../../contract/rules/nearest.js';

/** A FHIR base, by its URL. */
interface Base {
  url: string;
  tenant: unknown;
}

type AudienceCode =
  | 'aud-trailing-slash'
  | 'aud-scheme'
  | 'aud-damaged'
  | 'aud-placeholder'
  | 'aud-other-tenant'
  | 'aud-other-base';

/** An address as an entry may keep it: without user, password, values of parameters and fragment. */
export function shownAddress(text: string): string {
  const encoded = /^[\w+.-]+%(?:25)*3a/i.test(text) ? /%(?:25)*(?:3f|23)/i.exec(text) : null;
  if (encoded) return `${text.slice(0, Math.min(encoded.index, 200))}…`;
  const [address = ''] = text.split(/[?#]/);
  const query = text.slice(address.length).replace(/#.*/s, '');
  const names =
    query === '' ? '' : `?${[...new Set(new URLSearchParams(query).keys())].map((name) => `${name}=…`).join('&')}`;
  return (
    address.replace(/^([A-Za-z][\w+.-]*:\/\/)[^/]*@/, '$1…@').slice(0, 200) +
    names.slice(0, 60) +
    (text.includes('#') ? '#…' : '')
  );
}

/** The registered address that differs least from the sent one, and in which parts. */
export function nearestAddress(
  sent: string,
  registered: readonly string[],
): { nearest: string; difference: string } | undefined {
  const compared = registered.map((address) => ({ address, parts: differences(sent, address) }));
  const fewest = Math.min(...compared.map(({ parts }) => parts.length));
  const alike = compared.filter(({ parts }) => parts.length === fewest);
  const best =
    nearest(
      sent,
      alike.map(({ address }) => address),
    ) ?? alike[0]?.address;
  if (best === undefined) return undefined;
  return { nearest: best, difference: differences(sent, best).join(', ') };
}

/**
 * The registered address of which the sent one is a damaged copy, and the damage. What is missing, added or in another
 * case is a difference of a part.
 */
export function damagedAddress(
  sent: string,
  registered: readonly string[],
): { nearest: string; damage: string } | undefined {
  const whole = registered.map((address) => [address, otherSlash(address)] as const);
  const found = mendedAmong(sent, whole.flat());
  if (!found) return undefined;
  const own = whole.find(([address]) => address === found.text)?.[0];
  if (own !== undefined) return { nearest: own, damage: found.damage };
  const nearest = whole.find(([, other]) => other === found.text)?.[0] ?? '';
  return { nearest, damage: `${found.damage}, and the slash at its end differs` };
}

/** How a text differs from the one that was expected, in words: by a damage, or in the parts of an address. */
export function textDifference(sent: string, expected: string): string {
  const damage = damageOf(sent, expected);
  if (damage !== undefined && !URL.canParse(sent)) return damage;
  if (URL.canParse(sent) && URL.canParse(expected))
    return damagedAddress(sent, [expected])?.damage ?? differences(sent, expected).join(', ');
  return placeholderIn(sent) === undefined ? 'it is another text' : 'it is a template that was not filled in';
}

function otherSlash(address: string): string {
  return address.endsWith('/') ? address.slice(0, -1) : `${address}/`;
}

/** Path segments below a FHIR base that are not the name of a tenant. */
const belowBase =
  /^\/(?:metadata$|\.well-known|\$|[A-Z][A-Za-z]+(?:\/|\?|$)|(?:[Dd][Ss][Tt][Uu]2|[Ss][Tt][Uu]3|[Rr][2-6][Bb]?)$)/;

/** Explains why an `aud` names none of the FHIR bases. */
export function audienceFault(
  sent: string,
  bases: readonly Base[],
): { code: AudienceCode; base: string; difference: string; damage: string } {
  const damage = '';
  const urls = bases.map(({ url }) => url);
  const bare = sent.replace(/\/+$/, '');
  const slashed = urls.find((url) => url === bare);
  if (slashed !== undefined)
    return { code: 'aud-trailing-slash', base: slashed, difference: 'the slashes at the end', damage };
  const withoutScheme = (url: string) => url.replace(/^https?:/i, '');
  const otherScheme = urls.find((url) => withoutScheme(url) === withoutScheme(bare));
  if (otherScheme !== undefined) return { code: 'aud-scheme', base: otherScheme, difference: 'http and https', damage };
  const below = urls.find((url) => belowBase.test(bare.startsWith(`${url}/`) ? bare.slice(url.length) : ''));
  if (below !== undefined) {
    const more = `it has more at its end: ${shownAddress(bare).slice(below.length, below.length + 60)}`;
    return { code: 'aud-damaged', base: below, difference: more, damage: more };
  }
  const damaged = damagedAddress(sent, urls);
  if (damaged)
    return { code: 'aud-damaged', base: damaged.nearest, difference: damaged.damage, damage: damaged.damage };
  const { nearest: base, difference } = nearestAddress(sent, urls) ?? { nearest: '', difference: '' };
  if (placeholderIn(sent) !== undefined) return { code: 'aud-placeholder', base, difference, damage };
  const parents = bases.flatMap(({ url, tenant }) => (tenant === undefined ? [] : [url, parentOf(url)]));
  return { code: parents.includes(parentOf(bare)) ? 'aud-other-tenant' : 'aud-other-base', base, difference, damage };
}

function parentOf(url: string): string {
  return url.slice(0, url.lastIndexOf('/'));
}

/** The parts in which two addresses differ, in words. */
function differences(sent: string, registered: string): string[] {
  if (!URL.canParse(sent) || !URL.canParse(registered)) return ['the form: it is not an absolute address'];
  const [one, other] = [new URL(sent), new URL(registered)];
  const parts = [
    ...(one.protocol === other.protocol ? [] : [`the scheme (${bare(one.protocol)} for ${bare(other.protocol)})`]),
    ...(one.hostname === other.hostname ? [] : [hostDifference(one, other)]),
    ...(one.port === other.port ? [] : [`the port (${one.port || 'none'} for ${other.port || 'none'})`]),
    ...pathDifference(one.pathname, other.pathname),
    ...(one.search === other.search ? [] : ['the query']),
    ...(one.hash === other.hash ? [] : ['the fragment']),
    ...(one.username === other.username && one.password === other.password ? [] : ['the user name or password']),
  ];
  if (parts.length > 0) return parts;
  return sent.toLowerCase() === registered.toLowerCase()
    ? ['upper and lower case (registered addresses are compared character by character)']
    : ['its spelling (registered addresses are compared character by character)'];
}

function hostDifference(one: URL, other: URL): string {
  return `the host (${one.hostname || 'none'} for ${other.hostname || 'none'})`;
}

function bare(protocol: string): string {
  return protocol.slice(0, -1);
}

function pathDifference(sent: string, registered: string): string[] {
  if (sent === registered) return [];
  if (sent.replace(/\/+$/, '') === registered.replace(/\/+$/, '')) return ['the slash at the end of the path'];
  if (sent.toLowerCase() === registered.toLowerCase()) return ['upper and lower case of the path'];
  const encoded = /%(?:23|3f)/i.exec(sent)?.[0];
  return encoded === undefined ? ['the path'] : [`the path, which has an encoded ${decodeURIComponent(encoded)}`];
}
