import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { SealHash } from '../../../src/audit/infrastructure/sealed-events.js';
import { Secrets } from '../../../src/platform/crypto/secrets.js';
import { createDatabase } from './database.js';

/** `YYYY-MM` of the month that was so many months ago (UTC). */
export function monthAgo(months: number): string {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 1)).toISOString().slice(0, 7);
}

const canonical = `jsonb_build_array(id, to_char(recorded_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS'), type, outcome, user_id,
  client_id, subject, address, correlation_id, detail)::text`;

/**
 * A database with events of the last months, not sealed unless this says so. The months of four and five months ago,
 * and all before, are in the partition of earlier versions, with a seal over both months as those made them; later
 * months have a partition each. The months of three and four months ago have as many events as the others unless
 * `inBetween` says another number.
 */
export async function createAuditedMonths({
  perMonth = 30,
  inBetween,
}: {
  perMonth?: number;
  inBetween?: number;
} = {}) {
  const masterKey = randomBytes(32);
  const database = await createDatabase();
  const client = new pg.Client(database.connection);
  await client.connect();
  await client.query('ALTER TABLE audit_event DETACH PARTITION audit_event_carried');
  await client.query(
    `ALTER TABLE audit_event ATTACH PARTITION audit_event_carried FOR VALUES FROM (MINVALUE) TO ('${monthAgo(3)}-01T00:00:00Z')`,
  );
  for (const month of [3, 2, 1, 0])
    await client.query('SELECT make_audit_partition($1)', [`${monthAgo(month)}-01T00:00:00Z`]);
  for (const months of [5, 4, 3, 2]) {
    await client.query(
      `WITH event AS (
         INSERT INTO audit_event (recorded_at, type, outcome, user_id, client_id, detail)
         SELECT $1::timestamptz + make_interval(mins => i), 'record.accessed', 'success', 'user-' || i % 3, 'app-' || i % 2,
                jsonb_build_object('patients', jsonb_build_array('p-' || i % 5), 'target', 'Ärzte "' || i || '"')
           FROM generate_series(1, $2::int) AS i RETURNING id, recorded_at)
       INSERT INTO audit_unsealed SELECT id, recorded_at FROM event`,
      [`${monthAgo(months)}-10T00:00:00Z`, [3, 4].includes(months) ? (inBetween ?? perMonth) : perMonth],
    );
  }
  // The last events of one month and the first ones of the next.
  const { rows } = await client.query<{ id: string; text: string }>(
    `SELECT id, ${canonical} AS text FROM audit_event WHERE id IN ($1, $2, $3) ORDER BY id`,
    [perMonth - 1, perMonth, perMonth + 1],
  );
  const hash = new SealHash(new Secrets(masterKey), '1', null);
  for (const { text } of rows) hash.add(text);
  const ids = rows.map(({ id }) => id);
  await client.query(
    'WITH taken AS (DELETE FROM audit_unsealed WHERE event_id = ANY ($1::bigint[])) ' +
      'INSERT INTO audit_seal (number, event_ids, hash, sealed_at) VALUES (1, $1, $2, $3)',
    [ids, hash.digest(), `${monthAgo(4)}-10T00:05:00Z`],
  );
  await client.end();
  return { masterKey, database };
}
