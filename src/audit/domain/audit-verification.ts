import type { AuditState } from '../../contract/audit.js';

/** Progress and outcome of verifications. */
export abstract class AuditVerifications {
  abstract state(): Promise<AuditState>;
  /** False if one is under way. */
  abstract begin(accountId: string): Promise<boolean>;
  abstract progress(doneSeals: number): Promise<void>;
  /** In the transaction of the caller. */
  abstract end(accountId: string, verdict: { seals: number; problems: string[] }): Promise<void>;
}
