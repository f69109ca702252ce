import { Injectable } from '@nestjs/common';
import { sha256 } from '../../platform/crypto/secrets.js';
import { Database, sqlState } from '../../platform/database/database.js';
import { GroupCommit } from '../../platform/database/group-commit.js';
import type { Prepared } from '../../platform/database/statement-group.js';
import { keptExpiries } from './access-ends.js';
import type { Found, FoundOfGrant, Model, PastRecord, Payload, PendingInteraction } from './oidc-record.js';
import { payloadChanges } from './payload-changes.js';
import {
  changeOne,
  changeOrFail,
  consumeOne,
  consumeOrFail,
  deleteOne,
  insertNew,
  lockUnusedWithGrant,
  lockWithGrant,
  logarithmOfZero,
  selectByUid,
  selectOne,
  upsertOne,
  upsertRenewingGrant,
} from './record-statements.js';

interface Row {
  payload: Payload;
  exp: number;
  consumed: number | null;
  raced: boolean;
}

/** A mark for single use. */
interface Mark {
  model: Model;
  hash: string;
  expiresInSeconds: number;
}

/** A record to read. */
interface RecordKey {
  model: Model;
  hash: string;
}

/** A row with the grant that it belongs to. */
interface RowOfGrant extends Row {
  /** Null if there is no grant. */
  grantExp: number | null;
  /** Null if the grant has expired or ended. */
  grantPayload: Payload | null;
  isLocked?: boolean;
}

/** Id of a record to change, and its new id. */
interface ChangedId {
  from: string;
  to?: string;
}

/** A record as the current request has read it, and as it is to be. */
interface Contents {
  before: Payload;
  after: Payload;
}

/**
 * Storage of the OIDC engine: sessions, interactions, grants, codes and tokens. Rows are found by the SHA-256 of their
 * id, so that a copy of the table gives access to nothing. Single use is one conditional statement ({@link consume},
 * {@link insertOnce}); expiry uses the database's clock.
 */
@Injectable()
export class OidcRecords {
  private readonly marks: GroupCommit<Mark, boolean>;
  private readonly reads: GroupCommit<RecordKey, Row | undefined>;

  constructor(private readonly database: Database) {
    this.marks = new GroupCommit((marks) => database.outsideTransaction(() => this.insertMarks(marks)));
    this.reads = new GroupCommit((places) => this.readAll(places), 50, setImmediate);
  }

  /**
   * Stores a record, at the latest with the commit. A grant lives at least as long as the refresh token that is stored
   * with it; when a refresh has to prolong it, by `spareGrantSeconds` more.
   */
  async upsert(
    model: Model,
    id: string,
    { jti: _, ...payload }: Payload,
    expiresInSeconds: number,
    spareGrantSeconds = 0,
  ): Promise<void> {
    const grantId = model === 'Grant' ? id : payload.grantId;
    // A Grant that ends with a session is found by the session's uid.
    const uid = model === 'Grant' ? payload.sessionUid : payload.uid;
    const isRefresh = model === 'RefreshToken';
    await this.database.write(isRefresh ? upsertRenewingGrant : upsertOne, [
      model,
      sha256(id),
      // The engine may change the object before it is sent.
      JSON.stringify(payload),
      grantId,
      payload.accountId,
      payload.clientId,
      uid,
      expiresInSeconds,
      ...(isRefresh ? [expiresInSeconds + spareGrantSeconds] : []),
    ]);
  }

  /**
   * Stores the mark unless it exists; false if it did. Commits at once unless the current use case has begun to write.
   */
  async insertOnce(model: Model, id: string, expiresInSeconds: number): Promise<boolean> {
    const mark = { model, hash: sha256(id), expiresInSeconds };
    if (!this.database.hasBegun) return this.marks.submit(mark);
    // A request that holds a connection must not wait for another one: all requests could do so at once.
    const [isNew = false] = await this.insertMarks([mark]);
    return isNew;
  }

  /** Inserts in the order of ids, so that two nodes with the same marks cannot deadlock. */
  private async insertMarks(marks: Mark[]): Promise<boolean[]> {
    const { rows } = await this.database.query<{ key: string }>(insertNew, [
      marks.map(({ model }) => model),
      marks.map(({ hash }) => hash),
      marks.map((mark) => mark.expiresInSeconds),
    ]);
    const fresh = new Set(rows.map(({ key }) => key));
    return marks.map(({ model, hash }) => fresh.delete(model + hash));
  }

  /** Finds a record. */
  async findById(model: Model, id: string): Promise<Found | undefined> {
    const parameters = [model, sha256(id), await this.database.lag()];
    return foundRecord((await this.database.query<Row>(selectOne, parameters)).rows[0], id);
  }

  /**
   * The client of a refresh token, also of one that has expired or whose access has ended: it gets `invalid_grant`, as
   * with its client id.
   */
  async clientOfRefreshToken(token: string): Promise<string | undefined> {
    const { rows } = await this.database.query<{ clientId: string | null }>(
      `SELECT client_id AS "clientId" FROM oidc_record WHERE model = 'RefreshToken' AND id_hash = $1
       UNION ALL
       SELECT client_id FROM ended_access WHERE model = 'RefreshToken' AND id_hash = $1 LIMIT 1`,
      [sha256(token)],
    );
    return rows[0]?.clientId ?? undefined;
  }

  /** A record with its past, also one that has expired and is not swept yet; for finding out why it cannot be used. */
  async findPast(model: Model, id: string): Promise<PastRecord | undefined> {
    const { rows } = await this.database.query<PastRecord>(
      `SELECT payload, round(extract(epoch FROM now() - consumed_at))::float8 AS "consumedSince",
              round(extract(epoch FROM now() - expires_at))::float8 AS "expiredSince"
         FROM oidc_record WHERE model = $1 AND id_hash = $2`,
      [model, sha256(id)],
    );
    return rows[0];
  }

  /**
   * As {@link findById}, for a request that changes nothing: records that requests ask for at the same time are found
   * in one round trip. It is sent after the call, so it finds no record that was removed before. Each request gets a
   * payload of its own: the engine changes the sessions that it has read, in their nested members, too.
   */
  async read(model: Model, id: string): Promise<Found | undefined> {
    if (this.database.hasBegun) return this.findById(model, id);
    return foundRecord(await this.reads.submit({ model, hash: sha256(id) }), id);
  }

  private async readAll(places: RecordKey[]): Promise<(Row | undefined)[]> {
    const asked = [...new Map(places.map((place) => [place.model + place.hash, place])).values()];
    const results = await this.database.readTogether<Row>(
      selectOne,
      asked.map(({ model, hash }) => [model, hash, 0]),
    );
    const byKey = new Map(asked.map(({ model, hash }, index) => [model + hash, results[index]?.rows[0]]));
    const given = new Set<Row>();
    return places.map(({ model, hash }) => {
      const row = byKey.get(model + hash);
      if (row && given.has(row)) return structuredClone(row);
      if (row) given.add(row);
      return row;
    });
  }

  /** As {@link findById}; concurrent requests for the same record wait for each other until their transactions end. */
  async findLocked(model: Model, id: string): Promise<Found | undefined> {
    const parameters = [model, sha256(id), await this.database.lag()];
    return foundRecord((await this.database.query<Row>(`${selectOne.text} FOR UPDATE`, parameters)).rows[0], id);
  }

  /**
   * As {@link findLockedWithGrant}, but a record that is consumed is not locked: requests that present it again do not
   * wait for each other. A record that a concurrent request consumes or whose grant ends meanwhile is
   * `consumedMeanwhile`.
   */
  async findUnusedWithGrant(model: Model, id: string): Promise<FoundOfGrant | undefined> {
    return this.findOfGrant(lockUnusedWithGrant, model, id);
  }

  /** As {@link findLocked}, and only while the grant exists: requests for the same grant wait for each other. */
  findLockedWithGrant(model: Model, id: string): Promise<FoundOfGrant | undefined> {
    return this.findOfGrant(lockWithGrant, model, id);
  }

  /**
   * A session is read before anything else; the keys of a request object may be fetched between that and the first
   * change.
   */
  findSession(id: string): Promise<Found | undefined> {
    return this.read('Session', id);
  }

  async findByUid(model: Model, uid: string): Promise<Found | undefined> {
    const parameters = [model, uid, await this.database.lag()];
    const { rows } = await this.database.query<Row>(selectByUid, parameters);
    return foundRecord(rows[0]);
  }

  /** Consumes a record that belongs to no grant: true for exactly one caller. */
  async consume(model: Model, id: string): Promise<boolean> {
    const { rowCount } = await this.database.query(consumeOne, [model, sha256(id)]);
    return rowCount === 1;
  }

  /**
   * Consumes a record that the transaction has locked together with its grant and found unconsumed, at the latest
   * with the commit, which fails if that is not so.
   */
  async consumeLocked(model: Model, id: string): Promise<void> {
    await this.database.write(consumeOrFail, [model, sha256(id)]);
  }

  /**
   * Records that a request lost to a concurrent one: requests that overlap with it belong to the same burst, though
   * they may have arrived after the winner was done.
   */
  async recordLostRace(model: Model, id: string): Promise<void> {
    await this.database.query(
      `UPDATE oidc_record SET consumed_at = clock_timestamp()
        WHERE model = $1 AND id_hash = $2 AND consumed_at IS NOT NULL`,
      [model, sha256(id)],
    );
  }

  /**
   * Changes a stored record, its id included, except for members that the current request has not changed; false if the
   * record does not exist (any more).
   */
  async change(model: Model, ids: ChangedId, contents: Contents, expiresInSeconds: number): Promise<boolean> {
    const parameters = changeParameters(model, ids, contents, expiresInSeconds);
    const { rowCount } = await this.database.query(changeOne, parameters);
    return rowCount === 1;
  }

  /**
   * As {@link change}, for the last change of a use case: its transaction commits with it. Nothing is committed if the
   * record does not exist.
   */
  async changeAndCommit(model: Model, ids: ChangedId, contents: Contents, expiresInSeconds: number): Promise<boolean> {
    const parameters = changeParameters(model, ids, contents, expiresInSeconds);
    try {
      await this.database.queryAndCommit(changeOrFail, parameters);
      return true;
    } catch (error) {
      if (sqlState(error) === logarithmOfZero) return false;
      throw error;
    }
  }

  /** Removes a record that is not a token, at the latest with the commit ({@link ./revocations.js} ends tokens). */
  async destroy(model: Model, id: string): Promise<void> {
    await this.database.write(deleteOne, [model, sha256(id)]);
  }

  /** Pending interactions of a browser, newest first; a person has few. */
  async interactionsOf(browserHash: string): Promise<PendingInteraction[]> {
    const { rows } = await this.database.query<Omit<PendingInteraction, 'id'> & { returnTo: string }>(
      `SELECT payload ->> 'returnTo' AS "returnTo", id_hash AS hash,
              payload -> 'params' ->> 'client_id' AS "clientId", payload -> 'session' ->> 'accountId' AS "accountId"
         FROM oidc_record
        WHERE model = 'Interaction' AND payload ->> 'browser' = $1 AND expires_at > now()
        ORDER BY created_at DESC LIMIT 20`,
      [browserHash],
    );
    return rows.map(({ returnTo, ...row }) => ({ ...row, id: returnTo.slice(returnTo.lastIndexOf('/') + 1) }));
  }

  /** True if the interaction with this hashed id is pending in any browser, for this account or for none yet. */
  async isPendingFor(accountId: string, hash: string): Promise<boolean> {
    const { rowCount } = await this.database.query(
      `SELECT FROM oidc_record
        WHERE model = 'Interaction' AND id_hash = $1 AND expires_at > now()
          AND coalesce(payload -> 'session' ->> 'accountId', $2) = $2`,
      [hash, accountId],
    );
    return rowCount === 1;
  }

  /**
   * Locks a user's live grants for a client until the transaction ends; returns their hashed ids, which give access to
   * nothing.
   */
  async lockGrants(accountId: string, clientId: string): Promise<string[]> {
    const { rows } = await this.database.query<{ id: string }>(
      `SELECT grant_id AS id FROM oidc_record
        WHERE model = 'Grant' AND account_id = $1 AND client_id = $2 AND expires_at > now()
        ORDER BY grant_id FOR UPDATE`,
      [accountId, clientId],
    );
    return rows.map(({ id }) => id);
  }

  /** Extends a session that is in use, at most once every `pause` seconds. */
  async extendSession(uid: string, seconds: number, pause: number): Promise<void> {
    await this.database.query(
      `UPDATE oidc_record SET expires_at = now() + make_interval(secs => $2), last_used_at = now()
        WHERE model = 'Session' AND uid = $1 AND last_used_at <= now() - make_interval(secs => $3)`,
      [uid, seconds, pause],
    );
  }

  /**
   * Removes at most `limit` expired rows; returns their number. For `keepDays` it is kept that grants and refresh
   * tokens expired. The marks of {@link insertOnce} stay for another hour: a clock that is set back must not make a
   * used value valid again (security Q-05).
   */
  async sweep(limit: number, keepDays: number): Promise<number> {
    const { rowCount } = await this.database.query(
      `WITH gone AS (
         DELETE FROM oidc_record WHERE ctid = ANY (ARRAY(
           SELECT ctid FROM oidc_record WHERE expires_at < now() - interval '1 minute'
              AND (payload <> '{}' OR expires_at < now() - interval '1 hour') LIMIT $1 FOR UPDATE SKIP LOCKED))
         RETURNING model, id_hash, grant_id, client_id, payload, expires_at, consumed_at),
       kept AS (${keptExpiries('gone', '$2::int')})
       SELECT FROM gone`,
      [limit, keepDays],
    );
    await this.database.query("DELETE FROM refresh_answer WHERE expires_at < now() - interval '3 minutes'");
    await this.database.query(
      `DELETE FROM ended_access WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM ended_access WHERE expires_at < now() LIMIT $1 FOR UPDATE SKIP LOCKED))`,
      [limit],
    );
    return rowCount ?? 0;
  }

  private async findOfGrant(statement: Prepared, model: Model, id: string): Promise<FoundOfGrant | undefined> {
    const parameters = [model, sha256(id), await this.database.lag()];
    const [row] = (await this.database.query<RowOfGrant>(statement, parameters)).rows;
    const record = foundRecord(row, id);
    if (!row || !record) return undefined;
    const { grantPayload: payload, grantExp: exp } = row;
    const grant = payload && exp !== null ? { payload, exp, consumed: null, raced: false } : undefined;
    // It could be locked when the statement began.
    const isLost = row.isLocked === false && row.consumed === null && exp !== null;
    return {
      payload: record.payload,
      consumedMeanwhile: record.consumedMeanwhile || isLost,
      grant: foundRecord(grant, record.payload.grantId),
    };
  }
}

function changeParameters(
  model: Model,
  { from, to = from }: ChangedId,
  { before, after }: Contents,
  expiresInSeconds: number,
): unknown[] {
  const { set, unset, apps } = payloadChanges(before, after);
  return [
    ...[model, sha256(from), sha256(to), after.accountId, expiresInSeconds],
    ...[unset, set, apps?.set, apps?.unset ?? []],
  ];
}

function foundRecord(row: Row | undefined, id?: string): Found | undefined {
  if (!row) return undefined;
  const payload: Payload = { ...row.payload, exp: row.exp };
  if (id !== undefined) payload.jti = id;
  if (row.consumed !== null) payload.consumed = row.consumed;
  return { payload, consumedMeanwhile: row.raced };
}
