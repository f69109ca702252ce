import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { FhirServers } from '../../fhir-server/application/fhir-servers.js';
import { Config } from '../../platform/config/config.js';
import { type FhirBase, fhirBasesOf } from '../../platform/config/fhir-bases.js';
import { Database } from '../../platform/database/database.js';
import { log } from '../../platform/logging/log.js';
import { auditEventOf, type RecordedAccess } from '../domain/access-event.js';

const everyMs = 2_000;
const afterFailureMs = 30_000;
const mostAtOnce = 50;
const timeoutMs = 5_000;

interface Row extends RecordedAccess {
  id: string;
}

/**
 * Tells the FHIR server of the accesses to it, as AuditEvents, where that is wished. Whatever was recorded is told at least
 * once, by whichever node comes to it, however long the server is away.
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
          log.warn({ err }, 'the FHIR server was not told of the accesses to it');
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

  /** How many it was told of. The rows stay locked meanwhile, so that no other node tells of them too. */
  private postSome(base: FhirBase): Promise<number> {
    return this.database.transaction(async () => {
      const { rows } = await this.database.query<Row>(
        `SELECT event.id, recorded_at AS "recordedAt", user_id AS "userId", client_id AS "clientId", address,
           correlation_id AS "correlationId", detail
         FROM audit_post JOIN audit_event event ON event.id = event_id
         WHERE detail->>'tenant' IS NOT DISTINCT FROM $1
         ORDER BY event_id LIMIT $2 FOR UPDATE OF audit_post SKIP LOCKED`,
        [base.tenant?.id ?? null, mostAtOnce],
      );
      if (rows.length === 0) return 0;
      await this.post(rows, base);
      await this.database.query('DELETE FROM audit_post WHERE event_id = ANY ($1)', [rows.map(({ id }) => id)]);
      return rows.length;
    });
  }

  private async post(rows: Row[], { url, tenant }: FhirBase): Promise<void> {
    const { issuer } = this.config.server;
    const entry = rows.map((row) => ({
      resource: auditEventOf(row, url, issuer),
      request: { method: 'POST', url: 'AuditEvent' },
    }));
    const answer = await this.servers.of(tenant?.id).server.send({
      method: 'POST',
      path: '',
      headers: { 'content-type': 'application/fhir+json', accept: 'application/fhir+json', prefer: 'return=minimal' },
      body: JSON.stringify({ resourceType: 'Bundle', type: 'batch', entry }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    answer.body.destroy();
    if (answer.status !== 200) throw new Error(`a batch of AuditEvents was answered ${answer.status}`);
  }
}
