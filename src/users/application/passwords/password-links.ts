import { Injectable } from '@nestjs/common';
import { Revocations } from '../../../oidc-store/infrastructure/revocations.js';
import { Audit } from '../../../platform/audit/audit.js';
import type { LinkOrigin, LinkPurpose } from '../../domain/account-link.js';
import { NewPasswords } from './new-passwords.js';
import { type Link, linkEnded, PresentedLinks, recordedAs } from './presented-links.js';

export type { Link };

export interface Choice extends Link {
  password: string;
}

export interface LinkHolder {
  accountId: string;
  /** The address that the link came to. */
  email: string;
  /** The app's request on whose way the link was asked for. */
  origin: LinkOrigin | undefined;
}

/**
 * Choosing a password with a link that came by mail, for the first time (activation) or because the one before was
 * forgotten. The link is checked before any other answer, so that an answer reveals nothing about an account to a
 * caller without it. It is used up in the transaction that stores the password, never by a GET: mail scanners follow
 * links (H-07).
 */
@Injectable()
export class PasswordLinks {
  constructor(
    private readonly presented: PresentedLinks,
    private readonly newPasswords: NewPasswords,
    private readonly revocations: Revocations,
    private readonly audit: Audit,
  ) {}

  /** The holder of a link, which is not used up; a link that is no longer good counts as a guess. */
  async check(purpose: LinkPurpose, link: Link): Promise<LinkHolder> {
    const user = await this.presented.holder(purpose, link);
    return { accountId: user.id, email: user.email ?? '', origin: await this.presented.originOf(purpose, user) };
  }

  async activate(choice: Choice): Promise<void> {
    await this.choose('activation', choice);
  }

  /**
   * Ends everything that was begun with the previous password. Returns the account's address to which the link was
   * sent.
   */
  reset(choice: Choice): Promise<string> {
    return this.choose('password-reset', choice);
  }

  private async choose(purpose: LinkPurpose, { password, ...link }: Choice): Promise<string> {
    const user = await this.presented.holder(purpose, link);
    const isReplacement = purpose === 'password-reset';
    const redeem = async () => {
      if (!(await this.presented.use(purpose, link))) return false;
      if (isReplacement) await this.revocations.revokeAccount(user.id);
      await this.audit.record({ type: recordedAs[purpose], outcome: 'success', userId: user.id, subject: user.id });
      return true;
    };
    await this.newPasswords.store(user, { field: 'password', password, isReplacement }, { redeem, ended: linkEnded });
    return user.email ?? '';
  }
}
