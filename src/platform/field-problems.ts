import type { ValidationError } from 'class-validator';
import { type FieldProblem, type Message, message } from '../contract/messages/message.js';

/** A value of another type breaks the rules of its size and form, too, which would say nothing about it. */
const rulesOfType = ['isArray', 'isObject', 'isBoolean', 'isInt', 'isString'];

/**
 * Each field with the first rule that it breaks: with the message that the contract gives it by `context`, or else with the sentence of
 * class-validator.
 */
export function fieldProblems(errors: readonly ValidationError[], parent?: string): FieldProblem[] {
  return errors.flatMap(({ property, constraints = {}, contexts, children = [] }) => {
    const field = parent ? `${parent}.${property}` : property;
    const broken = rulesOfType.find((rule) => rule in constraints) ?? Object.keys(constraints)[0];
    const ofChildren = fieldProblems(children, field);
    if (broken === undefined) return ofChildren;
    const text: Message = contexts?.[broken] ?? message('technical', { reason: constraints[broken] ?? '' });
    return [{ field, messages: [text] }, ...ofChildren];
  });
}
