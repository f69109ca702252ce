import { Injectable } from '@nestjs/common';
import type { DecideRequestRequest } from '../../contract/requests.js';
import { fieldRequired } from '../../contract/rules/text.js';
import { Audit } from '../../platform/audit/audit.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import type { Browser } from '../../platform/request/browser.js';
import { LevelApprovals } from '../../representation/application/levels/level-approvals.js';
import { RelationshipLists } from '../../representation/application/relationship-list.js';
import {
  type ApprovalTerms,
  type AskedAbout,
  type HospitalRequest,
  openRequests,
  Requests,
  requestChanged,
} from '../domain/request.js';
import { firstApprover, noteFirst, SecondNeeded } from './first-approval.js';
import { RequestDeciders } from './request-deciders.js';

/** Approvals of requests to change a relationship: by one administrator, or above the age table by two. */
@Injectable()
export class ChangeApprovals {
  constructor(
    private readonly requests: Requests,
    private readonly levels: LevelApprovals,
    private readonly relationships: RelationshipLists,
    private readonly deciders: RequestDeciders,
    private readonly audit: Audit,
    private readonly database: Database,
  ) {}

  /**
   * Gives the level, or notes the first of two approvals. Throws `invalid` with the problem at its field, and
   * `conflict` if the request or the relationship was changed meanwhile.
   */
  async approve(
    request: HospitalRequest,
    { administrator, browser, form }: { administrator: string; browser: Browser; form: DecideRequestRequest },
  ): Promise<HospitalRequest> {
    const terms = await this.termsOf(request, form);
    const first = firstApprover(request, administrator, terms);
    if (first !== undefined) await this.deciders.assertRecent(browser, form.currentPassword);
    try {
      return await this.database.repeatableTransaction(() =>
        this.store(request, { terms, note: form.note, first, administrator }),
      );
    } catch (error) {
      if (!(error instanceof SecondNeeded)) throw error;
      return this.noteFirst(request, administrator, terms);
    }
  }

  private async store(
    { id, version, relationshipId, content }: HospitalRequest,
    {
      terms,
      note,
      first,
      administrator,
    }: { terms: ApprovalTerms; note: string; first: string | undefined; administrator: string },
  ): Promise<HospitalRequest> {
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
    if (!decided || relationshipId === null) throw requestChanged();
    const { level, exceedsTable, end: until } = terms;
    const by = (decider: string) => ({ id: decider, isService: false });
    const made = await this.levels.approve(
      relationshipId,
      { level, exceedsTable, until, step: (content as AskedAbout).step },
      { first: first === undefined ? undefined : by(first), last: by(administrator), note },
    );
    if (made === 'second-needed') throw new SecondNeeded();
    await this.deciders.tellAsker(decided);
    const detail = { decision: 'approve', relationship: relationshipId, level, first };
    await this.audit.record({ type: 'request.decided', outcome: 'success', subject: id, detail });
    return decided;
  }

  private noteFirst(request: HospitalRequest, administrator: string, terms: ApprovalTerms): Promise<HospitalRequest> {
    const { requests, audit, database } = this;
    return noteFirst({ requests, audit, database }, request, administrator, terms);
  }

  private async termsOf(
    { relationshipId, content }: HospitalRequest,
    form: DecideRequestRequest,
  ): Promise<ApprovalTerms> {
    const { level, end = null, exceedsTable = false } = form;
    if (level === undefined) throw Problem.invalid([{ field: 'level', messages: [fieldRequired] }]);
    if (relationshipId === null) throw requestChanged();
    const relationship = await this.relationships.get(relationshipId);
    const { patient, basis, relation, tenant } = relationship;
    const asked = (content as AskedAbout).step;
    const step = exceedsTable
      ? await this.levels.stepFor({ tenant: tenant ?? undefined, patient, basis }, asked)
      : null;
    return {
      ...{ patient, basis, relation, level, end, exceedsTable, step },
      ...{ withoutBirthDate: false, despiteDifference: false },
    };
  }
}
