import type { FieldProblem, Message } from '../../src/contract/messages/message.js';
import type { ProblemItem } from '../../src/contract/problem.js';
import { problemBody } from '../../src/platform/errors.js';
import { inEnglish } from '../../src/platform/language/translator.js';

/** The specification's text of a message. */
export function textOf(message: Message | undefined): string | undefined {
  return message && inEnglish(message);
}

/** The problems as they are in a response. */
export function asAnswered(problems: readonly FieldProblem[]): ProblemItem[] {
  return problemBody('', '', [...problems]).errors;
}
