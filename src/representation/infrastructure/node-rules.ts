import type { Config } from '../../platform/config/config.js';
import { sha256 } from '../../platform/crypto/secrets.js';
import type { Database } from '../../platform/database/database.js';
import type { Notifications } from '../../platform/database/notifications.js';
import { log } from '../../platform/logging/log.js';

/** Advisory locks of this class are the fingerprints of the nodes; a node holds its own as long as it is connected. */
const lockClass = 0x67_72_75_6c;

/** A number of what decides about relationships: rules, sensitive data, time zones. */
function fingerprintOf({ representation, consent, locale, fhir }: Config): number {
  const zones = fhir.tenants.map(({ id, timeZone }) => [id, timeZone]);
  const text = JSON.stringify(sorted([representation ?? null, consent.sensitive, locale.timeZone, zones]));
  return Buffer.from(sha256(text), 'base64url').readInt32BE(0);
}

/** Publishes the node's fingerprint to the other nodes as long as it is connected. */
export function publishRules(notifications: Notifications, config: Config): void {
  const fingerprint = fingerprintOf(config);
  notifications.onReconnect(() => {
    notifications
      .query(`SELECT pg_advisory_lock_shared(${lockClass}, ${fingerprint})`)
      .then(async () => {
        if (!(await haveSameRules(notifications.database))) {
          log.warn('nodes have different rules of representation: no relationship is decided until they are the same');
        }
      })
      .catch((err: unknown) => log.warn({ err }, 'the rules of representation could not be published'));
  });
}

/** True unless two connected nodes have different rules. */
export async function haveSameRules(database: Pick<Database, 'query'>): Promise<boolean> {
  const { rows } = await database.query<{ rules: number }>(
    `SELECT count(DISTINCT objid)::int AS rules FROM pg_locks
      WHERE locktype = 'advisory' AND granted AND classid = ${lockClass} AND objsubid = 2
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  );
  return (rows[0]?.rules ?? 0) <= 1;
}

/** The same members in the same order, however the configuration was written. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  );
}
