import { pageSizes } from '../../../../src/contract/rules/lists.js';
import { usePageQuery } from '../addresses/page-query.js';

type KnownValues = readonly string[] | RegExp | null;

/** The query of a list; the names are those of its call, and those in the address. */
export interface ListShape<Column extends string, Filter extends string> {
  /** The first is the default. */
  sortColumns: readonly [Column, ...Column[]];
  defaultPageSize: number;
  /** The default is 0, ascending. */
  defaultSortDirection?: 0 | 1;
  /** The values that each filter can have; a pattern if only their form is known; null for any text. */
  filters: Record<Filter, KnownValues>;
}

export interface ListState<Column extends string, Filter extends string> {
  searchTerm: string;
  /** From 1. */
  page: number;
  pageSize: number;
  sortColumn: Column;
  /** 0 ascending, 1 descending. */
  sortDirection: 0 | 1;
  /** The chosen values; none means all. */
  filters: Filters<Filter>;
}

export type Filters<Filter extends string> = Record<Filter, string[]>;

/** A change of a list. Filters are changed as they are by then, which may be later than they are rendered. */
export type ListChange<Column extends string, Filter extends string> = Partial<
  Omit<ListState<Column, Filter>, 'filters'> & {
    filters: (current: Filters<Filter>) => Partial<Filters<Filter>>;
  }
>;

export const maxSearchTerm = 200;
/** Room for the address of a record. */
export const maxFilterText = 500;
const maxPage = 1_000_000;
const maxValues = 50;

/** The address is user input: invalid values are left out, or the server would refuse the whole list. */
export function parseList<Column extends string, Filter extends string>(
  query: URLSearchParams,
  shape: ListShape<Column, Filter>,
): ListState<Column, Filter> {
  const number = (name: string) => Number(query.get(name) ?? Number.NaN);
  const page = number('page');
  const column = query.get('sortColumn');
  const filters = Object.entries<KnownValues>(shape.filters).map(([name, known]) => {
    const values = query
      .getAll(name)
      .map((value) => printable(value, maxFilterText))
      .filter(Boolean);
    return [name, taken(values, known)] as const;
  });
  return {
    searchTerm: printable(query.get('searchTerm') ?? '', maxSearchTerm),
    page: Number.isInteger(page) && page >= 1 && page <= maxPage ? page : 1,
    pageSize: pageSizes.find((size) => size === number('pageSize')) ?? shape.defaultPageSize,
    sortColumn: shape.sortColumns.find((known) => known === column) ?? shape.sortColumns[0],
    sortDirection:
      ([0, 1] as const).find((known) => query.get('sortDirection') === String(known)) ??
      shape.defaultSortDirection ??
      0,
    filters: Object.fromEntries(filters) as Record<Filter, string[]>,
  };
}

/** The query with this list in it; what is as always is not written, and what belongs to others stays. */
export function writeList<Column extends string, Filter extends string>(
  query: URLSearchParams,
  { filters, ...state }: ListState<Column, Filter>,
  shape: ListShape<Column, Filter>,
): URLSearchParams {
  const usual = parseList(new URLSearchParams(), shape);
  const written = new URLSearchParams(query);
  for (const name of ['searchTerm', 'page', 'pageSize', 'sortColumn', 'sortDirection'] as const) {
    if (state[name] === usual[name]) written.delete(name);
    else written.set(name, String(state[name]));
  }
  for (const [name, values] of Object.entries<string[]>(filters)) {
    written.delete(name);
    for (const value of values) written.append(name, value);
  }
  return written;
}

/** The state of the list is kept in the address, so that Back undoes a change and a link can be shared. */
export function useListState<Column extends string, Filter extends string>(shape: ListShape<Column, Filter>) {
  const { query, change: changeQuery } = usePageQuery();
  const state = parseList(query, shape);
  /** Back on the first page, unless it is the page that changes. Filters that are not named stay. */
  const change = ({ filters, ...changes }: ListChange<Column, Filter>, options?: { replace?: boolean }) =>
    changeQuery((current) => {
      const before = parseList(current, shape);
      const changed = { ...before.filters, ...filters?.(before.filters) };
      return writeList(current, { ...before, page: 1, ...changes, filters: changed }, shape);
    }, options);
  return { state, change };
}

function taken(values: string[], known: KnownValues): string[] {
  if (known === null) return values.slice(0, 1);
  if (known instanceof RegExp) return [...new Set(values.filter((value) => known.test(value)))].slice(0, maxValues);
  return known.filter((value) => values.includes(value));
}

function printable(text: string, longest: number): string {
  return text
    .replace(/[\p{Cc}\p{Surrogate}]/gu, '')
    .trim()
    .slice(0, longest);
}
