import { Injectable } from '@nestjs/common';
import type { Relationship } from '../domain/relationship.js';

/**
 * The questions to administrators about a relationship: `patient-ended`, whether a power of attorney or court order
 * that its patient has ended is to end; `still-right`, once a year, for one without a last day.
 */
export type QuestionKind = 'patient-ended' | 'still-right';

/** A question about a relationship, as it is asked. */
export interface HospitalQuestion {
  kind: QuestionKind;
  relationship: Relationship;
  /** For administrators. */
  reason?: string | undefined;
  /** Days in which it has to be answered; three by default. */
  days?: number | undefined;
}

/** `continues`: the relationship is as it was before the question; `ends`: it has ended. */
export type HospitalAnswer = 'continues' | 'ends';

/**
 * Questions about relationships that administrators answer on the page *Requests*. The module that keeps them registers
 * here, because it stands above this one.
 */
@Injectable()
export class HospitalQuestions {
  private opener: ((question: HospitalQuestion) => Promise<void>) | undefined;
  private readonly listeners: ((kind: QuestionKind, relationshipId: string, answer: HospitalAnswer) => unknown)[] = [];

  openedBy(opener: (question: HospitalQuestion) => Promise<void>): void {
    this.opener = opener;
  }

  /** Asks, in the caller's transaction. A question of the same kind that is open already stays as it is. */
  async open(question: HospitalQuestion): Promise<void> {
    if (!this.opener) throw new Error('no module keeps the questions about relationships');
    await this.opener(question);
  }

  /** Calls `listener` with each answer, in the transaction of the answer. */
  onAnswered(listener: (kind: QuestionKind, relationshipId: string, answer: HospitalAnswer) => unknown): void {
    this.listeners.push(listener);
  }

  async answered(kind: QuestionKind, relationshipId: string, answer: HospitalAnswer): Promise<void> {
    for (const listener of this.listeners) await listener(kind, relationshipId, answer);
  }
}
