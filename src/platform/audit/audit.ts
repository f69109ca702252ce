import { Injectable } from '@nestjs/common';
import type { AuditType } from '../../contract/audit/audit-types.js';
import { message } from '../../contract/messages/message.js';
import { Database } from '../database/database.js';
import { Prepared } from '../database/statement-group.js';
import { Problem } from '../errors.js';
import { requestContext } from '../request/scope.js';
import { AuditCounts } from './audit-counts.js';
import { isMissingPartition, makeAuditPartitions } from './audit-partitions.js';

export interface AuditEvent {
  type: AuditType;
  outcome: 'success' | 'failure';
  /** Id of the acting user; the signed-in user when omitted. */
  userId?: string | undefined;
  /** OAuth client id of the client that acted or was acted on. */
  clientId?: string | undefined;
  /** Id of the object of the action: an account, a client, … */
  subject?: string | undefined;
  /** Further explanation; never a secret. */
  detail?: object;
}

/**
 * The append-only audit record (security N-04). The database sets the time; address and correlation id come from the
 * current request. An action that cannot be recorded does not happen: a failed statement fails the use case.
 */
@Injectable()
export class Audit {
  /** Recorded events of this process, by type and outcome; those of an action that was rolled back are not counted. */
  readonly counts = new AuditCounts();

  constructor(private readonly database: Database) {}

  /** Records in the transaction of the recorded action, so that neither exists without the other. */
  async record(event: AuditEvent): Promise<void> {
    await this.insert(() => this.database.query(insertion, parametersOf(event)));
    this.database.afterCommit(() => this.counts.add([event]));
  }

  /** As {@link record}, for many events of one action. */
  async recordAll(events: readonly AuditEvent[]): Promise<void> {
    if (events.length === 0) return;
    const rows = events.map(parametersOf).map(([type, outcome, who, client, subject, detail, address, correlation]) => {
      return { type, outcome, who, client, subject, detail: JSON.parse(String(detail)), address, correlation };
    });
    await this.insert(() => this.database.query(insertionOfMany, [JSON.stringify(rows)]));
    this.database.afterCommit(() => this.counts.add(events));
  }

  /** Records a refusal outside of the current transaction, so that the event survives the rollback. */
  async recordRefusal(event: Omit<AuditEvent, 'outcome'>): Promise<void> {
    const parameters = parametersOf({ ...event, outcome: 'failure' });
    await this.insert(() => this.database.queryOutsideTransaction(insertion.text, parameters));
    this.counts.add([{ ...event, outcome: 'failure' }]);
  }

  private async insert(insert: () => Promise<unknown>): Promise<void> {
    try {
      await insert();
    } catch (error) {
      if (!isMissingPartition(error)) throw error;
      await this.database.outsideTransaction(() => makeAuditPartitions(this.database));
      throw new Problem('unavailable', message('audit-unavailable'), { retryAfterSeconds: 2, cause: error });
    }
  }
}

const insertion = new Prepared(`
  WITH event AS (
    INSERT INTO audit_event (type, outcome, user_id, client_id, subject, detail, address, correlation_id)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id, recorded_at)
  INSERT INTO audit_unsealed (event_id, recorded_at) SELECT id, recorded_at FROM event`);

const insertionOfMany = `
  WITH event AS (
    INSERT INTO audit_event (type, outcome, user_id, client_id, subject, detail, address, correlation_id)
    SELECT type, outcome, who, client, subject, detail, address, correlation FROM jsonb_to_recordset($1::jsonb)
        AS one (type text, outcome text, who text, client text, subject text, detail jsonb, address text, correlation text)
    RETURNING id, recorded_at)
  INSERT INTO audit_unsealed (event_id, recorded_at) SELECT id, recorded_at FROM event`;

/** The statement of {@link Audit.record}, for work on a database that no application runs on. */
export function recording(event: AuditEvent): { text: string; values: unknown[] } {
  return { text: insertion.text, values: parametersOf(event) };
}

function parametersOf({ type, outcome, userId, clientId, subject, detail = {} }: AuditEvent): unknown[] {
  const context = requestContext.getStore();
  const who = userId ?? context?.userId;
  // The launch of an app that the request belongs to, as far as it is known by now.
  const launch = context?.launch?.id;
  const recorded = JSON.stringify(launch === undefined ? detail : { ...detail, launch });
  return [type, outcome, who, clientId, subject, recorded, context?.address, context?.correlationId];
}

/** Members whose value a change altered: `{ name: [before, after] }`. */
export function changedMembers(before: object, after: object): Record<string, [before: unknown, after: unknown]> {
  const [old, recent] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  const names = [...new Set([...old.keys(), ...recent.keys()])];
  return Object.fromEntries(
    names
      .filter((name) => JSON.stringify(old.get(name)) !== JSON.stringify(recent.get(name)))
      .map((name) => [name, [old.get(name), recent.get(name)]]),
  );
}
