import { Injectable } from '@nestjs/common';
import type { AdministratorEnd } from '../../contract/representation.js';
import { AccessReceipts } from '../../oidc-store/infrastructure/access-receipts.js';
import { Revocations } from '../../oidc-store/infrastructure/revocations.js';
import { Audit } from '../../platform/audit/audit.js';
import { Database } from '../../platform/database/database.js';
import {
  type Actor,
  isHidden,
  liveStatuses,
  type Relationship,
  relationshipChanged,
  relationshipGone,
} from '../domain/relationship.js';
import { type RelationshipChange, Relationships } from '../domain/relationships.js';
import { HospitalQuestions } from './hospital-questions.js';
import { Representatives } from './representatives.js';

interface End {
  reason:
    | AdministratorEnd
    | 'representative'
    | 'patient'
    | 'period'
    | 'deceased'
    | 'age'
    | 'representative-gone'
    | 'server'
    | 'unanswered';
  by: Actor;
  note?: string | undefined;
  /** For an end that follows from the relationship as it was then: one that was changed since does not end. */
  seen?: Relationship | undefined;
}

const firstName = (name: string) => name.split(' ')[0] ?? name;

/** The end of a relationship, with the access of all apps that was based on it. */
@Injectable()
export class RelationshipEnds {
  constructor(
    private readonly relationships: Relationships,
    private readonly revocations: Revocations,
    private readonly receipts: AccessReceipts,
    private readonly people: Representatives,
    private readonly questions: HospitalQuestions,
    private readonly audit: Audit,
    private readonly database: Database,
  ) {}

  /**
   * Ends an active or suspended relationship at once. A safeguarding end leaves no receipt, blocks the pair, also if
   * another side has ended the relationship before, and ends what else is live of the same user with the patient.
   * Throws `not-found` and `conflict`.
   */
  end(id: string, { reason, by, note, seen }: End): Promise<Relationship> {
    return this.database.repeatableTransaction(async () => {
      const before = await this.relationships.findForChange(id);
      if (!before) throw relationshipGone();
      if (seen && !(await this.relationships.lockUnchanged(seen))) throw relationshipChanged();
      if (before.status === 'ended') return this.endAgain(before, { reason, by, note });
      const change: RelationshipChange = {
        ...{ status: 'ended', reason, endedBy: by, endedAt: new Date(), ...(note !== undefined && { note }) },
        patientName: firstName(before.patientName),
      };
      const ended = await this.relationships.change(id, liveStatuses, change);
      if (!ended) throw relationshipChanged();
      if (reason === 'safeguarding') await this.people.block(ended);
      await this.endAccess(ended);
      const detail = { reason, note };
      await this.audit.record({ type: 'representation.ended', outcome: 'success', subject: id, detail });
      if (reason === 'safeguarding') await this.endOthers(ended, { by, note });
      return ended;
    });
  }

  /** The patient's end of a power of attorney or court order: nothing is seen until administrators have decided. */
  async suspend(id: string): Promise<void> {
    await this.database.transaction(async () => {
      const before = await this.relationships.findForChange(id);
      if (before?.status === 'suspended' && before.reason === 'patient-ended') return;
      const change = { status: 'suspended', reason: 'patient-ended' } as const;
      const suspended = await this.relationships.change(id, liveStatuses, change);
      if (!suspended) throw relationshipChanged();
      await this.audit.record({ type: 'representation.changed', outcome: 'success', subject: id, detail: change });
      await this.questions.open({ kind: 'patient-ended', relationship: suspended });
    });
  }

  /**
   * An end that must not come too late: for safeguarding the pair is blocked, and the relationship stays as it ended,
   * because the representative may know of the end. An approval in error leaves no card.
   */
  private async endAgain(
    before: Relationship,
    { reason, by, note }: Pick<End, 'reason' | 'by' | 'note'>,
  ): Promise<Relationship> {
    if (isHidden(before) || (reason !== 'safeguarding' && reason !== 'in-error')) throw relationshipChanged();
    if (reason === 'safeguarding') await this.people.block(before);
    const change: RelationshipChange = {
      ...(reason === 'in-error' && { reason }),
      ...(note !== undefined && { note }),
    };
    const changed = await this.relationships.change(before.id, ['ended'], change);
    if (!changed) throw relationshipChanged();
    const detail = { reason, before: before.reason, note };
    await this.audit.record({ type: 'representation.ended', outcome: 'success', subject: before.id, detail });
    if (reason === 'safeguarding') await this.endOthers(changed, { by, note });
    return changed;
  }

  /** Relationships that the block would not have let in: of the same pair, or of another account of the same user. */
  private async endOthers({ id, ...key }: Relationship, { by, note }: Pick<End, 'by' | 'note'>): Promise<void> {
    for (const { id: other, status, ...representative } of await this.relationships.ofPatient(key)) {
      if (other === id || !liveStatuses.includes(status)) continue;
      if (await this.people.isBlocked(key, representative)) await this.end(other, { reason: 'safeguarding', by, note });
    }
  }

  /** Takes the access of apps, in the caller's transaction. */
  async endAccess(ended: Relationship): Promise<void> {
    const { accountId, id } = ended;
    if (accountId === null) return;
    for (const { clientId, ended: access } of await this.revocations.revokeRepresentation(accountId, id)) {
      if (isHidden(ended)) continue;
      const app = await this.people.appOf(clientId);
      await this.receipts.prepareForRepresentative(app, access, id);
    }
  }
}
