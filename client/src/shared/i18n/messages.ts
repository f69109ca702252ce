import { type FieldProblem, fillIn, type Message } from '../../../../src/contract/messages/message.js';
import type { ProblemCode, ProblemItem } from '../../../../src/contract/problem.js';
import { i18n } from './i18n.js';
import { locale } from './language.js';

/** Renders a message of a rule in the language of the page, or in English without a translation. */
export function translateMessage({ code, params }: Message): string {
  return fillIn(textOf(i18n.language, code) ?? textOf('en', code) ?? code, params, locale());
}

/** As {@link translateMessage}, for the problems of a form. */
export function translateProblems(problems: readonly FieldProblem[]): ProblemItem[] {
  return problems.map((problem) => ({ ...problem, messages: problem.messages.map(translateMessage) }));
}

/** Renders a message of the server: by its code, or, without a translation, by the English text that came with it. */
export function translateAnswer(english: string, answered: ProblemCode | undefined): string {
  const text = answered && textOf(i18n.language, answered.code);
  return text === undefined ? english : fillIn(text, answered?.params, locale());
}

function textOf(language: string, code: string): string | undefined {
  return i18n.getResource(language, 'translation', `messages.${code}`);
}

/** The text at a key that is put together, which the compiler cannot know. */
export function textAt(key: string, values: Record<string, string> = {}): string {
  return (i18n.t as (key: string, values: object) => string)(key, values);
}
