/** A user's app, and the time in which its accesses are looked for. */
export interface AccessSpan {
  accountId: string;
  clientId: string;
  after: Date;
  /** Now when omitted. */
  until?: Date;
}

/** Activity of users, as the audit record has it. Each access is in it before it is answered. */
export abstract class AuditedActivity {
  /**
   * The time of the last access to the FHIR server in each span, in their order; with `reads` of the last one that changed
   * nothing. No history before the span is read.
   */
  abstract lastAccesses(spans: readonly AccessSpan[], which?: 'all' | 'reads'): Promise<(Date | undefined)[]>;
  abstract lastSignIn(accountId: string): Promise<Date | undefined>;
}
