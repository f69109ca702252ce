import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { FhirServers } from '../../../fhir-server/application/fhir-servers.js';
import { Config } from '../../../platform/config/config.js';
import { type FhirBase, fhirBasesOf } from '../../../platform/config/fhir-bases.js';
import { Database } from '../../../platform/database/database.js';
import { log } from '../../../platform/logging/log.js';
import { auditEventOf, type RecordedAccess } from '../../domain/access-event.js';

const everyMs = 2_000;
const afterFailureMs = 30_000;
const mostAtOnce = 50;
const timeoutMs = 5_000;
const longestAnswer = 1024 * 1024;
/** An attempt that is not heard of again, because its node died, is made again after this. */
const leaseSeconds = 30;
/** The first pause after a refusal, doubled each time. */
const firstPauseSeconds = 30;
const longestPauseSeconds = 3_600;

interface Row extends RecordedAccess {
  id: string;
}

/**
 * Sends AuditEvents for accesses to the FHIR server, where that is configured. Every recorded access is sent at least
 * once, by any node, however long the server is unavailable.
 */
@Injectable()
export class AccessPosts implements OnApplicationBootstrap, OnModuleDestroy {
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly config: Config,
    private readonly servers: FhirServers,
    private readonly database: Database,
  ) {}

  onApplicationBootstrap(): void {
    const { enabled, postAuditEvents } = this.config.gateway;
    if (enabled && postAuditEvents) this.plan(everyMs);
  }

  async onModuleDestroy(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  private plan(ms: number): void {
    if (this.stopped) return;
    this.timer = setTimeout(() => {
      this.running = this.postAll().then(
        () => this.plan(everyMs),
        (err: unknown) => {
          log.warn({ err }, 'failed to send AuditEvents to the FHIR server; will retry');
          this.plan(afterFailureMs);
        },
      );
    }, ms).unref();
  }

  private async postAll(): Promise<void> {
    for (const base of fhirBasesOf(this.config)) {
      while (!this.stopped && (await this.postSome(base)) === mostAtOnce);
    }
  }

  /**
   * Returns how many were tried. Rows under way are skipped by other nodes, but no transaction waits for the server
   * (decision 0006).
   */
  private async postSome(base: FhirBase): Promise<number> {
    const rows = await this.claim(base);
    if (rows.length === 0) return 0;
    const ids = rows.map(({ id }) => id);
    const statuses = await this.post(rows, base).catch(async (error: unknown) => {
      await this.putOff(ids);
      throw error;
    });
    const isTaken = (_: unknown, at: number) => /^2\d\d/.test(statuses[at] ?? '');
    const taken = ids.filter(isTaken);
    await this.database.query('DELETE FROM audit_post WHERE event_id = ANY ($1)', [taken]);
    if (taken.length < ids.length) {
      const status = statuses.find((one) => !/^2\d\d/.test(one)) ?? 'no status';
      log.warn({ refused: ids.length - taken.length, status }, 'the FHIR server refused AuditEvents; will retry');
      await this.putOff(ids.filter((id) => !taken.includes(id)));
    }
    return rows.length;
  }

  private async claim({ tenant }: FhirBase): Promise<Row[]> {
    const { rows } = await this.database.query<Row & { [column: string]: unknown }>(
      `WITH due AS (
         SELECT event_id FROM audit_post JOIN audit_event event ON event.id = event_id
          WHERE due_at <= now() AND detail->>'tenant' IS NOT DISTINCT FROM $1
          ORDER BY event_id LIMIT $2 FOR UPDATE OF audit_post SKIP LOCKED),
       claimed AS (
         UPDATE audit_post SET attempts = attempts + 1, due_at = now() + make_interval(secs => $3)
          WHERE event_id IN (SELECT event_id FROM due) RETURNING event_id)
       SELECT id, recorded_at AS "recordedAt", user_id AS "userId", client_id AS "clientId", address,
         correlation_id AS "correlationId", detail
       FROM audit_event WHERE id IN (SELECT event_id FROM claimed) ORDER BY id`,
      [tenant?.id ?? null, mostAtOnce, leaseSeconds],
    );
    return rows;
  }

  private async putOff(ids: string[]): Promise<void> {
    await this.database.query(
      `UPDATE audit_post SET due_at = now() + make_interval(secs => least($3::float8, $2 * 2 ^ least(attempts - 1, 10)))
        WHERE event_id = ANY ($1)`,
      [ids, firstPauseSeconds, longestPauseSeconds],
    );
  }

  /** Returns the status of each entry in the answer (FHIR R4 §3.1.0.11.2). */
  private async post(rows: Row[], { url, tenant }: FhirBase): Promise<string[]> {
    const { issuer } = this.config.server;
    const entry = rows.map((row) => ({
      resource: auditEventOf(row, url, issuer),
      request: { method: 'POST', url: 'AuditEvent' },
    }));
    const answer = await this.servers.forTenant(tenant?.id).server.send({
      method: 'POST',
      path: '',
      headers: { 'content-type': 'application/fhir+json', accept: 'application/fhir+json', prefer: 'return=minimal' },
      body: JSON.stringify({ resourceType: 'Bundle', type: 'batch', entry }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (answer.status !== 200) {
      answer.body.destroy();
      throw new Error(`a batch of AuditEvents was answered ${answer.status}`);
    }
    return statusesIn(await answer.text(longestAnswer), rows.length);
  }
}

function statusesIn(text: string, count: number): string[] {
  const { entry } = (JSON.parse(text) ?? {}) as { entry?: { response?: { status?: unknown } }[] };
  if (!Array.isArray(entry) || entry.length !== count) {
    throw new Error('a batch of AuditEvents was answered without an entry for each of them');
  }
  return entry.map((one) => String(one?.response?.status ?? ''));
}
