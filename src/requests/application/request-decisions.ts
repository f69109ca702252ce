import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import type { DecideRequestRequest } from '../../contract/requests.js';
import { Audit } from '../../platform/audit/audit.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import type { Browser } from '../../platform/request/browser.js';
import { type HospitalRequest, openRequests, Requests, requestChanged, requestGone } from '../domain/request.js';
import { RequestFiles } from '../domain/request-file.js';
import { Approvals } from './approvals.js';
import { QuestionAnswers } from './question-answers.js';
import { RequestDeciders } from './request-deciders.js';

interface Caller {
  /** Account id of the administrator. */
  administrator: string;
  browser: Browser;
}

/** Decisions of administrators about requests. Each is one conditional statement for the version that was seen. */
@Injectable()
export class RequestDecisions {
  constructor(
    private readonly requests: Requests,
    private readonly files: RequestFiles,
    private readonly approvals: Approvals,
    private readonly answers: QuestionAnswers,
    private readonly deciders: RequestDeciders,
    private readonly audit: Audit,
    private readonly database: Database,
  ) {}

  /** Throws `conflict` if it was changed meanwhile, and `forbidden` in the administrator's own case. */
  async decide(id: string, { administrator, browser }: Caller, form: DecideRequestRequest): Promise<HospitalRequest> {
    const request = await this.forChange(id, administrator, form.version);
    if (!openRequests.includes(request.status)) throw requestChanged();
    const { decision, note } = form;
    if (request.kind === 'patient-ended' || request.kind === 'still-right') {
      if (decision === 'more-needed') throw new Problem('invalid', message('request-invalid'));
      return this.answers.answer(request, { administrator, note, continues: decision === 'approve' });
    }
    if (decision !== 'approve') {
      const status = decision === 'decline' ? 'declined' : 'more-needed';
      return this.close(request, administrator, { status, note });
    }
    await this.assertSeen(request, administrator, form.seen ?? []);
    // The administrator has sent the list, and says how.
    if (request.kind === 'accounting') return this.close(request, administrator, { status: 'approved', note });
    return this.approvals.approve(request, { administrator, browser, form });
  }

  private async close(
    { id, version }: HospitalRequest,
    administrator: string,
    { status, note }: { status: 'approved' | 'declined' | 'more-needed'; note: string },
  ): Promise<HospitalRequest> {
    return this.database.transaction(async () => {
      const decidedBy = { id: administrator, isService: false };
      const change = { status, note, decidedBy, decidedAt: new Date(), firstApproval: null } as const;
      const closed = await this.requests.change(id, { status: openRequests, version }, change);
      if (!closed) throw requestChanged();
      await this.deciders.tellAsker(closed);
      await this.audit.record({ type: 'request.decided', outcome: 'success', subject: id, detail: { status } });
      return closed;
    });
  }

  private async forChange(id: string, administrator: string, version: number): Promise<HospitalRequest> {
    const request = await this.requests.findById(id);
    if (!request) throw requestGone();
    await this.deciders.assertOtherCase(request, administrator);
    if (request.version !== version) throw requestChanged();
    return request;
  }

  /** Each decider has opened each file that is there. */
  private async assertSeen({ id }: HospitalRequest, administrator: string, seen: readonly string[]): Promise<void> {
    const [files, opened] = await Promise.all([this.files.ofRequests([id]), this.files.openedBy(id, administrator)]);
    const isSeen = (file: string) => opened.has(file) && seen.includes(file);
    if (files.some((file) => file.isKept && !isSeen(file.id))) {
      throw Problem.invalid([{ field: 'seen', messages: [message('request-files-unseen')] }]);
    }
  }
}
