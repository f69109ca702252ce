import type { Database } from '../database/database.js';
import { requestContext } from '../scope.js';

/** What is recorded; the first word is the thing, the second what became of it. */
export type AuditType =
  | 'login'
  | 'logout'
  | 'access.refused'
  | 'account.activated'
  | 'account.changed'
  | 'password.changed'
  | 'password.reset'
  | 'password.reset-requested'
  | 'two-factor.enabled'
  | 'two-factor.disabled'
  | 'two-factor.proven'
  | 'sessions.ended'
  | 'admin.created'
  | 'user.created'
  | 'user.changed'
  | 'user.deleted'
  | 'user.invited-again'
  | 'client.created'
  | 'client.changed'
  | 'client.deleted'
  | 'authorization.left'
  | 'disclaimers.agreed'
  | 'disclaimer.withdrawn'
  | 'consent.given'
  | 'consent.declined'
  | 'app.revoked'
  | 'token.reused'
  | 'launch.announced'
  | 'launch-context.chosen'
  | 'record.accessed'
  | 'keys.replaced'
  | 'keys.removed';

export interface AuditEvent {
  type: AuditType;
  outcome: 'success' | 'failure';
  /** Who did it; whoever is signed in, when it is left out. */
  userId?: string | undefined;
  /** The OAuth client id that it was done with or to. */
  clientId?: string | undefined;
  /** Whom or what it was done to: the id of an account, a client, … */
  subject?: string | undefined;
  /** What else explains it; never a secret. */
  detail?: object;
}

/**
 * The append-only record of what happened (security N-04). Time is the database's; address and correlation id are those of
 * the request at hand. What cannot be recorded does not happen: a failed statement fails the use case.
 */
export class Audit {
  constructor(private readonly database: Database) {}

  /** In the transaction of what it records, so that neither is there without the other. */
  async record(event: AuditEvent): Promise<void> {
    await this.database.query(insertion, parametersOf(event));
  }

  /** What is about to be refused: stays although the transaction at hand will be rolled back. */
  async recordRefusal(event: Omit<AuditEvent, 'outcome'>): Promise<void> {
    await this.database.queryOutsideTransaction(insertion, parametersOf({ ...event, outcome: 'failure' }));
  }
}

const insertion = `
  WITH event AS (
    INSERT INTO audit_event (type, outcome, user_id, client_id, subject, detail, address, correlation_id)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id)
  INSERT INTO audit_unsealed SELECT id FROM event`;

function parametersOf({ type, outcome, userId, clientId, subject, detail = {} }: AuditEvent): unknown[] {
  const context = requestContext.getStore();
  const who = userId ?? context?.userId;
  return [type, outcome, who, clientId, subject, JSON.stringify(detail), context?.address, context?.correlationId];
}

/** The members that a change gave another value: `{ name: [before, after] }`. */
export function changedMembers(before: object, after: object): Record<string, [before: unknown, after: unknown]> {
  const [old, recent] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  const names = [...new Set([...old.keys(), ...recent.keys()])];
  return Object.fromEntries(
    names
      .filter((name) => JSON.stringify(old.get(name)) !== JSON.stringify(recent.get(name)))
      .map((name) => [name, [old.get(name), recent.get(name)]]),
  );
}
