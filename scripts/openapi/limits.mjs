/** The rules of class-validator as members of a schema. */
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage } from 'class-validator';
import { CommandFailed } from '../prepare.mjs';

/** By the name of the rule, from its arguments. */
const rules = {
  isString: () => ({ type: 'string' }),
  isObject: () => ({ type: 'object' }),
  isBoolean: () => ({ type: 'boolean' }),
  isInt: () => ({ type: 'integer' }),
  isNotEmpty: () => ({ minLength: 1 }),
  isUuid: () => ({ type: 'string', format: 'uuid' }),
  // Both forms are ISO 8601; JSON Schema has no format that means either.
  isIso8601: () => ({ anyOf: [{ format: 'date' }, { format: 'date-time' }] }),
  isIn: (values) => ({ enum: values }),
  min: (minimum) => ({ minimum }),
  max: (maximum) => ({ maximum }),
  minLength: (minLength) => ({ minLength }),
  maxLength: (maxLength) => ({ maxLength }),
  matches: (pattern) => ({ pattern: portable(pattern.source) }),
  isArray: () => ({ type: 'array' }),
  arrayMinSize: (minItems) => ({ minItems }),
  arrayMaxSize: (maxItems) => ({ maxItems }),
  ruleLimits: (limits) => limits,
};

/** The same pattern without what only JavaScript knows: callers check it in other languages. */
export function portable(source) {
  return (
    source
      .replaceAll('\\p{Cc}', '\\u0000-\\u001f\\u007f-\\u009f')
      // Half of a pair cannot be sent in UTF-8, and not all languages can name it.
      .replaceAll('\\p{Surrogate}', '')
      .replace(/\\0(?!\d)/g, '\\u0000')
  );
}

/** They decide whether a member is validated, or lead to its own class. */
const structure = new Set(['conditionalValidation', 'nestedValidation', 'whitelistValidation']);

function rulesOf(ownClass, member) {
  return getMetadataStorage()
    .getTargetValidationMetadatas(ownClass, '', false, false)
    .filter(({ propertyName }) => propertyName === member);
}

/** Neither undefined nor null is validated. */
export function isOptional(ownClass, member) {
  return rulesOf(ownClass, member).some(({ name }) => name === 'isOptional');
}

/** False for a member of which null becomes something else before it is validated, such as a list of null. */
export function takesNull(ownClass, member) {
  return plainToInstance(ownClass, { [member]: null })[member] === null;
}

/** A parameter of a query that is there without a value is one that was left out, if its class says so. */
export function takesBlank(ownClass, member) {
  return plainToInstance(ownClass, { [member]: '' })[member] === undefined;
}

/** The schema of a member's type with the rules of its class. */
export function addLimits(schema, ownClass, member, resolve) {
  const own = {};
  const ofItems = {};
  // Narrower than those that validation checks (src/contract/rule-limits.ts).
  const byRules = ({ name }) => Number(name === 'ruleLimits');
  for (const { name, type, constraints, each } of rulesOf(ownClass, member).sort((a, b) => byRules(a) - byRules(b))) {
    if (structure.has(type)) continue;
    const rule = rules[name];
    if (!rule)
      throw new CommandFailed(
        `${ownClass.name}.${member}: the rule ${name} has no schema (scripts/openapi/limits.mjs).`,
      );
    Object.assign(each ? ofItems : own, rule(...(constraints ?? [])));
  }
  const { items = {}, ...ofMember } = own;
  Object.assign(ofItems, items);
  const whole = merged(schema, ofMember, resolve);
  return Object.keys(ofItems).length > 0 ? { ...whole, items: merged(whole.items, ofItems, resolve) } : whole;
}

/** The type's own words win where both say the same, such as the values of an enumeration with a name. */
function merged(schema, limits, resolve) {
  const { enum: values = [], type } = resolve(schema);
  const says = new Set(values);
  const isSame = limits.enum && says.size > 0 && limits.enum.every((one) => says.has(one));
  const { enum: allowed, type: kind, ...rest } = limits;
  const isNullable = Array.isArray(schema.type) && schema.type.includes('null');
  return {
    ...schema,
    ...(allowed && !isSame && { enum: isNullable ? [...allowed, null] : allowed }),
    // `integer` is narrower than what TypeScript knows.
    ...(kind === 'integer' && { type: isNullable ? ['integer', 'null'] : 'integer' }),
    ...(kind && type === undefined && !schema.$ref && { type: kind }),
    ...rest,
  };
}
