import { Injectable } from '@nestjs/common';
import type { ApprovedInErrorRequest } from '../../contract/requests.js';
import { Audit } from '../../platform/audit/audit.js';
import { Database } from '../../platform/database/database.js';
import { PatientNotices } from '../../representation/application/patient-notices.js';
import { RelationshipEnds } from '../../representation/application/relationship-ends.js';
import { type HospitalRequest, Requests, requestChanged, requestGone } from '../domain/request.js';
import { RequestDeciders } from './request-deciders.js';

/** Approvals that were wrong. */
@Injectable()
export class RequestErrors {
  constructor(
    private readonly requests: Requests,
    private readonly ends: RelationshipEnds,
    private readonly notices: PatientNotices,
    private readonly deciders: RequestDeciders,
    private readonly audit: Audit,
    private readonly database: Database,
  ) {}

  /**
   * Ends the relationship at once, without a trace for its user, and tells the patient, whose log has what was seen.
   * Where the patient has no account, administrators tell them: the request has the list.
   */
  async correct(id: string, administrator: string, form: ApprovedInErrorRequest): Promise<HospitalRequest> {
    const request = await this.requests.findById(id);
    if (!request) throw requestGone();
    await this.deciders.assertOtherCase(request, administrator);
    return this.database.repeatableTransaction(async () => {
      const { version, note } = form;
      const changed = await this.requests.change(id, { status: ['approved'], version }, { status: 'in-error', note });
      if (!changed || changed.relationshipId === null) throw requestChanged();
      const by = { kind: 'account', id: administrator } as const;
      const ended = await this.ends.end(changed.relationshipId, { reason: 'in-error', note, by });
      const told = await this.notices.seenInError(ended);
      const detail = { status: 'in-error', relationship: ended.id, patientTold: told };
      await this.audit.record({ type: 'request.decided', outcome: 'success', subject: id, detail });
      return changed;
    });
  }
}
