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
    const { page, pageSize, sortColumn, sortDirection, notIncludeClaims } = query;
    const kind = kindOf(query);
    const { condition, parameters, reads } = filterOf(query, kind);
    const direction = sortDirection === 1 ? 'DESC' : 'ASC';
    const claims = notIncludeClaims === 'true' ? "'[]'::jsonb" : 'claims';
    // The tally knows how many there are of each kind; only what it does not know has to be counted.
    const counted =
      reads === 'kinds'
        ? `SELECT coalesce(sum(people), 0)::int AS total FROM account_tally WHERE ${kind.condition}`
        : 'SELECT count(*)::int AS total FROM matching';
    const { rows } = await this.database.query<Row & { total: number }>(
      // A search reads all rows anyway; left the choice, PostgreSQL may do so through the sort index, in random order.
      `WITH matching AS ${reads === 'everything' ? '' : 'NOT'} MATERIALIZED (
         SELECT id, ${sortExpressions[sortColumn]} AS sort_key FROM account WHERE ${condition})
       SELECT total, ${columns}, ${claims} AS claims
       FROM (${counted}) AS counted
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

interface Kind {
  condition: string;
  parameters: unknown[];
}

/** What the tally is kept by; its columns have the names of the account's. */
function kindOf({ isExternal, usertype }: UserListQuery): Kind {
  const parameters: unknown[] = [];
  const bind = (value: unknown) => `$${parameters.push(value)}`;
  const conditions = [notAdmin];
  if (new Set(isExternal).size === 1) conditions.push(`is_external = ${bind(isExternal[0] === 'true')}`);
  if (usertype.length > 0) conditions.push(`user_type = ANY (${bind(usertype)})`);
  return { condition: conditions.join(' AND '), parameters };
}

/** `strpos` takes the search term literally: `%` and `_` are ordinary characters. */
function filterOf({ hasClaimValue, searchTerm }: UserListQuery, kind: Kind) {
  const parameters = [...kind.parameters];
  const bind = (value: unknown) => `$${parameters.push(value)}`;
  const conditions = [kind.condition];
  if (hasClaimValue !== '') {
    conditions.push(`claims @> ${bind(JSON.stringify([{ value: hasClaimValue }]))}::jsonb`);
  }
  const term = searchTerm.trim();
  if (term !== '') conditions.push(`strpos(search_text, lower(${bind(term)})) > 0`);
  const reads = term !== '' ? 'everything' : hasClaimValue !== '' ? 'claims' : 'kinds';
  return { condition: conditions.join(' AND '), parameters, reads } as const;
}
