import type { SealState } from '../../contract/audit.js';

/** Result of {@link AuditSeals.verify}. */
export interface AuditVerdict {
  events: number;
  seals: number;
  /** One line per problem; empty if all events are as recorded. */
  problems: string[];
}

/** The events that have no seal yet. Ages are in seconds. */
export interface UnsealedEvents {
  unsealed: number;
  oldestSeconds: number;
  seals: number;
  /** Age of the last seal; undefined while there is none. */
  lastSeconds: number | undefined;
}

/**
 * Seals of the audit record (security N-05). Once a minute one node seals the events recorded since the last seal: a
 * hash of these events and of the previous seal, keyed by the master key. A change of the tables outside of the
 * application, without that key, breaks a seal. Each new seal is also written to the log, so that truncation of the
 * chain shows there. Events younger than a minute are not sealed yet.
 */
export abstract class AuditSeals {
  /** Seals the events recorded since the last seal, unless another node is sealing. Returns the number of events. */
  abstract seal(): Promise<number>;
  abstract backlog(): Promise<UnsealedEvents>;
  /**
   * Finds events that were changed, removed or inserted outside of the application. Of months in archives it verifies
   * that their seals are part of the chain; the files are verified with their archives. `onSeal` learns of the
   * progress.
   */
  abstract verify(onSeal?: (number: string) => void): Promise<AuditVerdict>;
  /** Finds the seal of one event, and checks that it fits the events that it covers. */
  abstract check(event: { id: string; at: Date }): Promise<SealState>;
  /** The content of a seal, and its events as they are now. */
  abstract evidence(number: string): Promise<object>;
}
