import { Injectable } from '@nestjs/common';
import type { EndedRelationship } from '../../../contract/representation/ended-relationship.js';
import { AccessReceipts } from '../../../oidc-store/infrastructure/access-receipts.js';
import { isHidden, type Relationship, relationshipGone } from '../../domain/relationship.js';
import { Relationships } from '../../domain/relationships.js';
import { NamedRepresentatives } from '../named-representatives.js';
import { RelationshipSides } from '../relationship-sides.js';
import { RepresentationRules } from '../representation-rules.js';

const shownMs = 365 * 24 * 3_600_000;

/** The receipt of the end of a relationship, for each of its sides. */
@Injectable()
export class EndedRelationships {
  constructor(
    private readonly relationships: Relationships,
    private readonly sides: RelationshipSides,
    private readonly representatives: NamedRepresentatives,
    private readonly rules: RepresentationRules,
    private readonly receipts: AccessReceipts,
  ) {}

  /**
   * For a year, from what was stored at the end. Throws `not-found` for one of other users, for one that has not ended,
   * and for a representative after a safeguarding end.
   */
  async forUser(accountId: string, id: string): Promise<EndedRelationship> {
    const found = await this.relationships.findById(id);
    const side = found && (await this.sideOf(accountId, found));
    const endedAt = found && endOf(found, side);
    if (!found || !side || !endedAt || Date.now() - endedAt.getTime() > shownMs) throw relationshipGone();
    const words = this.rules.relationWords(found);
    const name = side === 'representative' ? found.patientName : found.representativeName;
    return {
      ...{ id, side, state: found.status === 'ended' ? 'ended' : 'suspended', endedAt: endedAt.toISOString() },
      name: name.split(' ')[0] ?? name,
      relation: side === 'representative' ? words.patient : words.representative,
      basis: this.rules.basis(found.basis)?.label ?? found.basis,
      by: enderOf(found, side),
      apps: await this.appsOf(found, side, endedAt),
    };
  }

  private async sideOf(accountId: string, found: Relationship): Promise<EndedRelationship['side'] | undefined> {
    if (found.accountId === accountId) return isHidden(found) ? undefined : 'representative';
    const isTold = found.reason !== 'in-error' && (await this.sides.isPatient(accountId, found));
    return isTold ? 'patient' : undefined;
  }

  /** A patient who is too young sees who acted, and not with which apps. */
  private async appsOf(
    { id, accountId, status, ...key }: Relationship,
    side: EndedRelationship['side'],
    endedAt: Date,
  ): Promise<EndedRelationship['apps']> {
    if (status !== 'ended' || accountId === null) return [];
    if (side === 'patient' && (await this.representatives.areHiddenFrom([key]))) return [];
    const all = await this.receipts.ofRelationship(accountId, id, endedAt);
    return all
      .map(({ id: number, clientId, clientName, signIns }) => ({
        ...{ clientName: clientName || clientId, signIns },
        receipt: side === 'representative' ? number : null,
      }))
      .toSorted((one, other) => one.clientName.localeCompare(other.clientName));
  }
}

/** The time of the end, or of the patient's end of a power of attorney, which suspends it; undefined for any other. */
function endOf(
  { status, reason, endedAt, suspendedAt }: Relationship,
  side: EndedRelationship['side'] | undefined,
): Date | undefined {
  if (status === 'ended') return endedAt ?? undefined;
  const isAsked = side === 'patient' && status === 'suspended' && reason === 'patient-ended';
  return isAsked ? (suspendedAt ?? undefined) : undefined;
}

function enderOf({ reason, endedBy }: Relationship, side: EndedRelationship['side']): EndedRelationship['by'] {
  if (reason === 'patient-ended') return 'self';
  if (reason === 'representative' || reason === 'patient') return reason === side ? 'self' : 'other';
  return endedBy?.kind === 'portal' || endedBy?.kind === 'server' ? 'portal' : 'administrator';
}
