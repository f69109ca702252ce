import { Injectable } from '@nestjs/common';
import { defaultClientSettings } from '../../contract/rules/clients/client-fields.js';
import { Database } from '../../platform/database/database.js';
import { type ClientFacts, unusedDays } from '../domain/client-rules.js';
import type { DatabaseSettings } from '../domain/database-rules.js';
import type { Named } from '../domain/finding.js';
import { InstallationFacts } from '../domain/installation-facts.js';
import type { WaitingMails } from '../domain/mail-rules.js';
import type { SigningKeyFacts } from '../domain/network-rules.js';
import type { Administrators } from '../domain/people-rules.js';

const shownNames = 3;

/** Enabled clients with their complete settings: one that is younger than the client has its default ($1). */
const enabledClients = `
  WITH enabled_client AS (
    SELECT id, client_name AS name, client_type, created_at, $1::jsonb || settings AS settings FROM client WHERE enabled)`;
const isPublic = "NOT (settings ->> 'requireClientSecret')::boolean";
const secretsOf = 'FROM client_secret secret WHERE secret.client = enabled_client.id';
const hasValidSecret = `EXISTS (SELECT ${secretsOf} AND (expires_at IS NULL OR expires_at > now()))`;

/** A reading model over the tables of several modules; it changes nothing. */
@Injectable()
export class PostgresInstallationFacts extends InstallationFacts {
  constructor(private readonly database: Database) {
    super();
  }

  override async administrators(): Promise<Administrators> {
    const administrator = `
      SELECT account.id, coalesce(nullif(full_name, ''), email, '') AS name FROM account
       WHERE user_type = 'Admin' AND password_hash IS NOT NULL`;
    const [all, withoutSecondFactor] = await Promise.all([
      this.named(administrator),
      this.named(`${administrator} AND NOT EXISTS (SELECT FROM two_factor WHERE account_id = account.id)`),
    ]);
    return { all, withoutSecondFactor };
  }

  override async clients(): Promise<ClientFacts> {
    const [withoutValidSecret, withExpiredSecret, forAllTypes, publicWithOfflineAccess, proving, unused] =
      await Promise.all([
        this.clientsWith(`NOT ${isPublic} AND NOT ${hasValidSecret}`),
        this.clientsWith(`${hasValidSecret} AND EXISTS (SELECT ${secretsOf} AND expires_at <= now())`),
        this.clientsWith(
          `client_type <> 'ManagementApi' AND settings -> 'allowedResourceTypes' = '[]'
             AND settings -> 'allowedSmartSubjects' <> '[]'`,
        ),
        this.clientsWith(
          `${isPublic} AND (settings ->> 'allowOfflineAccess')::boolean AND NOT (settings ->> 'requireDpop')::boolean`,
        ),
        this.clientsWith(`EXISTS (SELECT ${secretsOf})`),
        this.clientsWith(
          `EXISTS (SELECT ${secretsOf}) AND created_at < now() - interval '${unusedDays} days'
             AND NOT EXISTS (SELECT ${secretsOf} AND last_used_at > now() - interval '${unusedDays} days')`,
        ),
      ]);
    return {
      ...{ withoutValidSecret, withExpiredSecret, forAllTypes, publicWithOfflineAccess, unused },
      provingThemselves: proving.count,
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
    if (!row) throw new Error('PostgreSQL did not tell its settings');
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

  private clientsWith(condition: string): Promise<Named> {
    return this.named(`SELECT id, name FROM enabled_client WHERE ${condition}`, enabledClients, [
      JSON.stringify(defaultClientSettings()),
    ]);
  }

  /** Counts the rows of a statement, and returns the first ones by name. */
  private async named(select: string, before = '', parameters: unknown[] = []): Promise<Named> {
    const { rows } = await this.database.query<{ id: string; name: string; count: number }>(
      `${before} SELECT id, name, count(*) OVER ()::int AS count FROM (${select}) AS found
        ORDER BY lower(name), id LIMIT ${shownNames}`,
      parameters,
    );
    return { count: rows[0]?.count ?? 0, first: rows.map(({ id, name }) => ({ id, name })) };
  }
}

type DatabaseRow = Omit<DatabaseSettings, 'archiving'> & {
  isArchiving: boolean;
  lastSecondsAgo: number | null;
  isFailing: boolean;
};
