import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import type { DecideRequestRequest } from '../../contract/requests.js';
import { fieldRequired } from '../../contract/rules/text.js';
import { Audit } from '../../platform/audit/audit.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import type { Browser } from '../../platform/request/browser.js';
import { AskedRelationships } from '../../representation/application/asked-relationships.js';
import { type ApprovalTerms, type HospitalRequest, openRequests, Requests, requestChanged } from '../domain/request.js';
import { ChangeApprovals } from './change-approvals.js';
import { firstApprover, noteFirst, SecondNeeded } from './first-approval.js';
import { RecordComparisons } from './record-comparisons.js';
import { RequestDeciders } from './request-deciders.js';

interface Decision {
  administrator: string;
  browser: Browser;
  form: DecideRequestRequest;
}

/** Approvals of requests to act for a patient: by one administrator, or by two for the same terms. */
@Injectable()
export class Approvals {
  constructor(
    private readonly requests: Requests,
    private readonly relationships: AskedRelationships,
    private readonly comparisons: RecordComparisons,
    private readonly deciders: RequestDeciders,
    private readonly changes: ChangeApprovals,
    private readonly audit: Audit,
    private readonly database: Database,
  ) {}

  /**
   * Makes the relationship, or notes the first of two approvals. Throws `invalid` with the problem at its field, and
   * `conflict` if the request was changed meanwhile.
   */
  async approve(request: HospitalRequest, { administrator, browser, form }: Decision): Promise<HospitalRequest> {
    if (request.kind === 'change') return this.changes.approve(request, { administrator, browser, form });
    const { terms, relatedPerson } = await this.termsOf(request, form);
    await this.deciders.assertOtherCase(request, administrator, terms.patient);
    const first = firstApprover(request, administrator, terms);
    if (first !== undefined) await this.deciders.assertRecent(browser, form.currentPassword);
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
    { id, version, tenant }: HospitalRequest,
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
    const account = await this.deciders.askerOf(decided);
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

  private noteFirst(request: HospitalRequest, administrator: string, terms: ApprovalTerms): Promise<HospitalRequest> {
    const { requests, audit, database } = this;
    return noteFirst({ requests, audit, database }, request, administrator, terms);
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
    const { tenant } = request;
    const step = exceedsTable ? await this.relationships.stepFor({ tenant, patient, basis }) : null;
    const terms: ApprovalTerms = {
      ...{ patient, basis, level, relation, end, exceedsTable, step, withoutBirthDate },
      despiteDifference: result === 'differs',
    };
    return { terms, relatedPerson: compared?.relatedPerson };
  }
}
