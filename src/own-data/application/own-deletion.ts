import { Injectable } from '@nestjs/common';
import type { DeleteAccountRequest, DeletionFacts } from '../../contract/own-record/own-data.js';
import { type Limit, Limits } from '../../platform/limits/limits.js';
import type { Browser } from '../../platform/request/browser.js';
import { proofIn, TwoFactorProofs, wrongCode } from '../../two-factor/application/two-factor-proofs.js';
import { DeletionRequests } from '../../users/application/deletion/deletion-requests.js';
import { type KeepLink, KeepLinks } from '../../users/application/deletion/keep-links.js';
import { OwnerConfirmation } from './owner-confirmation.js';

const requests: Limit = { name: 'account-deletion', points: 20, seconds: 3600 };

/**
 * The deletion of the own account, with the strongest proof that the account has: a passkey; or else the password or a
 * new sign-in at the provider, and the second factor if there is one.
 */
@Injectable()
export class OwnDeletion {
  constructor(
    private readonly confirmation: OwnerConfirmation,
    private readonly factors: TwoFactorProofs,
    private readonly requests: DeletionRequests,
    private readonly links: KeepLinks,
    private readonly limits: Limits,
  ) {}

  async describe(browser: Browser): Promise<DeletionFacts> {
    const owner = await this.confirmation.ownerOf(browser);
    const { id, userType } = owner.account;
    return {
      days: this.requests.days,
      isLastAdmin: userType === 'Admin' && (await this.requests.isLastAdmin(id)),
      provider: this.confirmation.providerOf(owner),
      by: await this.confirmation.strongestProof(owner),
      isConfirmed: this.confirmation.isConfirmed(owner),
    };
  }

  /** Returns the time of the deletion; undefined when the account is deleted. */
  async begin(browser: Browser, form: DeleteAccountRequest): Promise<Date | undefined> {
    const owner = await this.confirmation.ownerOf(browser);
    const { id } = owner.account;
    await this.limits.takePoint(requests, id);
    const { by, stamp } = await this.confirmation.assertStrongest(owner, form.currentPassword, 'account.deleted');
    // A passkey is two factors by itself.
    if (by === 'passkey' || !(await this.factors.isActive(id))) return this.requests.begin(id, stamp);
    const proof = proofIn(form);
    const proven = await this.factors.prove(id, proof, async () => ({ dueAt: await this.requests.begin(id, stamp) }));
    if (!proven) throw wrongCode(proof.kind);
    return proven.dueAt;
  }

  /** The time of the deletion that the link belongs to; undefined if the account is kept already. */
  check(link: KeepLink): Promise<Date | undefined> {
    return this.links.check(link);
  }

  keep(link: KeepLink): Promise<void> {
    return this.links.keep(link);
  }
}
