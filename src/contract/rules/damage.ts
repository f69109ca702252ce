/**
 * Values that are almost right: what copying, encoding, cutting and templates do to them. A fault that no screen shows,
 * such as a space at the end, is named in words.
 */

/** A text that the sent one may have been, and the damage in a clause that begins with `it`. */
export interface Mended {
  text: string;
  damage: string;
}

/** Undoes one kind of damage; undefined if the text does not have it. */
type Mend = (text: string) => Mended | undefined;

/** More texts are not tried: with two kinds of damage their number grows. */
const mostTexts = 60;
/** A longer text is not mended. */
const longest = 5_000;
const longestTemplate = 200;
/** A shorter text is not taken for a part of another. */
const shortestPart = 6;

const names: Readonly<Record<string, string>> = {
  ' ': 'a space',
  '\t': 'a tab',
  '\n': 'a line break',
  '\r': 'a line break',
  '\u00A0': 'a no-break space',
  '\u00AD': 'a soft hyphen',
  '\u200B': 'a zero-width space',
  '\u200C': 'a zero-width character',
  '\u200D': 'a zero-width character',
  '\u2060': 'a word joiner',
  '\uFEFF': 'a byte order mark',
};
// cspell:ignore changeme aeopcyxijshdqw ABEKMHOPCTYXIJS aopviku ABEZHIKMNOPTYX
/** Characters of other alphabets that look like one of ASCII, in pairs. */
const lookalikes = new Map<string, string>(
  [
    ['аеорсухіјѕһԁԛԝ', 'aeopcyxijshdqw'],
    ['АВЕКМНОРСТУХІЈЅ', 'ABEKMHOPCTYXIJS'],
    ['αορνικυ', 'aopviku'],
    ['ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ', 'ABEZHIKMNOPTYX'],
    ['‐‑‒–—−', '------'],
    ['⁄∕', '//'],
    ['ｰ：．', '-:.'],
  ].flatMap(([from = '', to = '']) => [...from].map((one, index): [string, string] => [one, to[index] ?? one])),
);
const invisible = /[\u00AD\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFEFF]/gu;
const pairsOfQuotes = ['""', "''", '“”', '„“', '‘’', '«»', '``', '<>', '()', '[]', '{}'];

const mends: readonly Mend[] = [
  withoutSpaceAround,
  withoutInvisible,
  withoutQuotes,
  withoutSpaceInside,
  (text) => changed(text, decoded(text), 'it is percent-encoded'),
  (text) => changed(text, decoded(decoded(text)), 'it is percent-encoded twice'),
  (text) => changed(text, text.replaceAll(' ', '+'), 'it was decoded once too often: a plus sign became a space'),
  (text) => changed(text, text.replaceAll('+', ' '), 'it has plus signs in the places of spaces'),
  withoutEntities,
  withoutAddress,
  (text) => changed(text, text.replace(/\\(.)/g, '$1'), 'it has backslashes in it'),
  withoutLookalikes,
  withoutName,
  memberOfAnswer,
  (text) => changed(text, text.replace(/[.,;:=)]+$/, ''), `it has ${text.slice(-1)} at its end`),
  (text) => changed(text, text.slice(0, halfOf(text)), 'it is there twice, one after the other'),
  (text) => changed(text, fromBase64(text), 'it is encoded as base64'),
];

/** The only text of a JSON object: a whole answer was sent in the place of its member. */
function memberOfAnswer(text: string): Mended | undefined {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    const [member, more] = Object.entries(JSON.parse(text) as object).filter(([, value]) => typeof value === 'string');
    if (member === undefined || more !== undefined) return undefined;
    return {
      text: String(member[1]),
      damage: `it is a whole JSON object, and its member ${member[0].slice(0, 40)} alone is meant`,
    };
  } catch {
    return undefined;
  }
}

/** A character in words: `a line break`, `+`, `the character U+1F600`. */
export function describedCharacter(character: string): string {
  if (/^[!-~]$/.test(character)) return character;
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return names[character] ?? `the character U+${code}`;
}

/** The texts that the sent one may have been, the most probable first; never the sent one itself. */
export function mended(sent: string): Mended[] {
  if (sent.length > longest) return [];
  const once = mends.flatMap((mend) => mend(sent) ?? []);
  const twice = once.flatMap(({ text, damage }) =>
    mends.flatMap((mend) => {
      const more = mend(text);
      return more ? [{ text: more.text, damage: `${damage}, and ${more.damage}` }] : [];
    }),
  );
  const found = new Map<string, Mended>();
  for (const one of [...once, ...twice]) {
    if (one.text !== sent && one.text !== '' && !found.has(one.text)) found.set(one.text, one);
  }
  return [...found.values()].slice(0, mostTexts);
}

/**
 * The right text among some, if the sent one is this with a usual damage; undefined for a right text, and for one that
 * is another. A part of a text is taken for it if it has at least half of it.
 */
export function undamaged(sent: string, right: readonly string[]): Mended | undefined {
  if (right.includes(sent)) return undefined;
  const whole = mendedAmong(sent, right);
  if (whole) return whole;
  const texts = mended(sent);
  const inOtherCase = [{ text: sent, damage: '' }, ...texts].flatMap(({ text, damage }) => {
    const found = right.find((one) => one.toLowerCase() === text.toLowerCase());
    return found === undefined ? [] : [{ text: found, damage: joined(damage, 'it differs in upper and lower case') }];
  });
  return inOtherCase[0] ?? firstOf(right, (one) => partOf(sent, one));
}

/** As {@link undamaged}, but in the same upper and lower case, and with nothing that is missing or added. */
export function mendedAmong(sent: string, right: readonly string[]): Mended | undefined {
  return right.includes(sent) ? undefined : mended(sent).find(({ text }) => right.includes(text));
}

/** The damage of a text that was to be this one, in a clause; undefined if it is another text. */
export function damageOf(sent: string, right: string): string | undefined {
  return undamaged(sent, [right])?.damage;
}

/**
 * The template that was sent in place of a value, such as `{{client_id}}`, `YOUR_CLIENT_ID` or `undefined`; undefined
 * for a value.
 */
export function placeholderIn(sent: string): string | undefined {
  if (sent.length > longestTemplate) return undefined;
  const text = decoded(sent).trim();
  const isTemplate =
    /\{\{.*\}\}|\$\{.*\}|^(\$[A-Z][\w.-]*|\{[\w. -]+\}|<[\w. -]+>|\[[\w. -]+\]|%[\w-]+%|:[a-z_]+|__\w+__)$/i;
  const isWord = /^(undefined|null|none|nil|NaN|\[object Object\]|true|false|todo|tbd|x{3,20}|\.{3,})$/i;
  const isAdvice =
    /^(your|my|insert|enter|replace|change|paste)[-_ ].*(id|secret|uri|url|scope|code|token|key|value|here|me)$|^changeme$/i;
  return isTemplate.test(text) || isWord.test(text) || isAdvice.test(text) ? text : undefined;
}

function firstOf<T, R>(all: readonly T[], read: (one: T) => R | undefined): R | undefined {
  for (const one of all) {
    const found = read(one);
    if (found !== undefined) return found;
  }
  return undefined;
}

function partOf(sent: string, right: string): Mended | undefined {
  if (sent.length < shortestPart || sent.length * 2 < right.length || right.length * 2 < sent.length) return undefined;
  const count = Math.abs(sent.length - right.length);
  const damage = right.startsWith(sent)
    ? `it is cut off: its last ${characters(count)} missing`
    : right.endsWith(sent)
      ? `it is cut off: its first ${characters(count)} missing`
      : undefined;
  if (damage !== undefined) return { text: right, damage };
  if (right.length < shortestPart) return undefined;
  if (sent.startsWith(right)) return { text: right, damage: `it has more at its end: ${shown(sent.slice(-count))}` };
  if (sent.endsWith(right)) {
    return { text: right, damage: `it has more at its beginning: ${shown(sent.slice(0, count))}` };
  }
  return undefined;
}

function characters(count: number): string {
  return count === 1 ? 'character is' : `${count} characters are`;
}

function joined(one: string, other: string): string {
  return one === '' ? other : `${one}, and ${other}`;
}

function changed(before: string, text: string | undefined, damage: string): Mended | undefined {
  return text === undefined || text === before || text === '' ? undefined : { text, damage };
}

function withoutSpaceAround(text: string): Mended | undefined {
  const inner = text.trim();
  const before = text.slice(0, text.indexOf(inner));
  const after = text.slice(before.length + inner.length);
  const places = [
    ...(before === '' ? [] : [`${nameOf(before)} at its beginning`]),
    ...(after === '' ? [] : [`${nameOf(after)} at its end`]),
  ];
  return changed(text, inner, `it has ${places.join(' and ')}`);
}

function withoutSpaceInside(text: string): Mended | undefined {
  const [space = ''] = /\s/u.exec(text.trim()) ?? [];
  return changed(text, text.replace(/\s/gu, ''), `it has ${nameOf(space)} in it`);
}

function withoutInvisible(text: string): Mended | undefined {
  const [one = ''] = text.match(invisible) ?? [];
  return changed(text, text.replace(invisible, ''), `it has an invisible character in it: ${nameOf(one)}`);
}

function withoutQuotes(text: string): Mended | undefined {
  const pair = pairsOfQuotes.find(
    (one) => text.length > 2 && text.startsWith(one[0] ?? '') && text.endsWith(one[1] ?? ''),
  );
  return pair === undefined
    ? undefined
    : changed(text, text.slice(1, -1), `it stands between ${pair[0]} and ${pair[1]}`);
}

/** The value of a parameter that came back to an app, sent with what stood around it in the address. */
function withoutAddress(text: string): Mended | undefined {
  const [, inside] = /[?#&](?:code|launch|access_token|refresh_token|id_token|client_id)=([^&#]+)/.exec(text) ?? [];
  if (inside !== undefined)
    return changed(text, decoded(inside), 'it is a whole address, of which one value is needed');
  if (text.includes('://')) return undefined;
  const [value = ''] = text.split(/[&#]/, 1);
  return changed(text, value, 'it has what followed it in the address at its end');
}

function withoutEntities(text: string): Mended | undefined {
  const characterOf: Readonly<Record<string, string>> = {
    amp: '&',
    lt: '<',
    gt: '>',
    quot: '"',
    '#39': "'",
    '#x27': "'",
  };
  const right = text.replace(/&(amp|lt|gt|quot|#39|#x27);/g, (whole, name: string) => characterOf[name] ?? whole);
  return changed(text, right, 'it has characters as in HTML, such as &amp;');
}

function withoutLookalikes(text: string): Mended | undefined {
  const mend = (one: string) => lookalikes.get(one) ?? one.normalize('NFKC');
  const strange = [...text].find((one) => mend(one) !== one);
  if (strange === undefined) return undefined;
  const damage = `it has a character that only looks like ${mend(strange)} (${codeOf(strange)})`;
  return changed(text, [...text].map(mend).join(''), damage);
}

function withoutName(text: string): Mended | undefined {
  const [, name, value] = /^([a-z_]{2,30}(?:=|: ?)|bearer |basic |dpop )([^/].*)$/is.exec(text) ?? [];
  return name === undefined ? undefined : changed(text, value, `it has ${name.trim()} in front of it`);
}

function halfOf(text: string): number | undefined {
  const half = text.length / 2;
  return Number.isInteger(half) && text.slice(0, half) === text.slice(half) ? half : undefined;
}

/** One level of percent-encoding; the text itself if it has none, or another than UTF-8. */
function decoded(text: string): string {
  if (!/%[0-9a-f]{2}/i.test(text)) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A readable text; undefined for bytes that are not text. */
function fromBase64(text: string): string | undefined {
  if (!/^[\w+/-]{8,}={0,2}$/.test(text)) return undefined;
  const bytes = Uint8Array.from(binaryOf(text), (one) => one.charCodeAt(0));
  const read = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  return /^(?:[^\p{Cc}\uFFFD]|\s){4,}$/u.test(read) ? read : undefined;
}

function binaryOf(text: string): string {
  try {
    return atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  } catch {
    return '';
  }
}

function nameOf(text: string): string {
  const [first = ''] = text;
  const name = names[first] ?? 'a character';
  return /^[ -~\t\n\r]$/.test(first) ? name : `${name} (${codeOf(first)})`;
}

function codeOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

function shown(text: string): string {
  return text.length > 20 ? `${text.slice(0, 20)}…` : text;
}
