import { setImmediate as endOfTurn } from 'node:timers/promises';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import { Database } from '../database/database.js';
import { Prepared } from '../database/statement-group.js';
import { Problem } from '../errors.js';
import type { JobKind } from '../jobs/job-kind.js';
import { log } from '../logging/log.js';
import { requestContext } from '../request/scope.js';
import type { AuditEvent } from './audit.js';
import { AuditCounts } from './audit-counts.js';
import { isMissingPartition, makeAuditPartitions } from './audit-partitions.js';

/** Longest delay before events are written that no request awaits. */
const everyMs = 250;
const mostInOneStatement = 1_000;
/** More events than a node produces in a minute: the database must be down. */
const mostWaiting = 20_000;
/** An event that has waited longer gets a later time: its month may be in an archive. */
const mostSecondsBack = 86_400;

export interface BatchedEvent extends AuditEvent {
  /** Kind of the job that is added with the event, if any; its payload is an {@link EventJob}. */
  job?: JobKind<EventJob> | undefined;
}

export interface EventJob {
  eventId: string;
  /** One of the `patients` in the detail of the event: there is a job for each. Absent where it has none. */
  patient?: string;
}

interface Waiting extends BatchedEvent {
  address: string | undefined;
  correlationId: string | undefined;
  /** A time of `performance.now()`. */
  since: number;
}

/**
 * Batches audit events that are too frequent for a statement each: accesses to records. Events that arrive while a
 * statement runs are written together by the next statement. They survive any database failure, but not the end of the
 * process; a caller that must be sure of an event awaits {@link flush}. While too many events wait, requests that
 * would add one are refused.
 */
@Injectable()
export class AuditBatch implements OnModuleDestroy {
  /** Recorded events of this process. */
  readonly counts = new AuditCounts();
  private waiting: Waiting[] = [];
  private running: Promise<boolean> = Promise.resolve(true);
  private next: Promise<boolean> | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly database: Database) {}

  /** Events that are not written yet. */
  get size(): number {
    return this.waiting.length;
  }

  /** Throws `unavailable` while the queue is full. */
  assertRoom(): void {
    if (this.waiting.length < mostWaiting) return;
    throw new Problem('unavailable', message('audit-unavailable'));
  }

  /** Adds an event with the address and correlation id of the current request and the current time. */
  add(event: BatchedEvent): void {
    const { address, correlationId } = requestContext.getStore() ?? {};
    this.waiting.push({ ...event, address, correlationId, since: performance.now() });
    this.timer ??= setTimeout(() => void this.flush(), everyMs).unref();
  }

  /** Resolves to true if all events added before are written now; the others stay queued for the next attempt. */
  flush(): Promise<boolean> {
    // Calls of one turn of the event loop share a statement, and so do those that arrive while a statement runs.
    this.next ??= Promise.all([this.running, endOfTurn()]).then(() => {
      this.next = undefined;
      this.running = this.write();
      return this.running;
    });
    return this.next;
  }

  async onModuleDestroy(): Promise<void> {
    await this.flush();
    clearTimeout(this.timer);
    if (this.waiting.length > 0)
      log.error({ events: this.waiting.length }, 'access events lost: not recorded before the shutdown');
  }

  private async write(): Promise<boolean> {
    clearTimeout(this.timer);
    this.timer = undefined;
    while (this.waiting.length > 0) {
      const events = this.waiting.splice(0, mostInOneStatement);
      try {
        await this.database.outsideTransaction(() => this.insert(events));
        this.counts.add(events);
      } catch (err) {
        log.warn({ err, events: events.length }, 'recording of access events failed; will retry');
        if (isMissingPartition(err))
          await this.database.outsideTransaction(() => makeAuditPartitions(this.database)).catch(() => undefined);
        this.waiting = [...events, ...this.waiting];
        this.timer ??= setTimeout(() => void this.flush(), everyMs * 8).unref();
        return false;
      }
    }
    return true;
  }

  private async insert(events: Waiting[]): Promise<void> {
    const now = performance.now();
    const rows = events.map(({ since, job, ...event }) => ({
      detail: {},
      ...event,
      job: job?.name,
      seconds: (now - since) / 1000,
    }));
    await this.database.query(insertion, [JSON.stringify(rows)]);
  }
}

const insertion = new Prepared(`
  WITH input AS (
    SELECT * FROM jsonb_to_recordset($1::jsonb) AS event (type text, outcome text, "userId" text, "clientId" text,
      subject text, detail jsonb, address text, "correlationId" text, job text, seconds float8)
  ), numbered AS (
    SELECT nextval('audit_event_id_seq') AS id,
           (clock_timestamp() - make_interval(secs => least(seconds, ${mostSecondsBack})))::timestamptz(3) AS at, * FROM input
  ), event AS (
    INSERT INTO audit_event (id, recorded_at, type, outcome, user_id, client_id, subject, detail, address, correlation_id)
    SELECT id, at, type, outcome, "userId", "clientId", subject, detail,
      address, "correlationId" FROM numbered
  ), posted AS (
    INSERT INTO job (kind, payload)
    SELECT job, jsonb_strip_nulls(jsonb_build_object('eventId', id::text, 'patient', patient))
      FROM numbered LEFT JOIN jsonb_array_elements_text(detail -> 'patients') AS patient ON true
     WHERE job IS NOT NULL ORDER BY id
  )
  INSERT INTO audit_unsealed (event_id, recorded_at) SELECT id, at FROM numbered`);
