import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import {
  type AcceptedInvitation,
  type AcceptInvitationRequest,
  type InvitationFacts,
  invitationTries,
} from '../../contract/invitations.js';
import { message } from '../../contract/messages/message.js';
import { BrowserSessions } from '../../oidc/application/browser-sessions.js';
import { Audit } from '../../platform/audit/audit.js';
import { Config } from '../../platform/config/config.js';
import { equalInConstantTime, Secrets, sha256 } from '../../platform/crypto/secrets.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import { type Limit, Limits } from '../../platform/limits/limits.js';
import { Mail } from '../../platform/mail/mail.js';
import { removeInPortions } from '../../platform/process/portions.js';
import { type Repeated, repeat } from '../../platform/process/repeat.js';
import type { Browser } from '../../platform/request/browser.js';
import { InvitedRelationships } from '../../representation/application/invited-relationships.js';
import { PatientNotices } from '../../representation/application/patient-notices.js';
import { UserInvitations } from '../../users/application/user-invitations.js';
import { type Invitation, Invitations, invitationEnded } from '../domain/invitation.js';
import { isHandedToken } from './handed-links.js';

/** Of one caller's address, over all invitations. */
const answersOfAddress: Limit = { name: 'invitation-answer', points: 50, seconds: 3600 };
const keptDays = 30;
const purgeEveryMs = 3_600_000;
const purgedAtOnce = 1_000;

/** Invited users answer by the link, and accept with the code that the patient told them. */
@Injectable()
export class InvitationAnswers implements OnModuleInit, OnModuleDestroy {
  private purges: Repeated | undefined;
  private isStopped = false;

  constructor(
    private readonly invitations: Invitations,
    private readonly invited: InvitedRelationships,
    private readonly notices: PatientNotices,
    private readonly sessions: BrowserSessions,
    private readonly accounts: UserInvitations,
    private readonly secrets: Secrets,
    private readonly mail: Mail,
    private readonly limits: Limits,
    private readonly config: Config,
    private readonly audit: Audit,
    private readonly database: Database,
  ) {}

  onModuleInit(): void {
    this.purges = repeat(purgeEveryMs, 'removal of old invitations failed; will retry', async () => {
      await this.purge();
    });
  }

  async onModuleDestroy(): Promise<void> {
    this.isStopped = true;
    await this.purges?.stop();
  }

  /** Removes all that are too old. */
  async purge(): Promise<void> {
    await removeInPortions(
      purgedAtOnce,
      (most) => this.invitations.purge(keptDays, most),
      () => this.isStopped,
    );
  }

  /** The content of the page before the code is entered. Uses no attempt up. */
  async facts(id: string, token: string, caller: string): Promise<InvitationFacts> {
    await this.limits.takePoint(answersOfAddress, caller);
    const invitation = await this.open(id, token);
    return {
      ...{ firstName: invitation.firstName, level: this.invited.labelsOf(invitation).level, end: invitation.end },
      ...(isHandedToken(this.secrets, id, token) && { handedOver: true as const }),
      ...(!this.config.account.localLogin && { makesNoAccount: true as const }),
    };
  }

  /** Any end looks the same afterwards. */
  async decline(id: string, token: string, caller: string): Promise<void> {
    await this.limits.takePoint(answersOfAddress, caller);
    const invitation = await this.open(id, token);
    await this.database.transaction(async () => {
      if (!(await this.invitations.end(id, 'declined'))) throw invitationEnded();
      await this.notices.familyChanged(invitation.inviterId, invitation);
      await this.recordEnd(invitation, 'declined');
    });
  }

  /**
   * Makes the relationship, for the account that is signed in or for a new one. A wrong code is counted, and the fifth
   * ends the invitation, with a mail to both.
   */
  async accept(id: string, asked: AcceptInvitationRequest, browser: Browser): Promise<AcceptedInvitation> {
    await this.limits.takePoint(answersOfAddress, browser.addressKey);
    const accountId = (await this.sessions.describe(browser))?.accountId;
    const before = await this.acceptedBefore(id, asked, accountId);
    if (before) return before;
    const open = await this.open(id, asked.token);
    if (asked.account === 'new') this.assertMakesAccount(id, asked.token);
    // Before a try is used up: none of it depends on the code.
    const taker = await this.invited.takerFor(open, { ...asked, accountId });
    const invitation = await this.invitations.takeTry(id, open.tokenHash, invitationTries);
    if (!invitation) throw invitationEnded();
    const code = this.secrets.open('invitations', invitation.code, id);
    if (!equalInConstantTime(code, asked.spokenCode.replaceAll(/\s/g, ''))) {
      return this.refuseCode(invitation);
    }
    return this.database.repeatableTransaction(async () => {
      if (!(await this.invitations.end(id, 'accepted'))) throw invitationEnded();
      const made = taker ? undefined : await this.newAccount(invitation, asked);
      const account = taker ?? made?.user;
      if (!account) throw new Error('there is no account to accept for');
      const state = await this.invited.accept(invitation, account);
      await this.notices.familyChanged(invitation.inviterId, invitation);
      await this.recordEnd(invitation, 'accepted');
      return { state, activation: made ? made.link.slice(this.config.server.issuer.length) : null };
    });
  }

  /**
   * The answer that was lost: to the account that acts since then. A new account has its link no more, and is told how
   * to get another one.
   */
  private async acceptedBefore(
    id: string,
    { account, token }: AcceptInvitationRequest,
    accountId: string | undefined,
  ): Promise<AcceptedInvitation | undefined> {
    const accepted = await this.invitations.findAccepted(id);
    if (!accepted || !this.isLinkOf({ ...accepted, id }, token)) return undefined;
    if (account === 'new') throw new Problem('conflict', message('invitation-accepted'));
    const state = accountId === undefined ? undefined : await this.invited.stateFor(accepted, accountId);
    return state && { state, activation: null };
  }

  private assertMakesAccount(id: string, token: string): void {
    // Its password or passkey would sign no user in.
    if (!this.config.account.localLogin) throw new Problem('conflict', message('invitation-makes-no-account'));
    // The patient has the link as well: it does not prove the address of an account.
    if (isHandedToken(this.secrets, id, token)) throw new Problem('conflict', message('invitation-handed-over'));
  }

  /** For the address of the mailed link, whose user has shown that it is theirs. */
  private newAccount({ email, tenant, fullName }: Invitation, asked: AcceptInvitationRequest) {
    return this.accounts.addRepresentative({ email, tenant, fullName: asked.fullName?.trim() || fullName });
  }

  private async refuseCode(invitation: Invitation): Promise<never> {
    const left = invitationTries - invitation.wrongCodes;
    if (left > 0) {
      throw Problem.invalid([{ field: 'spokenCode', messages: [message('invitation-code-wrong', { count: left })] }]);
    }
    await this.database.transaction(async () => {
      if (!(await this.invitations.end(invitation.id, 'codes-used-up'))) return;
      await this.mail.post('invitation-ended', invitation.email, {});
      await this.notices.familyChanged(invitation.inviterId, invitation);
      await this.recordEnd(invitation, 'codes-used-up');
    });
    throw invitationEnded();
  }

  private async open(id: string, token: string): Promise<Invitation> {
    const found = await this.invitations.findOpen(id);
    if (!found || !this.isLinkOf(found, token) || this.invited.isOver(found)) throw invitationEnded();
    return found;
  }

  private isLinkOf({ id, tokenHash }: Pick<Invitation, 'id' | 'tokenHash'>, token: string): boolean {
    return equalInConstantTime(tokenHash, sha256(token)) || isHandedToken(this.secrets, id, token);
  }

  private async recordEnd({ id }: Invitation, end: string): Promise<void> {
    const outcome = end === 'codes-used-up' ? 'failure' : 'success';
    await this.audit.record({ type: 'representation.invitation-ended', outcome, subject: id, detail: { end } });
  }
}
