import { Transform } from 'class-transformer';
import { IsIn, IsInt, IsOptional, IsString, Matches, Max, MaxLength, Min } from 'class-validator';
import { message } from './messages/message.js';
import { pageSizes, sortDirections } from './rules/lists.js';

/** Room for the address of a record. */
export const longestFilter = 500;

/** A text without control characters and halves of characters. */
export function Printable(): PropertyDecorator {
  return Matches(/^[^\p{Cc}\p{Surrogate}]*$/u, { context: message('characters-unprintable') });
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
