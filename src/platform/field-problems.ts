import type { ValidationError } from 'class-validator';
import { type FieldProblem, type Message, message } from '../contract/messages/message.js';

/** Each field with the message that the contract gives it by `context`, or else with the sentence of class-validator. */
export function fieldProblems(errors: readonly ValidationError[], parent?: string): FieldProblem[] {
  return errors.flatMap(({ property, constraints = {}, contexts, children = [] }) => {
    const field = parent ? `${parent}.${property}` : property;
    const messages = Object.entries(constraints).map(
      ([name, reason]): Message => contexts?.[name] ?? message('technical', { reason }),
    );
    return [...(messages.length > 0 ? [{ field, messages }] : []), ...fieldProblems(children, field)];
  });
}
