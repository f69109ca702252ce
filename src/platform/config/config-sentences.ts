import type { z } from 'zod';

type Issue = z.core.$ZodRawIssue;

const kinds: Record<string, string> = {
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  string: 'text',
  array: 'a list',
  object: 'a section with keys',
  record: 'a section with keys',
};
const units: Record<string, string> = { string: ' characters', array: ' entries', object: ' keys' };

/**
 * The requirement for a value of the configuration, in the words of an operator; for values whose schema has no
 * sentence of its own. Unknown keys are described by their names elsewhere.
 */
export function sentenceFor(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is required' : `must be ${kinds[issue.expected] ?? 'of another kind'}`;
    case 'too_small':
      return bound(issue.origin, `${issue.minimum} or more`);
    case 'too_big':
      return bound(issue.origin, `at most ${issue.maximum}`);
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.join(', ')}`;
    case 'invalid_union':
      return issue.discriminator === undefined
        ? 'has none of the forms that are possible here'
        : `must say which kind it is by ${issue.discriminator}`;
    default:
      return 'has a form that is not possible here';
  }
}

function bound(origin: string, limit: string): string {
  const unit = units[origin];
  return unit === undefined ? `must be ${limit}` : `must have ${limit}${unit}`;
}
