import type { english } from './catalogue.js';
import { describeDuration } from './duration.js';

/** Every message of the catalogue. */
export type MessageCode = keyof typeof english;

/** The names in a text: `{{maximum}}` is filled in with the parameter `maximum`. */
type Names<Text extends string> = Text extends `${string}{{${infer Name}}}${infer Rest}` ? Name | Names<Rest> : never;

/** A `duration` is in seconds, and is put into the words of the language. */
type Value<Name> = Name extends 'duration' ? number : string | number;

export type Params = Readonly<Record<string, string | number>>;

type ParamsOf<Code extends MessageCode> = { readonly [Name in Names<(typeof english)[Code]>]: Value<Name> };

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
  ...[params]: [Names<(typeof english)[Code]>] extends [never] ? [] : [params: ParamsOf<Code>]
): Message {
  return params === undefined ? { code } : { code, params: params as Params };
}

/** Fills the parameters into a text of the given language (a tag of RFC 5646). */
export function fillIn(text: string, params: Params = {}, language = 'en'): string {
  const values = inWords(params, language);
  return text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => String(values[name] ?? ''));
}

/** The parameters as a text of the given language shows them. */
function inWords(params: Params = {}, language = 'en'): Params {
  const { duration } = params;
  return duration === undefined ? params : { ...params, duration: describeDuration(Number(duration), language) };
}
