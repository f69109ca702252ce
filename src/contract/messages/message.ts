import type { english } from './catalogue.js';
import { describeDuration } from './duration.js';

type Texts = typeof english;
type PluralForm = 'zero' | 'one' | 'two' | 'few' | 'many' | 'other';

/**
 * Every message of the catalogue. One with a number has a text for each form of the plural: `too-long_one`,
 * `too-long_other`.
 */
export type MessageCode = CodeOf<keyof Texts>;
type CodeOf<Key> = Key extends `${infer Code}_${PluralForm}` ? Code : Key;
type TextOf<Code extends MessageCode> = Code extends keyof Texts
  ? Texts[Code]
  : `${Code}_other` extends keyof Texts
    ? Texts[`${Code}_other`]
    : never;

/** The names in a text: `{{maximum}}` is filled in with the parameter `maximum`. */
type Names<Text extends string> = Text extends `${string}{{${infer Name}}}${infer Rest}` ? Name | Names<Rest> : never;

/** A `duration` is in seconds, and is put into the words of the language. */
type Value<Name> = Name extends 'duration' ? number : string | number;

export type Params = Readonly<Record<string, string | number>>;

type ParamsOf<Code extends MessageCode> = { readonly [Name in Names<TextOf<Code>>]: Value<Name> };

/** A message for a user, independent of a language: the text of the code, with its parameters filled in. */
export interface Message {
  readonly code: MessageCode;
  readonly params?: Params;
}

/** Problems of one field (a dotted path into the form), or of the form as a whole when it has no field. */
export interface FieldProblem {
  field?: string;
  messages: Message[];
}

/**
 * A message of the catalogue. The compiler refuses an unknown code, and a parameter that the English text does not have
 * or that is missing.
 * @__NO_SIDE_EFFECTS__
 */
export function message<Code extends MessageCode>(
  code: Code,
  ...[params]: [Names<TextOf<Code>>] extends [never] ? [] : [params: ParamsOf<Code>]
): Message {
  return params === undefined ? { code } : { code, params: params as Params };
}

/**
 * The values of a message as i18next takes them. The one number of a message chooses the form of its plural; a duration
 * is put into words, and other numbers are written as in the given language (a tag of RFC 5646).
 */
export function valuesOf(params: Params = {}, language = 'en'): Record<string, string | number> {
  const { duration, ...others } = params;
  const values: Record<string, string | number> = { ...others };
  const numbers = Object.values(others).filter((value) => typeof value === 'number');
  const count = others.count ?? (numbers.length === 1 ? numbers[0] : undefined);
  if (language !== 'en') {
    for (const [name, value] of Object.entries(others)) {
      if (typeof value === 'number') values[name] = new Intl.NumberFormat(language).format(value);
    }
  }
  if (duration !== undefined) values.duration = describeDuration(Number(duration), language);
  if (typeof count === 'number') values.count = count;
  return values;
}
