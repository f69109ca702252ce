import { Injectable } from '@nestjs/common';
import { isUUID } from 'class-validator';
import { createdUserTypes } from '../../contract/rules/users/user-form.js';
import type { UserList, UserListQuery, UserView } from '../../contract/users.js';
import { Database } from '../../platform/database/database.js';
import { type Condition, PagedSearch, type Word, wordsOf } from '../../platform/database/paged-search.js';
import { UserViews } from '../domain/user-views.js';

/** Credentials of an account are not read at all (security I-16). */
const columns = `id, full_name AS "fullName", email, email_confirmed AS "emailConfirmed",
  is_external AS "isExternal", user_type AS "userType", version`;
const referenceForm = new RegExp(`(?:^|/)(${createdUserTypes.join('|')})/([^/]*)$`, 'i');
const notAdmin = "user_type <> 'Admin'";

const sortExpressions = {
  fullName: 'lower(full_name)',
  email: 'lower(email)',
  userType: 'user_type',
  emailConfirmed: 'email_confirmed',
  isExternal: 'is_external',
} as const;

@Injectable()
export class PostgresUserViews extends UserViews {
  private readonly accounts: PagedSearch;

  constructor(private readonly database: Database) {
    super();
    this.accounts = new PagedSearch(database, {
      name: 'account',
      listing: 'account',
      tally: 'account_tally',
      counted: 'people',
    });
  }

  override async list(query: UserListQuery): Promise<UserList> {
    const { notIncludeClaims, sortColumn, searchTerm, ...asked } = query;
    const { rows, totalCount } = await this.accounts.read<UserView & Row>({
      ...asked,
      columns: `${columns}, ${notIncludeClaims === 'true' ? "'[]'::jsonb AS claims" : 'claims'}`,
      sortKey: sortExpressions[sortColumn],
      kind: kindOf(query),
      further: claimOf(query),
      words: wordsOf(searchTerm).map(wordOf),
    });
    return { users: rows, totalCount };
  }

  override async find(id: string): Promise<UserView | undefined> {
    // PostgreSQL answers a text that is no uuid with an error instead of with nothing.
    if (!isUUID(id, 'all')) return undefined;
    const { rows } = await this.database.query<UserView & Row>(
      `SELECT ${columns}, claims FROM account WHERE id = $1 AND ${notAdmin}`,
      [id],
    );
    return rows[0];
  }
}

interface Row {
  [column: string]: unknown;
}

function kindOf({ isExternal, usertype }: UserListQuery): Condition[] {
  const conditions: Condition[] = [() => notAdmin];
  if (new Set(isExternal).size === 1) conditions.push((bind) => `is_external = ${bind(isExternal[0] === 'true')}`);
  if (usertype.length > 0) conditions.push((bind) => `user_type = ANY (${bind(usertype)})`);
  return conditions;
}

/** A FHIR reference, or the address of such a record; its type is in capitals in what is searched. */
function wordOf(word: string): Word {
  const [, type, id] = referenceForm.exec(word) ?? [];
  return type && id !== undefined ? { exact: `${type.toUpperCase()}/`, text: id } : { text: word };
}

function claimOf({ hasClaimValue }: UserListQuery): Condition[] {
  if (hasClaimValue === '') return [];
  return [(bind) => `claims @> ${bind(JSON.stringify([{ value: hasClaimValue }]))}::jsonb`];
}
