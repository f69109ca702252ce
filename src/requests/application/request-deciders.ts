import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import { OwnerConfirmation } from '../../own-data/application/owner-confirmation.js';
import { Problem } from '../../platform/errors.js';
import type { Browser } from '../../platform/request/browser.js';
import { RelationshipLists } from '../../representation/application/relationship-list.js';
import { RelationshipSides, type Sides } from '../../representation/application/relationship-sides.js';
import { SecurityNotices } from '../../users/application/security-notices.js';
import { UserDirectory, type UserFacts } from '../../users/application/user-directory.js';
import { askedRelationshipOf, type HospitalRequest } from '../domain/request.js';

/** Checks that the caller may decide about a request, and tells its user the answer. */
@Injectable()
export class RequestDeciders {
  constructor(
    private readonly accounts: UserDirectory,
    private readonly confirmation: OwnerConfirmation,
    private readonly notices: SecurityNotices,
    private readonly sides: RelationshipSides,
    private readonly relationships: RelationshipLists,
  ) {}

  /**
   * True if the administrator may be a side of the request, or of the relationship that it is about. `patient`: id of
   * the record that is approved.
   */
  async isOwnCase(request: HospitalRequest, administrator: string, patient?: string): Promise<boolean> {
    for (const sides of await this.sidesOf(request, patient)) {
      if (await this.sides.isSide(sides, administrator)) return true;
    }
    return false;
  }

  async assertOtherCase(request: HospitalRequest, administrator: string, patient?: string): Promise<void> {
    if (await this.isOwnCase(request, administrator, patient)) {
      throw new Problem('forbidden', message('representation-own-case'));
    }
  }

  private async sidesOf(request: HospitalRequest, patient: string | undefined): Promise<Sides[]> {
    const { tenant, accountId, askerName, patientName, relationshipId } = request;
    const { birthDate } = askedRelationshipOf(request) ?? {};
    const asked = { tenant, patient, patientName, birthDate, accountId, representativeName: askerName };
    if (relationshipId === null) return [asked];
    const { tenant: home, ...about } = await this.relationships.get(relationshipId);
    return [asked, { ...about, tenant: home ?? undefined }];
  }

  /** A second approval needs a sign-in or a proof of the last five minutes. Throws `invalid` at the proof. */
  async assertRecent(browser: Browser, password: string | undefined): Promise<void> {
    await this.confirmation.assertRecent(await this.confirmation.ownerOf(browser), password, 'request.decided');
  }

  /** Tells the user that there is an answer, without a word of it; in the caller's transaction. */
  async tellAsker({ accountId }: HospitalRequest): Promise<void> {
    if (accountId !== null) await this.notices.send(accountId, { name: 'request-answered' });
  }

  /** The account of who asks; undefined for a question of the portal, and once it is gone. */
  async askerOf({ accountId }: HospitalRequest): Promise<UserFacts | undefined> {
    return accountId === null ? undefined : this.accounts.findById(accountId);
  }

  async nameOf(id: string): Promise<string | null> {
    return (await this.accounts.findById(id))?.fullName ?? null;
  }
}
