import { IsString, MaxLength } from 'class-validator';
import { notBlank, RuleLimits } from '../rule-limits.js';
import { maxTagValue } from '../rules/tag.js';
import { fieldRequired } from '../rules/text.js';

/** `spec §3` Client tag. */
export class ClientTag {
  id: string;
  value: string;
  color: string;
  /**
   * Present in the list of tags if a file manages the tag (`gatehouse apply`): changes by hand are refused with 409.
   */
  managed?: true;
}

/** `POST /api/admin/configuration/tag`, `PUT …/{id}`; the rules and their texts are in `rules/tag.ts`. */
export class TagForm {
  @RuleLimits({ maxLength: maxTagValue, pattern: notBlank })
  @MaxLength(1000)
  @IsString({ context: fieldRequired })
  value: string;

  @RuleLimits({ pattern: '^\\s*#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})\\s*$' })
  @MaxLength(1000)
  @IsString({ context: fieldRequired })
  color: string;
}
