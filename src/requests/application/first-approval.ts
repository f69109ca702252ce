import { message } from '../../contract/messages/message.js';
import type { Audit } from '../../platform/audit/audit.js';
import type { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import {
  type ApprovalTerms,
  type HospitalRequest,
  isSameApproval,
  openRequests,
  type Requests,
  requestChanged,
} from '../domain/request.js';

/** The terms need two administrators: what was stored has to be rolled back. */
export class SecondNeeded extends Error {}

/** Where the first of two approvals is stored. */
interface Stores {
  requests: Requests;
  audit: Audit;
  database: Database;
}

/** The account id of the first administrator, if this approval is the second one for the same terms. */
export function firstApprover(
  { firstApproval }: HospitalRequest,
  administrator: string,
  terms: ApprovalTerms,
): string | undefined {
  const isSecond =
    firstApproval !== null && firstApproval.by !== administrator && isSameApproval(firstApproval.terms, terms);
  return isSecond ? firstApproval.by : undefined;
}

/** Stores the first of two approvals. Throws `conflict` for a second one by the same administrator. */
export function noteFirst(
  { requests, audit, database }: Stores,
  { id, version, firstApproval }: HospitalRequest,
  administrator: string,
  terms: ApprovalTerms,
): Promise<HospitalRequest> {
  if (firstApproval?.by === administrator && isSameApproval(firstApproval.terms, terms)) {
    throw new Problem('conflict', message('representation-second-person'));
  }
  return database.transaction(async () => {
    const change = { firstApproval: { by: administrator, terms } };
    const noted = await requests.change(id, { status: openRequests, version }, change);
    if (!noted) throw requestChanged();
    const detail = { decision: 'approve', awaits: 'second' };
    await audit.record({ type: 'request.decided', outcome: 'success', subject: id, detail });
    return noted;
  });
}
