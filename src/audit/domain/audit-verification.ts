import type { AuditState } from '../../contract/audit.js';

/** Progress and outcome of verifications. */
export abstract class AuditVerifications {
  abstract state(): Promise<AuditState>;
  /** False if one is under way. `actor` is an account id or the name of a service, as in the audit record. */
  abstract begin(actor: string): Promise<boolean>;
  abstract progress(doneSeals: number): Promise<void>;
  /** In the transaction of the caller. */
  abstract end(actor: string, verdict: { seals: number; problems: string[] }): Promise<void>;
}
