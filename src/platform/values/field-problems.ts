import type { ValidationError } from 'class-validator';
import { type FieldProblem, type Message, message } from '../../contract/messages/message.js';

/** A value of another type breaks the rules of its size and form, too, which would say nothing about it. */
const rulesOfType = ['isArray', 'isObject', 'isBoolean', 'isInt', 'isString'];

/**
 * Each field with a rule that it breaks: with the message that the contract gives it by `context`, or else with the
 * sentence of class-validator.
 */
export function fieldProblems(errors: readonly ValidationError[], parent?: string): FieldProblem[] {
  return errors.flatMap(({ property, constraints = {}, contexts, children = [] }) => {
    const field = parent ? `${parent}.${property}` : property;
    const broken = ruleToName(constraints, contexts);
    const ofChildren = fieldProblems(children, field);
    if (broken === undefined) return ofChildren;
    const text: Message = contexts?.[broken] ?? message('technical', { reason: constraints[broken] ?? '' });
    return [{ field, messages: [text] }, ...ofChildren];
  });
}

/** The first rule if the contract has a message for it, such as that a field is empty; or else that of the type. */
function ruleToName(constraints: object, contexts: object = {}): string | undefined {
  const [first] = Object.keys(constraints);
  if (first !== undefined && Object.hasOwn(contexts, first)) return first;
  return rulesOfType.find((rule) => Object.hasOwn(constraints, rule)) ?? first;
}
