import { Injectable } from '@nestjs/common';
import { message } from '../../../contract/messages/message.js';
import { Audit } from '../../../platform/audit/audit.js';
import { sha256 } from '../../../platform/crypto/secrets.js';
import { Problem } from '../../../platform/errors.js';
import { type Limit, Limits } from '../../../platform/limits/limits.js';
import { AccountLinks, type LinkOrigin, type LinkPurpose } from '../../domain/account-link.js';
import { type User, Users } from '../../domain/user.js';
import { linkHash } from '../link-mailer.js';

const hour = 3600;
const guessesPerAccount: Limit = { name: 'link-account', points: 10, seconds: hour };
const guessesPerAddress: Limit = { name: 'link-address', points: 50, seconds: hour };

/** Type of the audit event of a link's use, and of a refused use. */
export const recordedAs = { activation: 'account.activated', 'password-reset': 'password.reset' } as const;

export interface Link {
  userId: string;
  token: string;
  /** Key of the rate limit. */
  caller: string;
}

/**
 * The links that users present. A link that cannot be used counts as a guess. An unknown account, a wrong, used or old
 * token are one and the same refusal, so that it reveals nothing about an account (security F-14).
 */
@Injectable()
export class PresentedLinks {
  constructor(
    private readonly users: Users,
    private readonly links: AccountLinks,
    private readonly limits: Limits,
    private readonly audit: Audit,
  ) {}

  /** The user whom the link was sent to; does not use it up. Throws when it cannot be used. */
  async holder(purpose: LinkPurpose, { userId, token, caller }: Link): Promise<User> {
    // The key has a fixed length, whatever was sent.
    const account = sha256(userId);
    await this.limits.check(guessesPerAddress, caller);
    await this.limits.check(guessesPerAccount, account);
    const user = await this.users.find(userId);
    if (!user || !(await this.links.isOpen(user.id, purpose, linkHash(purpose, token)))) {
      await this.limits.takePoint(guessesPerAddress, caller);
      await this.limits.takePoint(guessesPerAccount, account);
      await this.audit.recordRefusal({ type: recordedAs[purpose], subject: user?.id });
      throw linkEnded();
    }
    return user;
  }

  /** The app's request during which a link of this user was requested. */
  originOf(purpose: LinkPurpose, { id }: User): Promise<LinkOrigin | undefined> {
    return this.links.originOf(id, purpose);
  }

  /** Uses the link up, in the caller's transaction; false when it could not be used. */
  use(purpose: LinkPurpose, { userId, token }: Link): Promise<boolean> {
    return this.links.use(userId, purpose, linkHash(purpose, token));
  }
}

export function linkEnded(): Problem {
  return new Problem('invalid', message('link-ended'));
}
