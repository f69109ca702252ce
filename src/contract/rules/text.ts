import { type Message, message } from '../messages/message.js';
export const fieldRequired = message('field-required');
export const invalidValue = message('value-invalid');
export const duplicateValue = message('value-duplicate');

/**
 * A name or an address. Lone surrogates and NUL are refused by PostgreSQL; the other control characters belong to none,
 * nor do line breaks. Bidirectional overrides, isolates and marks let one name look like another.
 */
export const visibleLine = /^[^\p{Cc}\p{Surrogate}\u2028\u2029\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]*$/u;
const unprintableInText = /(?![\t\n\r])[\p{Cc}\p{Surrogate}]/u;

/** Length in visible characters; a character outside the basic plane counts as one. */
export function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length++;
  return length;
}

export function tooLong(maximum: number): Message {
  return message('too-long', { maximum });
}

/** The message for a text of one line that is too long or holds invisible characters. */
export function lineProblem(text: string, maximum: number): Message | undefined {
  if (!visibleLine.test(text)) return invalidValue;
  return lengthOf(text) > maximum ? tooLong(maximum) : undefined;
}

/** The same for a text of several lines. */
export function textProblem(text: string, maximum: number): Message | undefined {
  if (unprintableInText.test(text)) return invalidValue;
  return lengthOf(text) > maximum ? tooLong(maximum) : undefined;
}

/** The form of a day; not every such text is a day of the calendar. */
export const dayForm = /^(?!0000)\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;

/** True for a day of the calendar, `YYYY-MM-DD`: `2040-02-30` is none. */
export function isDay(text: string): boolean {
  const at = new Date(`${text}T00:00:00Z`);
  return dayForm.test(text) && !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
}

/** Letters that are read from the right, and the marks that turn the order of what follows (Unicode TR9). */
const turning =
  /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC\u200E\u200F\u202A-\u202E\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u;

/** A name within a sentence of the given direction, isolated where it could turn the order of the words. */
export function isolated(name: string, direction: 'ltr' | 'rtl'): string {
  return direction === 'rtl' || turning.test(name) ? `\u2068${name}\u2069` : name;
}

/** Names or words after a colon, in the way of the language (RFC 5646): 'Conditions, Visits'. */
export function listAfterColon(words: readonly string[], language: string): string {
  return new Intl.ListFormat(language, { style: 'narrow' }).format(words);
}
