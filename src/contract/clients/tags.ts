import { IsString, MaxLength } from 'class-validator';
import { notBlank, RuleLimits } from '../rule-limits.js';
import { maxTagValue } from '../rules/tag.js';

/** `spec §3` Client tag. */
export class ClientTag {
  id: string;
  value: string;
  color: string;
  /** Present in the list of tags if a file manages the tag (`gatehouse apply`): changes by hand are refused with 409. */
  managed?: true;
}

/** `POST /api/admin/configuration/tag`, `PUT …/{id}`; the rules and their texts are in `rules/tag.ts`. */
export class TagForm {
  @IsString()
  @MaxLength(1000)
  @RuleLimits({ maxLength: maxTagValue, pattern: notBlank })
  value: string;

  @IsString()
  @MaxLength(1000)
  @RuleLimits({ pattern: '^\\s*#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})\\s*$' })
  color: string;
}
