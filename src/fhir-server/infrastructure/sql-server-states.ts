import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import type { Capabilities } from '../domain/capabilities.js';
import { type Check, failuresUntilLost, type ServerState, ServerStates } from '../domain/server-states.js';

interface Row {
  available: boolean;
  loaded_at: string | null;
  checked_at: Date;
  capabilities: Capabilities | null;
}

const packed = promisify(gzip);
const unpacked = promisify(gunzip);

/**
 * One row for each base URL, so that a node that is still configured for a former server does not speak for the new
 * one.
 */
@Injectable()
export class SqlServerStates extends ServerStates {
  constructor(private readonly database: Database) {
    super();
  }

  async claimCheck(baseUrl: string, leaseSeconds: number): Promise<number | undefined> {
    const { rows } = await this.database.query<{ failures: number }>(
      `INSERT INTO fhir_server_status AS status (base_url, next_check_at)
       VALUES ($1, now() + make_interval(secs => $2))
       ON CONFLICT (base_url) DO UPDATE SET next_check_at = excluded.next_check_at
       WHERE status.next_check_at <= now()
       RETURNING failures`,
      [baseUrl, leaseSeconds],
    );
    return rows[0]?.failures;
  }

  async record(baseUrl: string, { isUp, capabilities }: Check, nextCheckSeconds: number): Promise<void> {
    await this.database.query(
      `UPDATE fhir_server_status SET
         available = $2 OR (available AND failures + 1 < ${failuresUntilLost}),
         failures = CASE WHEN $2 THEN 0 ELSE failures + 1 END,
         checked_at = now(),
         next_check_at = now() + make_interval(secs => $3),
         loaded_at = CASE WHEN $4::jsonb IS DISTINCT FROM capabilities AND $4 IS NOT NULL THEN now() ELSE loaded_at END,
         capabilities = coalesce($4::jsonb, capabilities)
       WHERE base_url = $1`,
      [baseUrl, isUp, nextCheckSeconds, capabilities === undefined ? null : JSON.stringify(capabilities)],
    );
  }

  async read(baseUrl: string, known: ServerState | undefined): Promise<ServerState | undefined> {
    const { rows } = await this.database.query<Row>(
      `SELECT available, loaded_at::text, checked_at,
         CASE WHEN loaded_at::text IS DISTINCT FROM $2 THEN capabilities END AS capabilities
       FROM fhir_server_status WHERE base_url = $1 AND checked_at IS NOT NULL`,
      [baseUrl, known?.loadedAt ?? null],
    );
    const row = rows[0];
    return (
      row && {
        available: row.available,
        loadedAt: row.loaded_at ?? undefined,
        capabilities: row.capabilities ?? known?.capabilities,
        checkedAt: row.checked_at,
      }
    );
  }

  async keepStatement(baseUrl: string, statement: object): Promise<void> {
    const content = await packed(JSON.stringify(statement));
    await this.database.query(
      `INSERT INTO fhir_server_statement AS kept (base_url, content, read_at) VALUES ($1, $2, now())
       ON CONFLICT (base_url) DO UPDATE SET read_at = now(),
         content = CASE WHEN kept.content = excluded.content THEN kept.content ELSE excluded.content END`,
      [baseUrl, content],
    );
  }

  async keptStatement(baseUrl: string, maxAgeSeconds: number): Promise<object | undefined> {
    const { rows } = await this.database.query<{ content: Buffer }>(
      `SELECT content FROM fhir_server_statement
       WHERE base_url = $1 AND read_at > now() - make_interval(secs => $2)`,
      [baseUrl, maxAgeSeconds],
    );
    return rows[0] && JSON.parse((await unpacked(rows[0].content)).toString());
  }
}
