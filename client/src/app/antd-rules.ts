import type { ReactNode } from 'react';

/** A rule of a form's field: the kinds that this application has. */
interface Rule {
  required?: boolean;
  whitespace?: boolean;
  message?: ReactNode;
  validator?: (rule: Rule, value: unknown, done: (problem?: unknown) => void) => void;
}

/**
 * In place of the validator of `@rc-component/form` (`client/library-parts.ts`), which knows many kinds of rules that
 * no form here has. It is given the rules of one field and rejects with what they find.
 */
export default class Validator {
  static warning = () => {};

  constructor(private readonly rules: Record<string, Rule[]>) {}

  /** The texts of rules without one of their own, which no rule here is. */
  messages(): void {}

  async validate(values: Record<string, unknown>): Promise<void> {
    const found = await Promise.all(
      Object.entries(this.rules).flatMap(([field, rules]) => rules.map((rule) => problemsOf(rule, values[field]))),
    );
    const errors = found.flat().map((problem) => ({ message: problem instanceof Error ? problem.message : problem }));
    if (errors.length > 0) throw Object.assign(new Error('The value is refused.'), { errors });
  }
}

async function problemsOf(rule: Rule, value: unknown): Promise<unknown[]> {
  const { required, whitespace, message, validator } = rule;
  if (validator) {
    const problem = await new Promise((done) => validator(rule, value, done));
    return problem === undefined ? [] : [message ?? problem].flat();
  }
  const missing = value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
  const blank = whitespace && typeof value === 'string' && value.trim() === '';
  return (required && missing) || (blank && !missing) ? [message] : [];
}
