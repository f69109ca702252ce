import { randomUUID } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { answerDays } from '../../contract/requests.js';
import { Audit } from '../../platform/audit/audit.js';
import { randomLetters } from '../../platform/crypto/secrets.js';
import { type HospitalQuestion, HospitalQuestions } from '../../representation/application/hospital-questions.js';
import { Requests, referenceLength, referenceOf } from '../domain/request.js';

/** Questions about relationships, which become requests without a user who asks. */
@Injectable()
export class RelationshipQuestions implements OnModuleInit {
  constructor(
    private readonly requests: Requests,
    private readonly questions: HospitalQuestions,
    private readonly audit: Audit,
  ) {}

  onModuleInit(): void {
    this.questions.openedBy((question) => this.open(question));
  }

  private async open({ kind, relationship, reason, days = answerDays }: HospitalQuestion): Promise<void> {
    const { id: relationshipId, tenant, patientName, representativeName: askerName } = relationship;
    const opened = await this.requests.addQuestion(
      {
        ...{
          id: randomUUID(),
          reference: referenceOf(randomLetters(referenceLength)),
          kind,
          accountId: null,
          relationshipId,
          tenant,
        },
        ...{ askerName, patientName, content: { reason: reason ?? null } },
      },
      days,
    );
    if (!opened) return;
    const detail = { kind, relationship: relationshipId };
    await this.audit.record({ type: 'request.opened', outcome: 'success', subject: opened.id, detail });
  }
}
