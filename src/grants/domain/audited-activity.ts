import type { SeenKinds } from '../../contract/audit/access-detail.js';

/** A user's app, and the time in which its accesses are looked for. */
export interface AccessSpan {
  accountId: string;
  clientId: string;
  after: Date;
  /** Now when omitted. */
  until?: Date;
  /** Id of the relationship by which the user acts for a patient, null for the own record; all of them when omitted. */
  of?: string | null;
}

/** The last visit of an app in which it read data: reads with pauses below ten minutes. */
export interface LastRead {
  at: Date;
  /** Number of resources by kind, as the log of accesses has it. */
  kinds: SeenKinds;
  /** True if all of it happened while the user was not there. */
  unattended: boolean;
}

/** Activity of users, as the audit record has it. Each access is in it before it is answered. */
export abstract class AuditedActivity {
  /**
   * The time of the last access to the FHIR server in each span, in their order. No history before the span is read.
   */
  abstract lastAccesses(spans: readonly AccessSpan[]): Promise<(Date | undefined)[]>;
  /**
   * As {@link lastAccesses}, of accesses that changed nothing. Of a visit with many requests the last ones are read.
   */
  abstract lastReads(spans: readonly AccessSpan[]): Promise<(LastRead | undefined)[]>;
  abstract lastSignIn(accountId: string): Promise<Date | undefined>;
}
