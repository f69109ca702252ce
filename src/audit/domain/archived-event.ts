import type { AccessDetail } from '../../contract/audit/access-detail.js';

/** A reason, in the operator's words, for which an archive cannot be written, read or trusted. */
export class ArchiveProblem extends Error {}

/** An event as `audit read` prints it. */
export interface ArchivedEvent {
  id: string;
  recordedAt: string;
  type: string;
  outcome: string;
  userId: string | null;
  clientId: string | null;
  subject: string | null;
  address: string | null;
  correlationId: string | null;
  detail: Partial<AccessDetail>;
}
