import { Injectable } from '@nestjs/common';
import { isUUID } from 'class-validator';
import { countedMatches } from '../../contract/rules/paging.js';
import type { UserList, UserListQuery, UserView } from '../../contract/users.js';
import { Database } from '../../platform/database/database.js';

/** Nothing that opens an account is read at all (security I-16). */
const columns = `id, full_name AS "fullName", email, email_confirmed AS "emailConfirmed",
  is_external AS "isExternal", user_type AS "userType"`;
const notAdmin = "user_type <> 'Admin'";

const sortExpressions = {
  fullName: 'lower(full_name)',
  email: 'lower(email)',
  userType: 'user_type',
  emailConfirmed: 'email_confirmed',
  isExternal: 'is_external',
} as const;

/** Of how many accounts, in the order of their random ids, it is seen how common a search term is. */
const sampled = 400;
/** From this share of them on, a term is in so many that reading them in their order finds the next page soon. */
const common = 0.05;

/**
 * Accounts as lists and forms see them, straight from the table; administrators are not among them (`spec §3`).
 *
 * A list must not take longer the more accounts there are (docs/decisions/0021). So none is counted that the tally has
 * counted already, a page near the end is read from the end, a rare search term is looked up by its pieces, and for a
 * common one, for which that would find nearly everybody, the accounts are read in order until the page is full.
 */
@Injectable()
export class UserViews {
  constructor(private readonly database: Database) {}

  async list(query: UserListQuery): Promise<UserList> {
    const term = query.searchTerm.trim();
    if (term !== '' && !(await this.isCommon(term))) return this.lookUp(term, query);
    const totalCount = await this.count(query);
    return { users: await this.page(query, totalCount), totalCount };
  }

  async find(id: string): Promise<UserView | undefined> {
    // PostgreSQL answers a text that is no uuid with an error instead of with nothing.
    if (!isUUID(id, 'all')) return undefined;
    const { rows } = await this.database.query<UserView & Row>(
      `SELECT ${columns}, claims FROM account WHERE id = $1 AND ${notAdmin}`,
      [id],
    );
    return rows[0];
  }

  private async isCommon(term: string): Promise<boolean> {
    const { rows } = await this.database.query<{ share: number | null }>(
      `SELECT avg((strpos(search_text, lower($1)) > 0)::int)::float8 AS share
         FROM (SELECT search_text FROM account ORDER BY id LIMIT ${sampled}) AS sample`,
      [term],
    );
    return (rows[0]?.share ?? 0) >= common;
  }

  /** All that is found is sorted, which also counts it. */
  private async lookUp(term: string, query: UserListQuery): Promise<UserList> {
    const { condition, parameters } = conditionOf(query);
    const pieces = `$${parameters.push(term)}`;
    const { rows } = await this.database.query<UserView & Row & { total: number }>(
      // The pieces stand alone, or PostgreSQL may take another index and compute them for all that it gives.
      `WITH candidate AS MATERIALIZED (
         SELECT id, ${sortExpressions[query.sortColumn]} AS sort_key, ${condition} AS fits FROM account
          WHERE text_pieces(search_text, 1) @> text_pieces(lower(${pieces}), least(length(lower(${pieces})), 3))),
       page AS (
         SELECT id, sort_key FROM candidate WHERE fits ${orderOf(query, 'sort_key')}
          LIMIT ${query.pageSize} OFFSET $${parameters.push(offsetOf(query))})
       SELECT total, account.* FROM (SELECT count(*)::int AS total FROM candidate WHERE fits) AS counted
         LEFT JOIN page ON true
         LEFT JOIN LATERAL (SELECT ${columns}, ${claimsOf(query)} FROM account WHERE id = page.id) AS account ON true
        ${orderOf(query, 'sort_key', 'page.id')}`,
      parameters,
    );
    // Beyond the last page there is one row that holds nothing but the total.
    const users = rows.filter(({ id }) => id !== null).map(({ total: _, ...user }) => user);
    return { users, totalCount: rows[0]?.total ?? 0 };
  }

  private async count(query: UserListQuery): Promise<number> {
    const kind = kindOf(query);
    const { condition, parameters, onlyKind } = conditionOf(query);
    const { rows } = onlyKind
      ? await this.database.query<{ total: number }>(
          `SELECT coalesce(sum(people), 0)::int AS total FROM account_tally WHERE ${kind.condition}`,
          kind.parameters,
        )
      : await this.database.query<{ total: number }>(
          `SELECT count(*)::int AS total FROM (SELECT FROM account WHERE ${condition} LIMIT ${countedMatches}) AS matching`,
          parameters,
        );
    return rows[0]?.total ?? 0;
  }

  private async page(query: UserListQuery, totalCount: number): Promise<UserView[]> {
    const { condition, parameters, onlyKind } = conditionOf(query);
    const offset = offsetOf(query);
    const length = Math.min(query.pageSize, totalCount - offset);
    if (length <= 0) return [];
    const fromEnd = onlyKind && offset > totalCount / 2;
    const { rows } = await this.database.query<UserView & Row>(
      `SELECT ${columns}, ${claimsOf(query)} FROM account WHERE ${condition}
        ${orderOf(query, sortExpressions[query.sortColumn], 'id', fromEnd)}
        LIMIT ${length} OFFSET $${parameters.push(fromEnd ? totalCount - offset - length : offset)}`,
      parameters,
    );
    return fromEnd ? rows.reverse() : rows;
  }
}

interface Row {
  [column: string]: unknown;
}

const offsetOf = ({ page, pageSize }: UserListQuery) => (page - 1) * pageSize;

const claimsOf = ({ notIncludeClaims }: UserListQuery) =>
  notIncludeClaims === 'true' ? "'[]'::jsonb AS claims" : 'claims';

function orderOf({ sortDirection }: UserListQuery, key: string, id = 'id', reversed = false): string {
  const direction = (sortDirection === 1) !== reversed ? 'DESC' : 'ASC';
  return `ORDER BY ${key} ${direction}, ${id} ${direction}`;
}

/** What the tally is kept by; its columns have the names of the account's. */
function kindOf({ isExternal, usertype }: UserListQuery) {
  const parameters: unknown[] = [];
  const bind = (value: unknown) => `$${parameters.push(value)}`;
  const conditions = [notAdmin];
  if (new Set(isExternal).size === 1) conditions.push(`is_external = ${bind(isExternal[0] === 'true')}`);
  if (usertype.length > 0) conditions.push(`user_type = ANY (${bind(usertype)})`);
  return { condition: conditions.join(' AND '), parameters };
}

/** `strpos` takes the search term literally: `%` and `_` are ordinary characters (security I-11). */
function conditionOf(query: UserListQuery) {
  const kind = kindOf(query);
  const parameters = [...kind.parameters];
  const bind = (value: unknown) => `$${parameters.push(value)}`;
  const conditions = [kind.condition];
  const { hasClaimValue } = query;
  if (hasClaimValue !== '') {
    conditions.push(`claims @> ${bind(JSON.stringify([{ value: hasClaimValue }]))}::jsonb`);
  }
  const term = query.searchTerm.trim();
  if (term !== '') conditions.push(`strpos(search_text, lower(${bind(term)})) > 0`);
  return { condition: conditions.join(' AND '), parameters, onlyKind: conditions.length === 1 };
}
