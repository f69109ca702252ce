import type { Database } from '../../platform/database/database.js';
import { type End, keptEnds } from './access-ends.js';

/** The access of one user's app that a revocation ended. */
export interface EndedAccess {
  accountId: string;
  /** Number of live grants. */
  signIns: number;
  /** Live access tokens that were stored; self-contained ones are not. */
  accessTokens: number;
  refreshTokens: number;
  /** True if a live grant had access while the user was away. */
  offline: boolean;
  /** The beginning of the oldest live grant; null without one. */
  since: Date | null;
  /** Time of the last code or token, or of the grant. */
  lastToken: Date | null;
}

/** Records that a revocation deleted. */
export interface Deleted {
  any: boolean;
  grantIds: string[];
  /** By account. */
  ended: EndedAccess[];
}

/** Records that one statement deletes: an app may have many users, and a statement must not take seconds. */
const deletedAtOnce = 10_000;

/**
 * Deletes the records of this condition on `oidc_record`, tokens before grants. Their access is counted as they are
 * deleted, so that of two revocations at the same time one ends it; what ended it is kept by the same statement.
 */
export async function deleteRecords(
  database: Database,
  condition: string,
  parameters: string[],
  { by, keepDays }: End,
): Promise<Deleted> {
  const all = [...parameters, by, keepDays];
  const kept = keptEnds('gone', `$${all.length - 1}::text`, `$${all.length}::int`);

  const tokens = await deleteInBatches<EndedTokens>(
    database,
    all,
    `WITH gone AS (
       DELETE FROM oidc_record WHERE ${nextOf(`${condition} AND model <> 'Grant'`)}
       RETURNING account_id, model, id_hash, grant_id, client_id, payload, created_at, expires_at, consumed_at),
     kept AS (${kept})
     SELECT account_id AS "accountId", count(*)::int AS deleted,
            count(*) FILTER (WHERE model = 'AccessToken' AND expires_at > now())::int AS "accessTokens",
            count(*) FILTER (WHERE model = 'RefreshToken' AND expires_at > now() AND consumed_at IS NULL)::int
              AS "refreshTokens",
            max(created_at) FILTER (WHERE model IN ('AuthorizationCode', 'AccessToken', 'RefreshToken')) AS "lastToken"
       FROM gone GROUP BY account_id`,
  );
  const grants = await deleteInBatches<EndedGrants>(
    database,
    all,
    `WITH gone AS (
       DELETE FROM oidc_record WHERE ${nextOf(`${condition} AND model = 'Grant'`)}
       RETURNING account_id, model, id_hash, grant_id, client_id, payload, created_at, expires_at),
     kept AS (${kept})
     SELECT account_id AS "accountId", count(*)::int AS deleted, array_agg(grant_id) AS "grantIds",
            max(created_at) AS "lastToken", count(*) FILTER (WHERE expires_at > now())::int AS "signIns",
            min(created_at) FILTER (WHERE expires_at > now()) AS since,
            coalesce(bool_or(expires_at > now()
              AND 'offline_access' = ANY (string_to_array(payload -> 'openid' ->> 'scope', ' '))), false) AS offline
       FROM gone GROUP BY account_id`,
  );
  return {
    any: tokens.length + grants.length > 0,
    grantIds: grants.flatMap(({ grantIds }) => grantIds),
    ended: endedAccess(tokens, grants),
  };
}

/** Repeats a deletion of at most {@link deletedAtOnce} records until it finds fewer. */
async function deleteInBatches<Row extends DeletedOfAccount>(
  database: Database,
  parameters: unknown[],
  sql: string,
): Promise<Row[]> {
  const all: Row[][] = [];
  for (let deleted = deletedAtOnce; deleted === deletedAtOnce; ) {
    const { rows } = await database.query<Row>(sql, parameters);
    all.push(rows);
    deleted = rows.reduce((sum, row) => sum + row.deleted, 0);
  }
  return all.flat();
}

/** The records of one account that a statement deleted. */
interface DeletedOfAccount {
  /** Null for services. */
  accountId: string | null;
  deleted: number;
  [column: string]: unknown;
}

interface EndedTokens extends DeletedOfAccount, Pick<EndedAccess, 'accessTokens' | 'refreshTokens' | 'lastToken'> {}

interface EndedGrants extends DeletedOfAccount, Pick<EndedAccess, 'signIns' | 'since' | 'offline' | 'lastToken'> {
  grantIds: string[];
}

/** The condition of the next records of a batch; records that a concurrent request changes are found again. */
function nextOf(condition: string): string {
  return `(model, id_hash) IN (SELECT model, id_hash FROM oidc_record WHERE ${condition} LIMIT ${deletedAtOnce})`;
}

/** The access of each account that had a grant; the records of one may have been in several batches. */
function endedAccess(tokens: EndedTokens[], grants: EndedGrants[]): EndedAccess[] {
  const ended = new Map<string, EndedAccess>();
  for (const { accountId, signIns, since, offline, lastToken } of grants) {
    if (accountId === null) continue;
    const known = ended.get(accountId);
    ended.set(accountId, {
      accountId,
      signIns: (known?.signIns ?? 0) + signIns,
      accessTokens: 0,
      refreshTokens: 0,
      offline: offline || known?.offline === true,
      since: first(known?.since, since),
      lastToken: laterOf(known?.lastToken, lastToken),
    });
  }
  for (const { accountId, accessTokens, refreshTokens, lastToken } of tokens) {
    const known = ended.get(accountId ?? '');
    if (!known) continue;
    known.accessTokens += accessTokens;
    known.refreshTokens += refreshTokens;
    known.lastToken = laterOf(known.lastToken, lastToken);
  }
  return [...ended.values()];
}

function first(one: Date | null | undefined, other: Date | null): Date | null {
  return one && other ? (one < other ? one : other) : (one ?? other);
}

function laterOf(one: Date | null | undefined, other: Date | null): Date | null {
  return one && other ? (one > other ? one : other) : (one ?? other);
}
