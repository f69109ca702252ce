import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import type { DecideRequestRequest } from '../../contract/requests.js';
import { fieldRequired } from '../../contract/rules/text.js';
import { Audit } from '../../platform/audit/audit.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import type { Browser } from '../../platform/request/browser.js';
import { AskedRelationships } from '../../representation/application/asked-relationships.js';
import { UserDirectory } from '../../users/application/user-directory.js';
import {
  type ApprovalTerms,
  type HospitalRequest,
  isSameApproval,
  openRequests,
  Requests,
  requestChanged,
} from '../domain/request.js';
import { RecordComparisons } from './record-comparisons.js';
import { RequestDeciders } from './request-deciders.js';

interface Decision {
  administrator: string;
  browser: Browser;
  form: DecideRequestRequest;
}

class SecondNeeded extends Error {}

/** Approvals of requests to act for a patient: by one administrator, or by two for the same terms. */
@Injectable()
export class Approvals {
  constructor(
    private readonly requests: Requests,
    private readonly relationships: AskedRelationships,
    private readonly comparisons: RecordComparisons,
    private readonly deciders: RequestDeciders,
    private readonly accounts: UserDirectory,
    private readonly audit: Audit,
    private readonly database: Database,
  ) {}

  /**
   * Makes the relationship, or notes the first of two approvals. Throws `invalid` with the problem at its field, and
   * `conflict` if the request was changed meanwhile.
   */
  async approve(request: HospitalRequest, { administrator, browser, form }: Decision): Promise<HospitalRequest> {
    const { terms, relatedPerson } = await this.termsOf(request, form);
    await this.deciders.assertOtherCase(request, administrator, terms.patient);
    const { firstApproval } = request;
    const isSecond =
      firstApproval !== null && firstApproval.by !== administrator && isSameApproval(firstApproval.terms, terms);
    if (isSecond) await this.deciders.assertRecent(browser, form.currentPassword);
    const first = isSecond ? firstApproval.by : undefined;
    if (terms.despiteDifference && first === undefined) return this.noteFirst(request, administrator, terms);
    try {
      return await this.database.repeatableTransaction(() =>
        this.store(request, { terms, relatedPerson, note: form.note, first, administrator }),
      );
    } catch (error) {
      if (!(error instanceof SecondNeeded)) throw error;
      return this.noteFirst(request, administrator, terms);
    }
  }

  private async store(
    { id, version, accountId, tenant }: HospitalRequest,
    approval: {
      terms: ApprovalTerms;
      relatedPerson: string | undefined;
      note: string;
      first: string | undefined;
      administrator: string;
    },
  ): Promise<HospitalRequest> {
    const { terms, relatedPerson, note, first, administrator } = approval;
    // The row is locked first: of two deciders at the same time the other one finds another state.
    const decided = await this.requests.change(
      id,
      { status: openRequests, version },
      {
        ...{ status: 'approved', note: null, decidedAt: new Date() },
        decidedBy: { id: administrator, isService: false },
        firstApproval: first === undefined ? null : { by: first, terms },
      },
    );
    if (!decided) throw requestChanged();
    const account = accountId === null ? undefined : await this.accounts.findById(accountId);
    if (!account?.email) throw new Problem('conflict', message('user-gone'));
    const { despiteDifference, ...wanted } = terms;
    const made = await this.relationships.approve(
      { ...wanted, tenant, relatedPerson, note },
      { id: account.id, email: account.email },
      {
        first: first === undefined || !terms.exceedsTable ? undefined : { id: first, isService: false },
        last: { id: administrator, isService: false },
      },
    );
    if (made === 'second-needed') throw new SecondNeeded();
    const linked = await this.requests.change(id, { status: ['approved'] }, { relationshipId: made.id });
    if (!linked) throw requestChanged();
    await this.deciders.tellAsker(linked);
    const detail = { decision: 'approve', relationship: made.id, first, despiteDifference };
    await this.audit.record({ type: 'request.decided', outcome: 'success', subject: id, detail });
    return linked;
  }

  private async noteFirst(
    { id, version, firstApproval }: HospitalRequest,
    administrator: string,
    terms: ApprovalTerms,
  ): Promise<HospitalRequest> {
    if (firstApproval?.by === administrator && isSameApproval(firstApproval.terms, terms)) {
      throw new Problem('conflict', message('representation-second-person'));
    }
    return this.database.transaction(async () => {
      const change = { firstApproval: { by: administrator, terms } };
      const noted = await this.requests.change(id, { status: openRequests, version }, change);
      if (!noted) throw requestChanged();
      const detail = { decision: 'approve', awaits: 'second' };
      await this.audit.record({ type: 'request.decided', outcome: 'success', subject: id, detail });
      return noted;
    });
  }

  /** The record is read again: what the page has shown may have changed. */
  private async termsOf(request: HospitalRequest, form: DecideRequestRequest) {
    const { basis, level, relation, end = null, exceedsTable = false, withoutBirthDate = false } = form;
    const { despiteDifference = false } = form;
    if (basis === undefined) throw Problem.invalid([{ field: 'basis', messages: [fieldRequired] }]);
    if (level === undefined) throw Problem.invalid([{ field: 'level', messages: [fieldRequired] }]);
    if (relation === undefined) throw Problem.invalid([{ field: 'relation', messages: [fieldRequired] }]);
    const compared = await this.comparisons.forRequest(request);
    const { result, patient } = compared?.comparison ?? { result: 'none', patient: null };
    if (result === 'unreachable') throw new Problem('unavailable', message('fhir-server-unavailable'));
    const fits = result === 'fits' || (result === 'differs' && despiteDifference);
    if (patient === null || patient !== form.patient || !fits) {
      throw Problem.invalid([{ field: 'patient', messages: [message('request-record-unfit')] }]);
    }
    const terms: ApprovalTerms = {
      ...{ patient, basis, level, relation, end, exceedsTable, withoutBirthDate },
      despiteDifference: result === 'differs',
    };
    return { terms, relatedPerson: compared?.relatedPerson };
  }
}
