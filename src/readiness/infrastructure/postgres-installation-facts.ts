import { Injectable } from '@nestjs/common';
import type { ClientSettings } from '../../contract/clients/client-settings.js';
import { defaultClientSettings } from '../../contract/rules/clients/client-fields.js';
import { unusedDays } from '../../contract/rules/clients/client-secrets.js';
import { Database } from '../../platform/database/database.js';
import type { ClientFacts } from '../domain/client-rules.js';
import type { DatabaseSettings, DueMonths } from '../domain/database-rules.js';
import type { Named } from '../domain/finding.js';
import { InstallationFacts } from '../domain/installation-facts.js';
import type { WaitingMails } from '../domain/mail-rules.js';
import type { SigningKeyFacts } from '../domain/network-rules.js';
import type { Administrators } from '../domain/people-rules.js';

const shownNames = 3;

const flag = (setting: keyof ClientSettings) =>
  `coalesce(settings ->> '${setting}', $1::jsonb ->> '${setting}')::boolean`;
const list = (setting: keyof ClientSettings) => `coalesce(settings -> '${setting}', $1::jsonb -> '${setting}')`;

/**
 * Enabled clients by kind: how many of each, and the first ones. A setting that is younger than a client has its
 * default ($1). One pass over the clients, of which there may be many.
 */
const clientsByKind = `
  WITH secret AS (
    SELECT client, bool_or(expires_at IS NULL OR expires_at > now()) AS has_valid,
           coalesce(bool_or(expires_at <= now()), false) AS has_expired, max(last_used_at) AS used_at
      FROM client_secret GROUP BY client),
  fact AS MATERIALIZED (
    SELECT id, client_name AS name, created_at, ${flag('requireClientSecret')} AS needs_secret,
           coalesce(has_valid, false) AS has_valid, coalesce(has_expired, false) AS has_expired, used_at,
           secret.client IS NOT NULL AS has_any,
           client_type <> 'ManagementApi' AND ${list('allowedResourceTypes')} = '[]'
             AND ${list('allowedSmartSubjects')} <> '[]' AS all_types,
           ${flag('allowOfflineAccess')} AND NOT ${flag('requireDpop')} AS unbound_refresh
      FROM client LEFT JOIN secret ON secret.client = client.id
     WHERE enabled),
  found AS (
    SELECT kind, id, name FROM fact CROSS JOIN LATERAL (VALUES
      ('withoutValidSecret', needs_secret AND NOT has_valid),
      ('withExpiredSecret', has_valid AND has_expired),
      ('forAllTypes', all_types),
      ('publicWithOfflineAccess', NOT needs_secret AND unbound_refresh),
      ('provingThemselves', has_any),
      ('unused', has_any AND created_at < now() - interval '${unusedDays} days'
         AND (used_at IS NULL OR used_at <= now() - interval '${unusedDays} days'))) AS facts (kind, applies)
     WHERE applies)
  SELECT kind, id, name, count FROM (
    SELECT kind, id, name, count(*) OVER (PARTITION BY kind)::int AS count,
           row_number() OVER (PARTITION BY kind ORDER BY lower(name) COLLATE "C", id) AS place
      FROM found) AS ranked
   WHERE place <= ${shownNames} ORDER BY kind, place`;

/** A reading model over the tables of several modules; it changes nothing. */
@Injectable()
export class PostgresInstallationFacts extends InstallationFacts {
  constructor(private readonly database: Database) {
    super();
  }

  override async administrators(): Promise<Administrators> {
    const administrator = `
      SELECT account.id, coalesce(nullif(full_name, ''), email, '') AS name FROM account
       WHERE user_type = 'Admin' AND NOT is_external AND email_confirmed`;
    const [all, withoutSecondFactor] = await Promise.all([
      this.countAndName(administrator),
      this.countAndName(
        `${administrator} AND password_hash IS NOT NULL AND NOT EXISTS (SELECT FROM two_factor WHERE account_id = account.id)`,
      ),
    ]);
    return { all, withoutSecondFactor };
  }

  override async clients(): Promise<ClientFacts> {
    const { rows } = await this.database.query<NamedRow & { kind: keyof ClientFacts }>(clientsByKind, [
      JSON.stringify(defaultClientSettings()),
    ]);
    const ofKind = (kind: keyof ClientFacts) => namedOf(rows.filter((row) => row.kind === kind));
    return {
      withoutValidSecret: ofKind('withoutValidSecret'),
      withExpiredSecret: ofKind('withExpiredSecret'),
      forAllTypes: ofKind('forAllTypes'),
      publicWithOfflineAccess: ofKind('publicWithOfflineAccess'),
      unused: ofKind('unused'),
      provingThemselves: ofKind('provingThemselves').count,
    };
  }

  override async waitingMails(): Promise<WaitingMails> {
    const { rows } = await this.database.query<{ count: number; oldestSeconds: number }>(
      `SELECT count(*)::int AS count, coalesce(extract(epoch FROM now() - min(created_at)), 0)::float8 AS "oldestSeconds"
         FROM job WHERE kind = 'mail'`,
    );
    return rows[0] ?? { count: 0, oldestSeconds: 0 };
  }

  override async signingKeys(of: { algorithms: readonly string[]; rotationDays: number }): Promise<SigningKeyFacts> {
    // A running portal replaces a due key at its next look; a day later it has not.
    const { rows } = await this.database.query<SigningKeyFacts & { [column: string]: unknown }>(
      `SELECT count(*)::int AS signing,
              count(*) FILTER (WHERE signs_from < now() - make_interval(days => $2 + 1))::int AS overdue,
              coalesce(extract(epoch FROM min(signs_from) + make_interval(days => $2) - now()), 0)::float8
                AS "secondsToNext"
         FROM signing_key
        WHERE alg = ANY ($1) AND signs_from <= now() AND (retires_at IS NULL OR retires_at > now())`,
      [of.algorithms, of.rotationDays],
    );
    return rows[0] ?? { signing: 0, overdue: 0, secondsToNext: 0 };
  }

  override async goneRelationships(): Promise<number> {
    const { rows } = await this.database.query<{ count: number }>(
      `SELECT count(*)::int FROM (
         SELECT id FROM represented_patient JOIN representation_relationship USING (tenant, patient)
          WHERE status = 'active' AND gone_since IS NOT NULL AND gone_read_at >= gone_since + interval '5 minutes'
         UNION
         SELECT id FROM server_relationship JOIN representation_relationship ON id = relationship_id
          WHERE status = 'active' AND missing_since IS NOT NULL
            AND missing_read_at >= missing_since + interval '5 minutes') AS gone`,
    );
    return rows[0]?.count ?? 0;
  }

  override async lateRequests(): Promise<number> {
    const { rows } = await this.database.query<{ count: number }>(
      `SELECT count(*)::int FROM request WHERE status = 'waiting' AND due_at < now()`,
    );
    return rows[0]?.count ?? 0;
  }

  override async databaseSettings(): Promise<DatabaseSettings> {
    const { rows } = await this.database.query<DatabaseRow>(
      `SELECT current_setting('server_version_num')::int AS "versionNumber", current_setting('server_version') AS version,
              current_setting('fsync')::boolean AS fsync, current_setting('full_page_writes')::boolean AS "fullPageWrites",
              current_setting('synchronous_commit') <> 'off' AS "synchronousCommit",
              coalesce((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false) AS "usesTls",
              host(inet_server_addr()) AS address,
              coalesce(inet_server_addr() <<= '127.0.0.0/8' OR inet_server_addr() = '::1', true) AS "isLocal",
              current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
                - coalesce(current_setting('reserved_connections', true), '0')::int AS "acceptedConnections",
              current_setting('archive_mode') <> 'off' AS "isArchiving",
              extract(epoch FROM now() - last_archived_time)::float8 AS "lastSecondsAgo",
              coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) AS "isFailing"
         FROM pg_stat_archiver`,
    );
    const [row] = rows;
    if (!row) throw new Error('PostgreSQL returned no settings');
    const { isArchiving, lastSecondsAgo, isFailing, ...settings } = row;
    return { ...settings, archiving: isArchiving ? { lastSecondsAgo, isFailing } : null };
  }

  override async oldestUnsealed(): Promise<number> {
    const { rows } = await this.database.query<{ seconds: number }>(
      `SELECT coalesce(extract(epoch FROM now() - min(recorded_at)), 0)::float8 AS seconds
         FROM audit_event WHERE id = (SELECT min(event_id) FROM audit_unsealed)`,
    );
    return rows[0]?.seconds ?? 0;
  }

  override async dueMonths(keepMonths: number): Promise<DueMonths | undefined> {
    const { rows } = await this.database.query<DueMonths & { [column: string]: unknown }>(
      `SELECT to_char(oldest, 'YYYY-MM') AS first,
              (extract(year FROM age(kept, oldest)) * 12 + extract(month FROM age(kept, oldest)))::int AS months
         FROM (SELECT date_trunc('month', min(recorded_at) AT TIME ZONE 'UTC') AS oldest,
                      date_trunc('month', (now() - make_interval(months => $1)) AT TIME ZONE 'UTC') AS kept
                 FROM audit_event) AS month
        WHERE oldest < kept`,
      [keepMonths],
    );
    return rows[0];
  }

  /** Counts the rows of a statement, and returns the first ones by name. */
  private async countAndName(select: string): Promise<Named> {
    const { rows } = await this.database.query<NamedRow>(
      `SELECT id, name, count(*) OVER ()::int AS count FROM (${select}) AS found
        ORDER BY lower(name), id LIMIT ${shownNames}`,
    );
    return namedOf(rows);
  }
}

interface NamedRow {
  id: string;
  name: string;
  count: number;
}

function namedOf(rows: readonly NamedRow[]): Named {
  return { count: rows[0]?.count ?? 0, first: rows.map(({ id, name }) => ({ id, name })) };
}

type DatabaseRow = Omit<DatabaseSettings, 'archiving'> & {
  isArchiving: boolean;
  lastSecondsAgo: number | null;
  isFailing: boolean;
};
