import { Injectable } from '@nestjs/common';
import { Audit } from '../../platform/audit/audit.js';
import { Database } from '../../platform/database/database.js';
import { HospitalQuestions, type QuestionKind } from '../../representation/application/hospital-questions.js';
import { RelationshipEnds } from '../../representation/application/relationship-ends.js';
import { RelationshipLists } from '../../representation/application/relationship-list.js';
import { SuspendedRelationships } from '../../representation/application/suspended-relationships.js';
import { type HospitalRequest, openRequests, Requests, requestChanged } from '../domain/request.js';

/** Answers to questions about relationships: it continues, or ends. */
@Injectable()
export class QuestionAnswers {
  constructor(
    private readonly requests: Requests,
    private readonly questions: HospitalQuestions,
    private readonly relationships: RelationshipLists,
    private readonly suspended: SuspendedRelationships,
    private readonly ends: RelationshipEnds,
    private readonly audit: Audit,
    private readonly database: Database,
  ) {}

  /** Answers once. A relationship that has the state of the answer already stays as it is. */
  answer(
    request: HospitalRequest,
    { administrator, continues, note }: { administrator: string; continues: boolean; note: string },
  ): Promise<HospitalRequest> {
    const { id, version, relationshipId } = request;
    return this.database.repeatableTransaction(async () => {
      const status = continues ? 'approved' : 'declined';
      const decidedBy = { id: administrator, isService: false };
      const change = { status, note, decidedBy, decidedAt: new Date() } as const;
      const decided = await this.requests.change(id, { status: openRequests, version }, change);
      if (!decided || relationshipId === null) throw requestChanged();
      const before = await this.relationships.get(relationshipId);
      const kind = request.kind as QuestionKind;
      // The patient's end is decided by the answer about it alone.
      const { reason: cause } = before;
      if (
        continues &&
        before.status === 'suspended' &&
        (cause === 'unanswered' || (cause === 'patient-ended' && kind === cause))
      ) {
        await this.suspended.confirm(relationshipId, decidedBy, { note, reason: cause });
      }
      if (!continues && (before.status === 'active' || before.status === 'suspended')) {
        const reason = kind === 'patient-ended' ? 'patient' : 'administrator';
        await this.ends.end(relationshipId, { reason, note, by: { kind: 'account', id: administrator } });
      }
      await this.questions.answered(kind, relationshipId, continues ? 'continues' : 'ends');
      const detail = { decision: continues ? 'continues' : 'ends', relationship: relationshipId };
      await this.audit.record({ type: 'request.decided', outcome: 'success', subject: id, detail });
      return decided;
    });
  }
}
