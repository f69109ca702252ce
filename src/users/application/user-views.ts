import { Injectable } from '@nestjs/common';
import { isUUID } from 'class-validator';
import type { UserList, UserListQuery, UserView } from '../../contract/users.js';
import { Database } from '../../platform/database/database.js';

/** Nothing that opens an account is read at all (security I-16). */
const columns = `account.id, full_name AS "fullName", email, email_confirmed AS "emailConfirmed",
  is_external AS "isExternal", user_type AS "userType"`;
const notAdmin = "user_type <> 'Admin'";

const sortExpressions = {
  fullName: 'lower(full_name)',
  email: 'lower(email)',
  userType: 'user_type',
  emailConfirmed: 'email_confirmed',
  isExternal: 'is_external',
} as const;

type Row = UserView & { [column: string]: unknown };

/** Accounts as lists and forms see them, straight from the table; administrators are not among them (`spec §3`). */
@Injectable()
export class UserViews {
  constructor(private readonly database: Database) {}

  async list(query: UserListQuery): Promise<UserList> {
    const { page, pageSize, sortColumn, sortDirection, searchTerm, notIncludeClaims } = query;
    const { condition, parameters } = filterOf(query);
    const direction = sortDirection === 1 ? 'DESC' : 'ASC';
    const claims = notIncludeClaims === 'true' ? "'[]'::jsonb" : 'claims';
    const { rows } = await this.database.query<Row & { total: number }>(
      // A search reads all rows anyway; left the choice, PostgreSQL may do so through the sort index, in random order.
      `WITH matching AS ${searchTerm ? '' : 'NOT'} MATERIALIZED (
         SELECT id, ${sortExpressions[sortColumn]} AS sort_key FROM account WHERE ${condition})
       SELECT total, ${columns}, ${claims} AS claims
       FROM (SELECT count(*)::int AS total FROM matching) AS counted
       LEFT JOIN (
         SELECT id, sort_key FROM matching ORDER BY sort_key ${direction}, id ${direction}
         LIMIT ${pageSize} OFFSET $${parameters.length + 1}) AS page ON true
       LEFT JOIN account ON account.id = page.id
       ORDER BY page.sort_key ${direction}, page.id ${direction}`,
      [...parameters, (page - 1) * pageSize],
    );
    // Beyond the last page there is one row that holds nothing but the total.
    const users = rows.filter(({ id }) => id !== null).map(({ total: _, ...user }) => user as UserView);
    return { users, totalCount: rows[0]?.total ?? 0 };
  }

  async find(id: string): Promise<UserView | undefined> {
    // PostgreSQL answers a text that is no uuid with an error instead of with nothing.
    if (!isUUID(id, 'all')) return undefined;
    const { rows } = await this.database.query<Row>(
      `SELECT ${columns}, claims FROM account WHERE id = $1 AND ${notAdmin}`,
      [id],
    );
    return rows[0];
  }
}

/** `strpos` takes the search term literally: `%` and `_` are ordinary characters. */
function filterOf(query: UserListQuery): { condition: string; parameters: unknown[] } {
  const parameters: unknown[] = [];
  const bind = (value: unknown) => `$${parameters.push(value)}`;
  const conditions = [notAdmin];
  if (new Set(query.isExternal).size === 1) conditions.push(`is_external = ${bind(query.isExternal[0] === 'true')}`);
  if (query.usertype.length > 0) conditions.push(`user_type = ANY (${bind(query.usertype)})`);
  if (query.hasClaimValue !== '') {
    conditions.push(`claims @> ${bind(JSON.stringify([{ value: query.hasClaimValue }]))}::jsonb`);
  }
  const term = query.searchTerm.trim();
  if (term !== '') conditions.push(`strpos(search_text, lower(${bind(term)})) > 0`);
  return { condition: conditions.join(' AND '), parameters };
}
