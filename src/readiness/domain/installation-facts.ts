import type { ClientFacts } from './client-rules.js';
import type { DatabaseSettings, DueMonths } from './database-rules.js';
import type { WaitingMails } from './mail-rules.js';
import type { SigningKeyFacts } from './network-rules.js';
import type { Administrators } from './people-rules.js';

/** Facts about the installation from its database. */
export abstract class InstallationFacts {
  abstract administrators(): Promise<Administrators>;
  abstract clients(): Promise<ClientFacts>;
  abstract waitingMails(): Promise<WaitingMails>;
  abstract signingKeys(of: { algorithms: readonly string[]; rotationDays: number }): Promise<SigningKeyFacts>;
  /** Active relationships with patients that the FHIR server was twice found not to have. */
  abstract goneRelationships(): Promise<number>;
  /** Requests that wait longer than their users were told. */
  abstract lateRequests(): Promise<number>;
  abstract databaseSettings(): Promise<DatabaseSettings>;
  /** The age of the oldest audit event without a seal, in seconds; 0 without any. */
  abstract oldestUnsealed(): Promise<number>;
  /** Months of the audit record that ended more than so many months ago; undefined without any. */
  abstract dueMonths(keepMonths: number): Promise<DueMonths | undefined>;
}
