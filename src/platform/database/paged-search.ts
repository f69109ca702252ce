import type { QueryResultRow } from 'pg';
import { countedMatches } from '../../contract/rules/lists.js';
import type { Database } from './database.js';

/** A condition in SQL; `bind` returns the placeholder of a value. */
export type Condition = (bind: (value: unknown) => string) => string;

/** A part of a search term that must match: `exact` as written, directly followed by `text` in lower case. */
export interface Word {
  exact?: string;
  text: string;
  /** Also finds the rows that have one of these keys in a column of keys, which has an index. */
  links?: { column: string; keys: string[] };
}

export interface PagedTable {
  /** Table whose columns are selected for each row of the list. */
  name: string;
  /**
   * Table to search, filter and sort by, possibly the same one: with the same `id`, and `search_text`, whose pieces are
   * indexed (`text_pieces(without_accents(search_text), 1)`).
   */
  listing: string;
  /** Table of the row counts per kind, in the column `counted`; its other columns have the table's names. */
  tally: string;
  counted: string;
}

export interface PagedQuery {
  columns: string;
  /** Conditions on columns of the tally. */
  kind: Condition[];
  /** All other conditions. */
  further: Condition[];
  /** Words that must all match, in any order. */
  words: Word[];
  /** Sort expression, which has an index together with the id. */
  sortKey: string;
  /** 0 ascending, 1 descending. */
  sortDirection: 0 | 1;
  /** Page number, from 1. */
  page: number;
  pageSize: number;
}

/** The best of the rows that match, instead of a page of them. */
export interface BestQuery extends Pick<PagedQuery, 'columns' | 'kind' | 'words' | 'sortKey'> {
  /** Conditions that need not be selective. */
  fits: Condition[];
  /** A number in SQL, by columns of the listing; the smallest come first, and equal ones in the order of the list. */
  rank: Condition;
  most: number;
}

/** Matches of a common search that are compared, the first in the order of the list. */
const mostCompared = 1000;

/** Rows, in the order of their random ids, that are sampled to estimate how common a search term is. */
const sampled = 400;
/** Share of the sample from which on a term is so common that reading rows in order fills the next page soon. */
const common = 0.05;

/**
 * A paged list whose time does not grow with the number of rows (decision 21). Counts come from the tally where
 * possible, a page near the end is read from the end, a rare search term is looked up by its pieces, few rows are
 * collected and sorted, and many are read in order until the page is full. Very many matches are counted only up to
 * `countedMatches`.
 */
export class PagedSearch {
  constructor(
    private readonly database: Database,
    private readonly table: PagedTable,
  ) {}

  async read<Row extends QueryResultRow>(query: PagedQuery): Promise<{ rows: Row[]; totalCount: number }> {
    if (query.words.length > 0 && !(await this.areCommon(query.words))) return this.collect<Row>(query, true);
    const totalCount = await this.count(query);
    if (totalCount < countedMatches) return this.collect<Row>(query);
    return { rows: await this.readInOrder<Row>(query, totalCount), totalCount };
  }

  /** The ids of all matches in the order of the list, but no more than `most`. */
  async readIds(query: Omit<PagedQuery, 'columns' | 'page' | 'pageSize'>, most: number): Promise<string[]> {
    const { listing } = this.table;
    const { bind, parameters, all } = statement();
    const conditions = all(conditionsOf(query));
    // The pieces are a subquery of their own, as in `collect`.
    const candidates =
      query.words.length > 0
        ? `SELECT id, ${query.sortKey} AS sort_key, ${conditions} AS fits FROM ${listing} WHERE ${all(query.words.map((word) => lookedUp(word, listing)))}`
        : `SELECT id, ${query.sortKey} AS sort_key, true AS fits FROM ${listing} WHERE ${conditions}`;
    const { rows } = await this.database.query<{ id: string }>(
      `WITH candidate AS MATERIALIZED (${candidates})
       SELECT id FROM candidate WHERE fits ${orderOf(query, 'sort_key', 'id')} LIMIT ${bind(most)}`,
      parameters,
    );
    return rows.map(({ id }) => id);
  }

  /** The best matches. Those of a common search are the best of its first thousand. */
  async bestMatches<Row extends QueryResultRow>(query: BestQuery): Promise<Row[]> {
    const { name, listing } = this.table;
    const { columns, kind, words, sortKey, most } = query;
    const areCommon = await this.areCommon(words);
    const { bind, parameters, all } = statement();
    const matches = all([...kind, ...words.map(foundBy)]);
    const compared = `id, ${sortKey} AS sort_key, ${query.rank(bind)} AS rank, ${all(query.fits)}`;
    // The pieces are a subquery of their own, as in `collect`.
    const candidates = areCommon
      ? `SELECT ${compared} AS fits FROM ${listing} WHERE ${matches}
          ${orderOf({ sortDirection: 0 }, sortKey, 'id')} LIMIT ${mostCompared}`
      : `SELECT ${compared} AND ${matches} AS fits FROM ${listing}
          WHERE ${all(words.map((word) => lookedUp(word, listing)))}`;
    const { rows } = await this.database.query<Row>(
      `WITH candidate AS MATERIALIZED (${candidates}),
       best AS (SELECT id, rank, sort_key FROM candidate WHERE fits ORDER BY rank, sort_key, id LIMIT ${bind(most)})
       SELECT listed.* FROM best
         JOIN LATERAL (SELECT ${columns} FROM ${name} WHERE ${name}.id = best.id) AS listed ON true
        ORDER BY rank, sort_key, best.id`,
      parameters,
    );
    return rows;
  }

  private async areCommon(words: Word[]): Promise<boolean> {
    const { parameters, all } = statement();
    const { rows } = await this.database.query<{ share: number | null }>(
      `SELECT avg((${all(words.map(foundBy))})::int)::float8 AS share
         FROM (SELECT * FROM ${this.table.listing} ORDER BY id LIMIT ${sampled}) AS sample`,
      parameters,
    );
    return (rows[0]?.share ?? 0) >= common;
  }

  private async count(query: PagedQuery): Promise<number> {
    const { listing, tally, counted } = this.table;
    const { parameters, all } = statement();
    const { rows } = await this.database.query<{ total: number }>(
      isOfKind(query)
        ? `SELECT coalesce(sum(${counted}), 0)::int AS total FROM ${tally} WHERE ${all(query.kind)}`
        : `SELECT count(*)::int AS total
             FROM (SELECT FROM ${listing} WHERE ${all(conditionsOf(query))} LIMIT ${countedMatches}) AS matching`,
      parameters,
    );
    return rows[0]?.total ?? 0;
  }

  /** Sorts all matches, which also counts them; `byPieces` if the words are rare. */
  private async collect<Row extends QueryResultRow>(query: PagedQuery, byPieces = false) {
    const { name, listing } = this.table;
    const { columns, sortKey, pageSize } = query;
    const { bind, parameters, all } = statement();
    const conditions = all(conditionsOf(query));
    // The pieces are a subquery of their own, or PostgreSQL may use another index and compute them for each of its
    // rows.
    const candidates = byPieces
      ? `SELECT id, ${sortKey} AS sort_key, ${conditions} AS fits FROM ${listing} WHERE ${all(query.words.map((word) => lookedUp(word, listing)))}`
      : `SELECT id, ${sortKey} AS sort_key, true AS fits FROM ${listing} WHERE ${conditions}`;
    const { rows } = await this.database.query<Row & { total: number }>(
      `WITH candidate AS MATERIALIZED (${candidates}),
       page AS (
         SELECT id, sort_key FROM candidate WHERE fits ${orderOf(query, 'sort_key', 'id')}
          LIMIT ${pageSize} OFFSET ${bind(offsetOf(query))})
       SELECT total, listed.* FROM (SELECT count(*)::int AS total FROM candidate WHERE fits) AS counted
         LEFT JOIN page ON true
         LEFT JOIN LATERAL (SELECT ${columns} FROM ${name} WHERE ${name}.id = page.id) AS listed ON true
        ${orderOf(query, 'sort_key', 'page.id')}`,
      parameters,
    );
    // Beyond the last page there is one row that holds only the total.
    const found = rows.filter(({ id }) => id !== null).map(({ total: _, ...row }) => row as unknown as Row);
    return { rows: found, totalCount: rows[0]?.total ?? 0 };
  }

  private async readInOrder<Row extends QueryResultRow>(query: PagedQuery, totalCount: number): Promise<Row[]> {
    const { name, listing } = this.table;
    const { columns, sortKey, pageSize } = query;
    const offset = offsetOf(query);
    const length = Math.min(pageSize, totalCount - offset);
    if (length <= 0) return [];
    const fromEnd = isOfKind(query) && offset > totalCount / 2;
    const { bind, parameters, all } = statement();
    const { rows } = await this.database.query<Row>(
      `WITH page AS (
         SELECT id, ${sortKey} AS sort_key FROM ${listing} WHERE ${all(conditionsOf(query))}
          ${orderOf(query, sortKey, 'id', fromEnd)}
          LIMIT ${length} OFFSET ${bind(fromEnd ? totalCount - offset - length : offset)})
       SELECT listed.* FROM page
         JOIN LATERAL (SELECT ${columns} FROM ${name} WHERE ${name}.id = page.id) AS listed ON true
        ${orderOf(query, 'page.sort_key', 'page.id')}`,
      parameters,
    );
    return rows;
  }
}

const offsetOf = ({ page, pageSize }: PagedQuery) => (page - 1) * pageSize;

const isOfKind = ({ further, words }: PagedQuery) => further.length === 0 && words.length === 0;

/**
 * Words of a search term: 'Abel, Ada' and 'Ada Abel' have the same two. A term of commas alone is searched as it is.
 */
export function wordsOf(searchTerm: string): string[] {
  const term = searchTerm.trim();
  const words = term.split(/[\s,]+/).filter((word) => word !== '');
  return [...new Set(words.length === 0 && term !== '' ? [term] : words)];
}

function conditionsOf({ kind, further, words }: Pick<PagedQuery, 'kind' | 'further' | 'words'>): Condition[] {
  return [...kind, ...further, ...words.map(foundBy)];
}

/** `strpos` takes the word literally: `%` and `_` are ordinary characters (security I-11). */
function foundBy(word: Word): Condition {
  return (bind) => {
    const inText = `strpos(without_accents(search_text), ${textOf(word)(bind)}) > 0`;
    if (!word.links) return inText;
    return `(${inText} OR ${word.links.column} && ${bind(word.links.keys)}::uuid[])`;
  };
}

/** All rows that may satisfy {@link foundBy}, by the pieces of the word. */
function lookedUp(word: Word, listing: string): Condition {
  return (bind) => {
    const text = textOf(word)(bind);
    const hasPieces = `text_pieces(without_accents(search_text), 1) @> text_pieces(${text}, least(length(${text}), 3))`;
    if (!word.links) return hasPieces;
    return `id IN (SELECT id FROM ${listing} WHERE ${hasPieces}
      UNION ALL SELECT id FROM ${listing} WHERE ${word.links.column} && ${bind(word.links.keys)}::uuid[])`;
  };
}

/** The word as it stands in the indexed text, which has no accents (`FHIR R4 §3.1.1.4.8` string). */
export function textOf({ exact, text }: Word): Condition {
  const plain = (bound: string) => `without_accents(lower(${bound}))`;
  return (bind) => (exact ? `(${bind(exact)}::text || ${plain(bind(text))})` : plain(bind(text)));
}

function orderOf(
  { sortDirection }: Pick<PagedQuery, 'sortDirection'>,
  key: string,
  id: string,
  reversed = false,
): string {
  const direction = (sortDirection === 1) !== reversed ? 'DESC' : 'ASC';
  return `ORDER BY ${key} ${direction}, ${id} ${direction}`;
}

function statement() {
  const parameters: unknown[] = [];
  const bind = (value: unknown) => `$${parameters.push(value)}`;
  const all = (conditions: Condition[]) => ['true', ...conditions.map((condition) => condition(bind))].join(' AND ');
  return { parameters, bind, all };
}
