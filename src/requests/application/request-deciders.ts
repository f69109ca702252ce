import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import { OwnerConfirmation } from '../../own-data/application/owner-confirmation.js';
import { Problem } from '../../platform/errors.js';
import type { Browser } from '../../platform/request/browser.js';
import { SecurityNotices } from '../../users/application/security-notices.js';
import { UserDirectory } from '../../users/application/user-directory.js';
import type { HospitalRequest } from '../domain/request.js';

/** Who may decide about a request, and that its user is told. */
@Injectable()
export class RequestDeciders {
  constructor(
    private readonly accounts: UserDirectory,
    private readonly confirmation: OwnerConfirmation,
    private readonly notices: SecurityNotices,
  ) {}

  /** True if the administrator is a side of the request, by account, address or name. */
  async isOwnCase({ accountId, askerName, patientName }: HospitalRequest, administrator: string): Promise<boolean> {
    const [decider, asker] = await Promise.all([
      this.accounts.findById(administrator),
      accountId === null ? undefined : this.accounts.findById(accountId),
    ]);
    if (!decider) return true;
    const same = (one: string | null | undefined, other: string | null | undefined) =>
      one && other ? one.trim().toLowerCase() === other.trim().toLowerCase() : false;
    return (
      decider.id === accountId ||
      same(decider.email, asker?.email) ||
      same(decider.fullName, askerName) ||
      same(decider.fullName, patientName)
    );
  }

  async assertOtherCase(request: HospitalRequest, administrator: string): Promise<void> {
    if (await this.isOwnCase(request, administrator)) {
      throw new Problem('forbidden', message('representation-own-case'));
    }
  }

  /** A second approval needs a sign-in or a proof of the last five minutes. Throws `invalid` at the proof. */
  async assertRecent(browser: Browser, password: string | undefined): Promise<void> {
    await this.confirmation.assertRecent(await this.confirmation.ownerOf(browser), password, 'request.decided');
  }

  /** Tells the user that there is an answer, without a word of it; in the caller's transaction. */
  async tellAsker({ accountId }: HospitalRequest): Promise<void> {
    if (accountId !== null) await this.notices.send(accountId, { name: 'request-answered' });
  }

  async nameOf(id: string): Promise<string | null> {
    return (await this.accounts.findById(id))?.fullName ?? null;
  }
}
