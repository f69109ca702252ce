import type { Client } from 'pg';
import { recording } from '../audit/audit.js';
import type { PostgresConnection } from '../database/connection.js';
import { migrate, withClient } from '../database/migrate.js';
import { processOf, refuseOtherSessions } from './restore-target.js';

/**
 * Tables that consist of what was issued. A restored database has the rows of the time of the backup, and does not know
 * which of them were ended, used or replaced since. Without a signing key nothing that was signed is accepted, also
 * what was issued after the backup; a node makes new keys at its start.
 */
export const issuedTables = [
  'oidc_record',
  'refresh_answer',
  'account_link',
  'account_recovery',
  'external_sign_in',
  'signing_key',
] as const;

/** The record that tells the apps of these grants and tokens why they have ended; as `oidc-store` keeps other ends. */
const keptEnds = `
  INSERT INTO ended_access (model, id_hash, grant_id, client_id, launch_id, audience, cause, ended_at, token_expires_at, expires_at)
  SELECT model, id_hash, grant_id, client_id, payload ->> 'launchId', payload ->> 'aud', 'ended-by-restore', now(), expires_at,
         now() + interval '90 days'
    FROM oidc_record WHERE model IN ('Grant', 'AccessToken', 'RefreshToken', 'ClientCredentials') AND expires_at > now()
  ON CONFLICT DO NOTHING`;

/** Jobs that deliver mails. Their links have ended, and most of them were sent after the backup. */
const mailJobs = 'mail';

/** For the readiness report, until an operator has compared who acts for whom (`restore done`). */
const restoreNote = `
  INSERT INTO readiness_note (name) VALUES ('restored')
  ON CONFLICT (name) DO UPDATE SET noted_at = excluded.noted_at`;

/** Accesses that have ended, and what they were made of. */
export interface EndedAccess {
  sessions: number;
  grants: number;
  links: number;
  mails: number;
}

/** Ends everything that was issued, in the transaction of the caller. */
export async function endIssued(client: Client): Promise<EndedAccess> {
  const { rows } = await client.query<EndedAccess>(
    `SELECT (SELECT count(*)::int FROM oidc_record WHERE model = 'Session' AND account_id IS NOT NULL AND expires_at > now()) AS sessions,
            (SELECT count(*)::int FROM oidc_record WHERE model = 'Grant' AND expires_at > now()) AS grants,
            (SELECT count(*)::int FROM account_link) AS links,
            (SELECT count(*)::int FROM job WHERE kind = $1) AS mails`,
    [mailJobs],
  );
  await client.query(keptEnds);
  for (const table of issuedTables) await client.query(`DELETE FROM ${table}`);
  await client.query('DELETE FROM job WHERE kind = $1', [mailJobs]);
  await client.query(restoreNote);
  const [ended] = rows as [EndedAccess];
  return ended;
}

/** Ends everything that was issued, in a database that no node uses: a node has signing keys in its memory. */
export async function endAllIssued(connection: PostgresConnection): Promise<EndedAccess> {
  await migrate(connection);
  return withClient(connection, async (client) => {
    const own = [await processOf(client)];
    await refuseOtherSessions(client, own);
    await client.query('BEGIN');
    // A node that starts meanwhile waits here, and is noticed.
    await client.query('LOCK TABLE signing_key IN ACCESS EXCLUSIVE MODE');
    await refuseOtherSessions(client, own);
    const ended = await endIssued(client);
    await client.query('SELECT make_audit_partition(now())');
    await client.query(recording({ type: 'issued.ended', outcome: 'success', detail: { ...ended } }));
    await client.query('COMMIT');
    return ended;
  });
}
