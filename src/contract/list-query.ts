import { Type } from 'class-transformer';
import { IsIn, IsInt, IsOptional, IsString, Matches, Max, MaxLength, Min } from 'class-validator';
import { pageSizes, sortDirections } from './rules/paging.js';

/** What the queries of all lists share; lists of values are repeated keys. */
export abstract class ListQuery {
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(1_000_000)
  page: number = 1;

  @IsOptional()
  @Type(() => Number)
  @IsIn([...pageSizes])
  pageSize: number = 10;

  @IsOptional()
  @Type(() => Number)
  @IsIn([...sortDirections])
  sortDirection: (typeof sortDirections)[number] = 0;

  /** Looked for literally in what the list names its entries by. */
  @IsOptional()
  @IsString()
  @MaxLength(200)
  @Matches(/^[^\p{Cc}\p{Surrogate}]*$/u)
  searchTerm: string = '';
}

/** A key that stands once in the query is a list of one. */
export function asList(value: unknown): unknown {
  return value === undefined || Array.isArray(value) ? value : [value];
}
