import { Prepared } from '../../platform/database/statement-group.js';
import { keptEnds } from './access-ends.js';

/**
 * A record consumed since this request began, `$3` seconds before its transaction, was consumed by a concurrent one.
 */
const columnsOf = (table = '') => `${table}payload, floor(extract(epoch FROM ${table}expires_at))::float8 AS exp,
  floor(extract(epoch FROM ${table}consumed_at))::float8 AS consumed,
  coalesce(${table}consumed_at >= now() - make_interval(secs => $3), false) AS raced`;
const columnsWithGrant = `${columnsOf('record.')}, floor(extract(epoch FROM held.expires_at))::float8 AS "grantExp",
  CASE WHEN held.expires_at > now() THEN held.payload END AS "grantPayload"`;
const whereLive = (table = '') => `${table}model = $1 AND ${table}id_hash = $2 AND ${table}expires_at > now()`;
const isItsGrant = `held.model = 'Grant' AND held.grant_id = record.grant_id`;

/**
 * Locks the grant of the record with the model `$1` and the hash `$2`. A request that uses or removes a record of a
 * grant locks the grant first, and a revocation does the same ({@link ./revocations.js}): so they cannot deadlock, and
 * no record is added to a grant that another request ends.
 */
export const lockGrant = new Prepared(`SELECT FROM oidc_record WHERE model = 'Grant' AND grant_id =
    (SELECT grant_id FROM oidc_record WHERE model = $1 AND id_hash = $2) FOR UPDATE`);

export const selectOne = new Prepared(`SELECT ${columnsOf()} FROM oidc_record WHERE ${whereLive()}`);
export const selectByUid = new Prepared(
  `SELECT ${columnsOf()} FROM oidc_record WHERE model = $1 AND uid = $2 AND expires_at > now()`,
);
/** Rows are locked in the order in which `OF` names them. */
export const lockWithGrant = new Prepared(
  `SELECT ${columnsWithGrant} FROM oidc_record record JOIN oidc_record held ON ${isItsGrant} WHERE ${whereLive('record.')}
    FOR UPDATE OF held, record`,
);
/**
 * Locks a record that is not consumed, and reads any other one without a lock. A record that a concurrent request
 * consumes meanwhile is read as it was before: neither locked nor consumed.
 */
export const lockUnusedWithGrant = new Prepared(
  `WITH unused AS (SELECT ${columnsWithGrant}, true AS "isLocked"
       FROM oidc_record record JOIN oidc_record held ON ${isItsGrant}
      WHERE ${whereLive('record.')} AND record.consumed_at IS NULL FOR UPDATE OF held, record)
   SELECT * FROM unused
   UNION ALL
   SELECT ${columnsWithGrant}, false FROM oidc_record record LEFT JOIN oidc_record held ON ${isItsGrant}
    WHERE ${whereLive('record.')} AND NOT EXISTS (SELECT FROM unused)`,
);

const insertion = `INSERT INTO oidc_record (model, id_hash, payload, grant_id, account_id, client_id, uid, expires_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, now() + make_interval(secs => $8))
  ON CONFLICT (model, id_hash) DO UPDATE SET payload = excluded.payload, grant_id = excluded.grant_id,
    account_id = excluded.account_id, client_id = excluded.client_id, uid = excluded.uid, expires_at = excluded.expires_at`;
export const upsertOne = new Prepared(insertion);
export const upsertRenewingGrant = new Prepared(
  `WITH renewed AS (UPDATE oidc_record SET expires_at = now() + make_interval(secs => $9)
     WHERE model = 'Grant' AND grant_id = $4 AND expires_at < now() + make_interval(secs => $8)) ${insertion}`,
);

export const insertNew = new Prepared(
  `INSERT INTO oidc_record (model, id_hash, payload, expires_at)
   SELECT model, id_hash, '{}', now() + make_interval(secs => seconds)
     FROM unnest($1::text[], $2::text[], $3::float8[]) AS mark (model, id_hash, seconds) ORDER BY model, id_hash
   ON CONFLICT DO NOTHING RETURNING model || id_hash AS key`,
);

const use = `UPDATE oidc_record SET consumed_at = clock_timestamp() WHERE model = $1 AND id_hash = $2 AND consumed_at IS NULL`;
export const consumeOne = new Prepared(use);
/** Fails the transaction (division by zero) unless this request consumes the record. */
export const consumeOrFail = new Prepared(`WITH used AS (${use} RETURNING id_hash) SELECT 1 / count(*) FROM used`);

export const deleteOne = new Prepared('DELETE FROM oidc_record WHERE model = $1 AND id_hash = $2');
export const deleteToken = new Prepared(
  `WITH gone AS (DELETE FROM oidc_record WHERE model = $1 AND id_hash = $2
     RETURNING model, id_hash, grant_id, client_id, payload, expires_at) ${keptEnds('gone', '$3::text', '$4::int')}`,
);

const change = `UPDATE oidc_record SET id_hash = $3, account_id = $4, expires_at = now() + make_interval(secs => $5),
     payload = (payload - $6::text[]) || $7::jsonb || CASE WHEN $8::jsonb IS NULL THEN '{}' ELSE jsonb_build_object(
       'authorizations', (coalesce(payload -> 'authorizations', '{}') - $9::text[]) || $8::jsonb) END
    WHERE model = $1 AND id_hash = $2`;
export const changeOne = new Prepared(change);
/** Fails the transaction (logarithm of zero) unless there is such a record. */
export const changeOrFail = new Prepared(
  `WITH changed AS (${change} RETURNING id_hash) SELECT ln(count(*)) FROM changed`,
);
/** SQLSTATE of that failure. */
export const logarithmOfZero = '2201E';
