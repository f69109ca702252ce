import { Injectable } from '@nestjs/common';
import { sha256 } from '../../platform/crypto/secrets.js';
import { Database } from '../../platform/database/database.js';
import { GroupCommit } from '../../platform/database/group-commit.js';
import { payloadChanges } from './payload-changes.js';

/** What is stored: the engine's name for it, such as `RefreshToken`, or ours for what goes along with a request. */
export type Model = string;

/** What the engine keeps of one thing; `jti` (which is the token itself) is never part of it at rest. */
export interface Payload {
  [key: string]: unknown;
  jti?: string;
  uid?: string;
  grantId?: string;
  accountId?: string;
  clientId?: string;
  exp?: number;
  consumed?: number;
}

interface Row {
  payload: Payload;
  exp: number;
  consumed: number | null;
  raced: boolean;
}

/** What is used once. */
interface Mark {
  model: Model;
  hash: string;
  expiresInSeconds: number;
}

export interface Found {
  payload: Payload;
  /** Consumed by a request that ran at the same time as this one, so that losing to it is no sign of theft. */
  consumedMeanwhile: boolean;
}

/** What was consumed since this request began, `$3` seconds before its transaction, was consumed by a concurrent one. */
const columnsOf = (table = '') => `${table}payload, floor(extract(epoch FROM ${table}expires_at))::float8 AS exp,
  floor(extract(epoch FROM ${table}consumed_at))::float8 AS consumed,
  coalesce(${table}consumed_at >= now() - make_interval(secs => $3), false) AS raced`;
const columns = columnsOf();

/** What is of no use without its grant. */
const modelsOfGrants = ['AuthorizationCode', 'AccessToken', 'RefreshToken'];

/**
 * Locks the grant of the record with the model `$1` and the hash `$2`. A request that uses or removes what belongs to a
 * grant locks the grant first, and a revocation does the same ({@link ./revocations.js}): so none of them wait in a circle,
 * and nothing is added to a grant that another request ends.
 */
const lockedGrant = `locked AS MATERIALIZED (SELECT FROM oidc_record WHERE model = 'Grant' AND grant_id =
    (SELECT grant_id FROM oidc_record WHERE model = $1 AND id_hash = $2) FOR UPDATE)`;

/**
 * Everything the OIDC engine stores: sessions, interactions, grants, codes and tokens. Rows are found by the SHA-256 of
 * their id, so that a copy of the table opens nothing. Single use is one conditional statement ({@link consume},
 * {@link insertOnce}); expiry is the database's clock.
 */
@Injectable()
export class OidcRecords {
  private readonly marks: GroupCommit<Mark, boolean>;

  constructor(private readonly database: Database) {
    this.marks = new GroupCommit((marks) => database.outsideTransaction(() => this.insertMarks(marks)));
  }

  /** A grant lives at least as long as the refresh token that is stored with it, which each refresh renews. */
  async upsert(model: Model, id: string, { jti: _, ...payload }: Payload, expiresInSeconds: number): Promise<void> {
    const grantId = model === 'Grant' ? id : payload.grantId;
    // A Grant that ends with a session is found by it.
    const uid = model === 'Grant' ? payload.sessionUid : payload.uid;
    const renewal = `renewed AS (UPDATE oidc_record SET expires_at = greatest(expires_at, now() + make_interval(secs => $8))
                                  WHERE model = 'Grant' AND grant_id = $4)`;
    await this.database.query(
      `${model === 'RefreshToken' ? `WITH ${renewal}` : ''}
       INSERT INTO oidc_record (model, id_hash, payload, grant_id, account_id, client_id, uid, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, now() + make_interval(secs => $8))
       ON CONFLICT (model, id_hash) DO UPDATE SET payload = excluded.payload, grant_id = excluded.grant_id,
         account_id = excluded.account_id, client_id = excluded.client_id, uid = excluded.uid, expires_at = excluded.expires_at`,
      [model, sha256(id), payload, grantId, payload.accountId, payload.clientId, uid, expiresInSeconds],
    );
  }

  /** Stores it unless it is there, and at once unless the use case at hand has begun to write; false when it was. */
  async insertOnce(model: Model, id: string, expiresInSeconds: number): Promise<boolean> {
    const mark = { model, hash: sha256(id), expiresInSeconds };
    if (!this.database.hasBegun) return this.marks.submit(mark);
    // Whoever holds a connection must not wait for another one: all of them could.
    const [isNew = false] = await this.insertMarks([mark]);
    return isNew;
  }

  /** In the order of their ids, so that two nodes with the same marks wait for each other one way only. */
  private async insertMarks(marks: Mark[]): Promise<boolean[]> {
    const { rows } = await this.database.query<{ key: string }>(
      `INSERT INTO oidc_record (model, id_hash, payload, expires_at)
       SELECT model, id_hash, '{}', now() + make_interval(secs => seconds)
         FROM unnest($1::text[], $2::text[], $3::float8[]) AS mark (model, id_hash, seconds) ORDER BY model, id_hash
       ON CONFLICT DO NOTHING RETURNING model || id_hash AS key`,
      [marks.map(({ model }) => model), marks.map(({ hash }) => hash), marks.map((mark) => mark.expiresInSeconds)],
    );
    const fresh = new Set(rows.map(({ key }) => key));
    return marks.map(({ model, hash }) => fresh.delete(model + hash));
  }

  /** With `lock`, concurrent requests for the same row wait for each other until their transactions end. */
  async find(model: Model, id: string, { lock = false } = {}): Promise<Found | undefined> {
    const { rows } = await this.database.query<Row>(
      `SELECT ${columns} FROM oidc_record WHERE model = $1 AND id_hash = $2 AND expires_at > now() ${lock ? 'FOR UPDATE' : ''}`,
      [model, sha256(id), await this.database.lag()],
    );
    return found(rows[0], id);
  }

  /**
   * As {@link find} with `lock`, for what belongs to a grant and only while there is one: requests for the same grant wait
   * for each other. Rows are locked in the order in which `OF` names them.
   */
  async findWithGrant(model: Model, id: string): Promise<Found | undefined> {
    const { rows } = await this.database.query<Row>(
      `SELECT ${columnsOf('record.')} FROM oidc_record record
         JOIN oidc_record held ON held.model = 'Grant' AND held.grant_id = record.grant_id
        WHERE record.model = $1 AND record.id_hash = $2 AND record.expires_at > now() FOR UPDATE OF held, record`,
      [model, sha256(id), await this.database.lag()],
    );
    return found(rows[0], id);
  }

  async findByUid(model: Model, uid: string): Promise<Found | undefined> {
    const { rows } = await this.database.query<Row>(
      `SELECT ${columns} FROM oidc_record WHERE model = $1 AND uid = $2 AND expires_at > now()`,
      [model, uid, await this.database.lag()],
    );
    return found(rows[0]);
  }

  /** True for exactly one caller, and for none once the grant has ended. */
  async consume(model: Model, id: string): Promise<boolean> {
    const isOfGrant = modelsOfGrants.includes(model);
    const { rowCount } = await this.database.query(
      `${isOfGrant ? `WITH ${lockedGrant}` : ''}
       UPDATE oidc_record SET consumed_at = clock_timestamp() WHERE model = $1 AND id_hash = $2 AND consumed_at IS NULL
         ${isOfGrant ? 'AND EXISTS (SELECT FROM locked)' : ''}`,
      [model, sha256(id)],
    );
    return rowCount === 1;
  }

  /**
   * Notes that a request lost to a concurrent one: those that overlap with it are of the same burst, though they may
   * have come after the winner was done.
   */
  async lost(model: Model, id: string): Promise<void> {
    await this.database.query(
      `UPDATE oidc_record SET consumed_at = clock_timestamp()
        WHERE model = $1 AND id_hash = $2 AND consumed_at IS NOT NULL`,
      [model, sha256(id)],
    );
  }

  /**
   * Changes what is stored, its id included, and leaves alone what the request at hand has not changed of it; false when
   * it is not there (any more).
   */
  async change(
    model: Model,
    { from, to = from }: { from: string; to?: string },
    { before, after }: { before: Payload; after: Payload },
    expiresInSeconds: number,
  ): Promise<boolean> {
    const { set, unset, apps } = payloadChanges(before, after);
    const { rowCount } = await this.database.query(
      `UPDATE oidc_record SET id_hash = $3, account_id = $4, expires_at = now() + make_interval(secs => $5),
         payload = (payload - $6::text[]) || $7::jsonb || CASE WHEN $8::jsonb IS NULL THEN '{}' ELSE jsonb_build_object(
           'authorizations', (coalesce(payload -> 'authorizations', '{}') - $9::text[]) || $8::jsonb) END
        WHERE model = $1 AND id_hash = $2`,
      [model, sha256(from), sha256(to), after.accountId, expiresInSeconds, unset, set, apps?.set, apps?.unset ?? []],
    );
    return rowCount === 1;
  }

  async destroy(model: Model, id: string): Promise<void> {
    if (modelsOfGrants.includes(model)) {
      await this.database.query(`WITH ${lockedGrant} SELECT FROM locked`, [model, sha256(id)]);
    }
    await this.database.query('DELETE FROM oidc_record WHERE model = $1 AND id_hash = $2', [model, sha256(id)]);
  }

  /** The ids of the requests that wait in a browser, newest first; two are as many as anybody asks about. */
  async interactionsOf(browserHash: string): Promise<string[]> {
    const { rows } = await this.database.query<{ returnTo: string }>(
      `SELECT payload ->> 'returnTo' AS "returnTo" FROM oidc_record
        WHERE model = 'Interaction' AND payload ->> 'browser' = $1 AND expires_at > now()
        ORDER BY created_at DESC LIMIT 2`,
      [browserHash],
    );
    return rows.map(({ returnTo }) => returnTo.slice(returnTo.lastIndexOf('/') + 1));
  }

  /** The live grants of an app by a person, which wait for this transaction; their ids open nothing. */
  async lockGrants(accountId: string, clientId: string): Promise<string[]> {
    const { rows } = await this.database.query<{ id: string }>(
      `SELECT grant_id AS id FROM oidc_record
        WHERE model = 'Grant' AND account_id = $1 AND client_id = $2 AND expires_at > now()
        ORDER BY grant_id FOR UPDATE`,
      [accountId, clientId],
    );
    return rows.map(({ id }) => id);
  }

  /** Moves the end of a session that is being used; not more often than every `pause` seconds. */
  async extendSession(uid: string, seconds: number, pause: number): Promise<void> {
    await this.database.query(
      `UPDATE oidc_record SET expires_at = now() + make_interval(secs => $2), last_used_at = now()
        WHERE model = 'Session' AND uid = $1 AND last_used_at <= now() - make_interval(secs => $3)`,
      [uid, seconds, pause],
    );
  }

  /**
   * Removes what has expired, at most `limit` rows; says how many. The marks of {@link insertOnce} stay for an hour more: a
   * clock that is set back must not make what was used good again (security Q-05).
   */
  async sweep(limit: number): Promise<number> {
    const { rowCount } = await this.database.query(
      `DELETE FROM oidc_record WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM oidc_record WHERE expires_at < now() - interval '1 minute'
            AND (payload <> '{}' OR expires_at < now() - interval '1 hour') LIMIT $1 FOR UPDATE SKIP LOCKED))`,
      [limit],
    );
    await this.database.query('DELETE FROM refresh_answer WHERE expires_at < now()');
    return rowCount ?? 0;
  }
}

function found(row: Row | undefined, id?: string): Found | undefined {
  if (!row) return undefined;
  const payload: Payload = { ...row.payload, exp: row.exp };
  if (id !== undefined) payload.jti = id;
  if (row.consumed !== null) payload.consumed = row.consumed;
  return { payload, consumedMeanwhile: row.raced };
}
