import { type FieldProblem, type Message, valuesOf } from '../../../../src/contract/messages/message.js';
import type { ProblemCode, ProblemItem } from '../../../../src/contract/problem.js';
import { i18n } from './i18n.js';

/** Renders a message of a rule in the language of the page, or in English without a translation. */
export function translateMessage({ code, params }: Message): string {
  return textAt(`messages.${code}`, valuesOf(params, i18n.language));
}

/** As {@link translateMessage}, for the problems of a form. */
export function translateProblems(problems: readonly FieldProblem[]): ProblemItem[] {
  return problems.map((problem) => ({ ...problem, messages: problem.messages.map(translateMessage) }));
}

/** Renders a message of the server: by its code, or, without a translation, by the English text that came with it. */
export function translateAnswer(english: string, answered: ProblemCode | undefined): string {
  if (answered === undefined) return english;
  const key = `messages.${answered.code}`;
  const values = valuesOf(answered.params, i18n.language);
  return i18n.exists(key, { ...values, fallbackLng: [] }) ? textAt(key, values) : english;
}

/** The text at a key that is put together, which the compiler cannot know. */
export function textAt(key: string, values: Record<string, string | number> = {}): string {
  return (i18n.t as (key: string, values: object) => string)(key, values);
}
