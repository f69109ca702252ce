import { Transform } from 'class-transformer';
import {
  IsIn,
  IsInt,
  IsISO8601,
  IsNotEmpty,
  IsOptional,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
} from 'class-validator';
import { message } from './messages/message.js';
import { RuleLimits } from './rule-limits.js';
import { pageSizes, sortDirections } from './rules/lists.js';
import { dayForm, fieldRequired, visibleLine } from './rules/text.js';
import { emailInvalid, emailRequired, maxEmailLength } from './rules/users/email.js';

/** Room for the address of a record. */
export const longestFilter = 500;

/** A text without control characters and halves of characters. */
export function Printable(): PropertyDecorator {
  return Matches(/^[^\p{Cc}\p{Surrogate}]*$/u, { context: message('characters-unprintable') });
}

const printableText = /^(?:[\t\n\r]|[^\p{Cc}\p{Surrogate}])*$/u;

/**
 * A name, or another text of one line that is shown, without the blanks around it: no marks that let one look like
 * another.
 */
export function VisibleLine(maximum: number): PropertyDecorator {
  return shownText(visibleLine, maximum);
}

/** As {@link VisibleLine}; it may not be left out. */
export function RequiredLine(maximum: number): PropertyDecorator {
  return requiredText(visibleLine, maximum);
}

/** A text of several lines that a user writes, without the blanks around it. */
export function WrittenText(maximum: number): PropertyDecorator {
  return shownText(printableText, maximum);
}

/** As {@link WrittenText}; it may not be left out. */
export function RequiredText(maximum: number): PropertyDecorator {
  return requiredText(printableText, maximum);
}

function shownText(form: RegExp, maximum: number): PropertyDecorator {
  return (target, name) => {
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim() : value))(target, name);
    Matches(form, { context: message('characters-unprintable') })(target, name as string);
    MaxLength(maximum)(target, name as string);
    IsString()(target, name as string);
  };
}

function requiredText(form: RegExp, maximum: number): PropertyDecorator {
  // In the form, for the description of the API: blanks alone are nothing.
  const notBlank = new RegExp(form.source.replace('^', '^(?=[\\s\\S]*\\S)'), 'u');
  return (target, name) => {
    IsNotEmpty({ context: fieldRequired })(target, name as string);
    shownText(notBlank, maximum)(target, name);
  };
}

/** A mail address, which its rule checks (`rules/users/email.ts`). */
export function EmailAddress(): PropertyDecorator {
  return (target, name) => {
    IsString({ context: emailRequired })(target, name as string);
    MaxLength(1000, { context: emailInvalid })(target, name as string);
    RuleLimits({ maxLength: maxEmailLength, pattern: '@' })(target, name);
  };
}

/** A day of the calendar, `YYYY-MM-DD`. */
export function CalendarDay(): PropertyDecorator {
  return (target, name) => {
    IsString()(target, name as string);
    Matches(dayForm, { context: message('day-only') })(target, name as string);
    IsISO8601({ strict: true }, { context: message('day-only') })(target, name as string);
  };
}

/** The query parameters that all lists share; lists of values are repeated keys. */
export abstract class ListQuery {
  @IsOptional()
  @Transform(({ value }: { value: unknown }) => asNumber(value))
  @IsInt()
  @Min(1)
  @Max(1_000_000)
  page: number = 1;

  @IsOptional()
  @Transform(({ value }: { value: unknown }) => asNumber(value))
  @IsIn([...pageSizes])
  pageSize: number = 10;

  @IsOptional()
  @Transform(({ value }: { value: unknown }) => asNumber(value))
  @IsIn([...sortDirections])
  sortDirection: (typeof sortDirections)[number] = 0;

  /** Words of the search, each matched literally and in any order; separated by spaces and commas. */
  @IsOptional()
  @IsString()
  @MaxLength(200)
  @Printable()
  searchTerm: string = '';
}

/** Wraps a single value of the query in a list. */
export function asList(value: unknown): unknown {
  return value === undefined || Array.isArray(value) ? value : [value];
}

/** A member that may be left out; an empty text counts as left out. */
export function OptionalOrEmpty(): PropertyDecorator {
  return (target, name) => {
    IsOptional()(target, name);
    Transform(({ value }: { value: unknown }) => (value === '' ? undefined : value))(target, name);
  };
}

/** An optional text that is compared as a whole. */
export function ExactText(maximum = 200): PropertyDecorator {
  return (target, name) => {
    OptionalOrEmpty()(target, name);
    IsString()(target, name as string);
    MaxLength(maximum)(target, name as string);
    Printable()(target, name);
  };
}

/** Parses a whole number in its usual form; an ambiguous text is not a number. */
function asNumber(value: unknown): unknown {
  return typeof value === 'string' && /^(0|[1-9]\d{0,9})$/.test(value) ? Number(value) : Number.NaN;
}
