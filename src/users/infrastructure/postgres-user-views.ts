import { Injectable } from '@nestjs/common';
import { isUUID } from 'class-validator';
import type { UserFilter } from '../../contract/clients/bulk.js';
import type { FoundUser } from '../../contract/palette.js';
import { createdUserTypes } from '../../contract/rules/users/user-form.js';
import type { ListedUser, UserList, UserListQuery, UserView } from '../../contract/users/users.js';
import { Database } from '../../platform/database/database.js';
import { type Condition, PagedSearch, textOf, type Word, wordsOf } from '../../platform/database/paged-search.js';
import { type UserMatches, UserViews } from '../domain/user-views.js';
import { addressSpellings, hasSpelling } from './address-spellings.js';

/** Credentials of an account are not read at all (security I-16). */
const columns = `id, full_name AS "fullName", email, email_confirmed AS "emailConfirmed",
  email_unproven AS "emailUnproven",
  is_external AS "isExternal", user_type AS "userType", version,
  EXISTS (SELECT FROM managed_object WHERE managed_object.account = account.id) AS managed`;
const referenceForm = new RegExp(`(?:^|/)(${createdUserTypes.join('|')})/([^/]*)(?:/_history/[^/]*)?$`, 'i');
const notAdmin = "user_type <> 'Admin'";

const foundColumns = 'id, full_name AS "fullName", email, user_type AS "userType"';
const fhirUser = `(jsonb_path_query_first(claims, '$[*] ? (@.name == "fhirUser").value') #>> '{}')`;
/** The lines of the searched text. */
const nameAndAddress = String.raw`split_part(without_accents(search_text), E'\n', 1)
  || E'\n' || split_part(without_accents(search_text), E'\n', 2)`;
const reference = String.raw`split_part(search_text, E'\n', 3)`;

/** By the index of sign-ins. */
const lastSignIn = `(SELECT recorded_at FROM audit_event
  WHERE user_id = account.id::text AND type = 'login' AND outcome = 'success'
  ORDER BY recorded_at DESC LIMIT 1) AS "lastSignIn"`;

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
    const { notIncludeClaims, withLastSignIn, sortColumn, searchTerm, ...asked } = query;
    const extra = withLastSignIn === 'true' ? `, ${lastSignIn}` : '';
    const { rows, totalCount } = await this.accounts.read<ViewRow & { lastSignIn?: Date | null }>({
      ...asked,
      columns: `${columns}, ${notIncludeClaims === 'true' ? "'[]'::jsonb AS claims" : 'claims'}${extra}`,
      sortKey: sortExpressions[sortColumn],
      ...conditionsOf({ ...query, searchTerm }),
    });
    return { users: rows.map(listedUser), totalCount };
  }

  override async findById(id: string): Promise<UserView | undefined> {
    // PostgreSQL answers a text that is not a uuid with an error instead of with nothing.
    if (!isUUID(id, 'all')) return undefined;
    const { rows } = await this.database.query<ViewRow>(
      `SELECT ${columns}, claims FROM account WHERE id = $1 AND ${notAdmin}`,
      [id],
    );
    return rows.map(view)[0];
  }

  override ids(filter: UserFilter, most: number): Promise<string[]> {
    const order = { sortKey: sortExpressions.fullName, sortDirection: 0 } as const;
    return this.accounts.readIds({ ...conditionsOf(filter), ...order }, most);
  }

  override async search(term: string, most: number): Promise<UserMatches> {
    const words = wordsOf(term).map(wordOf);
    if (words.length === 0) return { users: [], records: [] };
    const [users, records] = await Promise.all([this.findByWords(words, most), this.withRecord(words, most)]);
    return {
      users,
      records: records.map(({ reference, ...user }) => ({ reference, user })),
    };
  }

  /** The users who have a word in the name or the address; first those whose name, or a part of it, begins with it. */
  private findByWords(words: Word[], most: number): Promise<(FoundUser & Row)[]> {
    const [first] = words.filter(({ exact }) => exact === undefined);
    if (!first) return Promise.resolve([]);
    return this.accounts.bestMatches({
      ...{ columns: foundColumns, kind: [() => notAdmin], words, sortKey: sortExpressions.fullName, most },
      fits: [someIn(nameAndAddress, words)],
      rank: (bind) => {
        const begin = `without_accents(lower(${bind(first.text)}))`;
        const name = 'without_accents(lower(full_name))';
        return `CASE WHEN starts_with(${name}, ${begin}) THEN 0
          WHEN strpos(${name}, ' ' || ${begin}) > 0 THEN 1 ELSE 2 END`;
      },
    });
  }

  /** The users whose own record has such a reference; first the one of exactly this id. */
  private async withRecord(words: Word[], most: number): Promise<(FoundUser & Row & { reference: string })[]> {
    const columns = `${foundColumns}, ${fhirUser} AS reference`;
    const [word] = words;
    const exact = words.length === 1 && word ? createdUserTypes.map((type) => `${type}/${word.text}`) : [];
    const { rows: same } = await this.database.query<FoundUser & Row & { reference: string }>(
      `SELECT ${columns} FROM account WHERE ${notAdmin} AND claims @> ANY ($1::jsonb[])
        ORDER BY ${sortExpressions.fullName}, id LIMIT $2`,
      [exact.map((value) => JSON.stringify([{ name: 'fhirUser', value }])), most],
    );
    const others = await this.accounts.bestMatches<FoundUser & Row & { reference: string }>({
      ...{ columns, kind: [() => notAdmin], words, sortKey: sortExpressions.fullName, most },
      fits: [someIn(reference, words)],
      rank: () => `length(${reference})`,
    });
    const known = new Set(same.map(({ id }) => id));
    return [...same, ...others.filter(({ id }) => !known.has(id))].slice(0, most);
  }

  override async idsNamed(name: { email: string } | { fhirUser: string }): Promise<string[]> {
    const [condition, value] =
      'email' in name
        ? [hasSpelling('email', '$1::text[]'), addressSpellings(name.email)]
        : ['claims @> $1::jsonb', JSON.stringify([{ name: 'fhirUser', value: name.fhirUser }])];
    const { rows } = await this.database.query<{ id: string }>(`SELECT id FROM account WHERE ${condition} LIMIT 50`, [
      value,
    ]);
    return rows.map(({ id }) => id);
  }

  override async ofIds(ids: readonly string[]): Promise<UserView[]> {
    const { rows } = await this.database.query<ViewRow>(
      `SELECT ${columns}, claims FROM unnest($1::uuid[]) WITH ORDINALITY AS wanted (wanted_id, place)
         JOIN account ON account.id = wanted_id WHERE ${notAdmin} ORDER BY place`,
      [ids],
    );
    return rows.map(view);
  }
}

const conditionsOf = (filter: UserFilter) => ({
  kind: kindOf(filter),
  further: claimOf(filter),
  words: wordsOf(filter.searchTerm).map(wordOf),
});

/** One of the words occurs in this part of the searched text. */
const someIn =
  (part: string, words: Word[]): Condition =>
  (bind) =>
    `(${words.map((word) => `strpos(${part}, ${textOf(word)(bind)}) > 0`).join(' OR ')})`;

interface Row {
  [column: string]: unknown;
}

interface ViewRow extends Omit<UserView, 'emailUnproven' | 'managed'>, Row {
  emailUnproven: boolean;
  managed: boolean;
}

function view({ emailUnproven, managed, ...user }: ViewRow): UserView {
  return { ...user, ...(emailUnproven && { emailUnproven }), ...(managed && { managed }) };
}

function listedUser({ lastSignIn, ...row }: ViewRow & { lastSignIn?: Date | null }): ListedUser {
  return { ...view(row), ...(lastSignIn !== undefined && { lastSignIn: lastSignIn?.toISOString() ?? null }) };
}

function kindOf({ isExternal, usertype }: UserFilter): Condition[] {
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

function claimOf({ hasClaimValue }: UserFilter): Condition[] {
  if (hasClaimValue === '') return [];
  // A claim may itself be an address, so that both are looked for.
  const [, type = '', id = ''] = referenceForm.exec(hasClaimValue) ?? [];
  const reference = createdUserTypes.filter((known) => known.toLowerCase() === type.toLowerCase());
  const values = [hasClaimValue, ...reference.map((known) => `${known}/${id}`)];
  const wanted = [...new Set(values)].map((value) => JSON.stringify([{ value }]));
  return [(bind) => `claims @> ANY (${bind(wanted)}::jsonb[])`];
}
