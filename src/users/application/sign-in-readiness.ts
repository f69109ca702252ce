import { Injectable } from '@nestjs/common';
import { Mail } from '../../platform/mail/mail.js';
import { AccountDeletions } from '../domain/account-deletion.js';
import { AccountLinks } from '../domain/account-link.js';
import { Users } from '../domain/user.js';
import { noSuchUser } from './managed-user.js';
import { factsOf, type UserFacts } from './user-directory.js';

/** An invitation that was not accepted yet. */
export interface OpenInvitation {
  /** `waits`: its mail could not be sent yet. */
  state: 'waits' | 'open' | 'expired';
  /** The end of its validity, also a past one. */
  until: Date | undefined;
}

/** The facts of the account itself for signing in. */
export interface SignInReadiness {
  account: UserFacts;
  /** The provider of an external account. */
  issuer: string | null;
  /** Undefined for an account that was activated, or needs no invitation. */
  invitation: OpenInvitation | undefined;
  /** Time of the requested deletion; until then the account is locked. */
  deletionAt: Date | undefined;
}

/** The facts for signing in of patients, practitioners and users who are neither yet; not of administrators. */
@Injectable()
export class SignInReadinesses {
  constructor(
    private readonly users: Users,
    private readonly links: AccountLinks,
    private readonly deletions: AccountDeletions,
    private readonly mail: Mail,
  ) {}

  /** Throws `not-found` for an administrator, too. */
  async forUser(id: string): Promise<SignInReadiness> {
    const user = await this.users.findById(id);
    if (!user || user.userType === 'Admin') throw noSuchUser();
    return {
      account: factsOf(user),
      issuer: user.issuer,
      invitation: user.isInvited ? await this.invitationOf(id) : undefined,
      deletionAt: (await this.deletions.findByAccount(id))?.dueAt,
    };
  }

  private async invitationOf(id: string): Promise<OpenInvitation> {
    const link = await this.links.findByPurpose(id, 'activation');
    if (!link) return { state: 'expired', until: undefined };
    const { mailId, expiresAt: until } = link;
    if (until <= new Date()) return { state: 'expired', until };
    return { state: (await this.mail.isDelayed(mailId)) ? 'waits' : 'open', until };
  }
}
