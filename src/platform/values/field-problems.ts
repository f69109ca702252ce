import { getMetadataStorage, type ValidationError } from 'class-validator';
import { type FieldProblem, type Message, message } from '../../contract/messages/message.js';
import { fieldRequired, invalidValue } from '../../contract/rules/text.js';

/** A value of another type breaks the rules of its size and form, too, which would say nothing about it. */
const rulesOfType = ['isArray', 'isObject', 'isBoolean', 'isInt', 'isString'];

/** More values than these are not named. */
const mostNamed = 20;

/** The sentence of each rule of class-validator that the contract uses, by the values that the rule was given. */
export const sentences: Readonly<Record<string, (...given: never[]) => Message>> = {
  whitelistValidation: () => message('member-forbidden'),
  nestedValidation: () => message('object-only'),
  isObject: () => message('object-only'),
  isArray: () => message('list-only'),
  isString: () => message('text-only'),
  isBoolean: () => message('yes-or-no-only'),
  isInt: () => message('whole-number-only'),
  isUuid: () => message('uuid-only'),
  isIso8601: () => message('time-only'),
  isNotEmpty: () => fieldRequired,
  isIn: (values: readonly unknown[]) =>
    values.length > mostNamed ? invalidValue : message('values-only', { values: values.join(', ') }),
  matches: (pattern: RegExp) => message('form-only', { pattern: pattern.source }),
  min: (minimum: number) => message('number-too-small', { minimum }),
  max: (maximum: number) => message('number-too-large', { maximum }),
  maxLength: (maximum: number) => message('too-long', { maximum }),
  arrayMinSize: (minimum: number) => message('too-few-values', { minimum }),
  arrayMaxSize: (maximum: number) => message('too-many-values', { maximum }),
};

/**
 * Each field with a rule that it breaks: with the message that the contract gives it by `context`, or else with the
 * sentence of the rule. Those of class-validator are not shown: they are always English.
 */
export function fieldProblems(errors: readonly ValidationError[], parent?: string): FieldProblem[] {
  return errors.flatMap((error) => {
    const { property, constraints = {}, contexts, children = [] } = error;
    const field = parent ? `${parent}.${property}` : property;
    const broken = ruleToName(constraints, contexts);
    const ofChildren = fieldProblems(children, field);
    if (broken === undefined) return ofChildren;
    return [{ field, messages: [contexts?.[broken] ?? sentenceOf(broken, error)] }, ...ofChildren];
  });
}

function sentenceOf(rule: string, { target, property }: ValidationError): Message {
  const ofClass = getMetadataStorage().getTargetValidationMetadatas(target?.constructor ?? Object, '', true, false);
  const found = ofClass.find(({ name, propertyName }) => name === rule && propertyName === property);
  const given = (found?.constraints ?? []) as never[];
  const sentence = sentences[rule];
  return sentence && given.length >= sentence.length ? sentence(...given) : invalidValue;
}

/** The first rule if the contract has a message for it, such as that a field is empty; or else that of the type. */
function ruleToName(constraints: object, contexts: object = {}): string | undefined {
  const [first] = Object.keys(constraints);
  if (first !== undefined && Object.hasOwn(contexts, first)) return first;
  return rulesOfType.find((rule) => Object.hasOwn(constraints, rule)) ?? first;
}
