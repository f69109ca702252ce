import { ValidateBy } from 'class-validator';

/** Members of a JSON Schema. */
interface Limits {
  maxLength?: number;
  maxItems?: number;
  pattern?: string;
  enum?: readonly string[];
  /** Limits of each item of a list. */
  items?: Limits;
}

/** A text with a visible character. */
export const notBlank = '\\S';

/**
 * The limits of a member that a rule checks, with its own texts (`rules/`): the description of the API has them
 * (`scripts/openapi`). Validation accepts more, so that the rule is asked.
 */
export function RuleLimits(limits: Limits): PropertyDecorator {
  return ValidateBy({ name: 'ruleLimits', constraints: [limits], validator: { validate: () => true } });
}
