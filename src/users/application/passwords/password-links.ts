import { Injectable } from '@nestjs/common';
import { Revocations } from '../../../oidc-store/infrastructure/revocations.js';
import { Audit } from '../../../platform/audit/audit.js';
import type { LinkOrigin, LinkPurpose } from '../../domain/account-link.js';
import { NewPasswords, type PreparedPassword } from './new-passwords.js';
import { type Link, linkEnded, PresentedLinks, recordedAs } from './presented-links.js';

export type { Link };

export interface Choice extends Link {
  password: string;
}

export interface LinkHolder {
  accountId: string;
  /** The address that the link came to. */
  email: string;
  fullName: string;
  /** The app's request during which the link was requested. */
  origin: LinkOrigin | undefined;
}

/** A password that the holder of a link has chosen, and that fulfils the rules. */
export interface ChosenPassword extends PreparedPassword {
  purpose: LinkPurpose;
  link: Link;
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
    const { id, email, fullName } = user;
    return { accountId: id, email: email ?? '', fullName, origin: await this.presented.originOf(purpose, user) };
  }

  /** Checks link and password; changes nothing. */
  async prepare(purpose: LinkPurpose, { password, ...link }: Choice): Promise<ChosenPassword> {
    const user = await this.presented.holder(purpose, link);
    const choice = { field: 'password', password, isReplacement: purpose === 'password-reset' } as const;
    return { ...(await this.newPasswords.prepare(user, choice)), purpose, link };
  }

  /**
   * Uses the link up and stores the password. In place of one before, it ends everything that was begun with that one. `entitle` runs in
   * the transaction, with the account locked, and throws where the link alone is not enough. Returns the account's address.
   */
  async store({ purpose, link, ...prepared }: ChosenPassword, entitle: () => Promise<void>): Promise<string> {
    const redeem = () => this.redeem(purpose, link, prepared.user.id, entitle);
    await this.newPasswords.store(prepared, { redeem, ended: linkEnded });
    return prepared.user.email ?? '';
  }

  /**
   * Uses the link up for a passkey, which `add` stores in the same transaction, in place of a password; one that the account has is
   * given up. Otherwise as {@link store}.
   */
  async storePasskey(
    purpose: LinkPurpose,
    link: Link,
    { entitle, add }: { entitle: () => Promise<void>; add: () => Promise<void> },
  ): Promise<void> {
    const redeem = async ({ id }: { id: string }) => {
      if (!(await this.redeem(purpose, link, id, entitle))) return false;
      await add();
      return true;
    };
    await this.newPasswords.giveUp(link.userId, { redeem, ended: linkEnded });
  }

  /** In the transaction that stores what the link is for. Returns false, before anything else, if the link has ended. */
  private async redeem(purpose: LinkPurpose, link: Link, id: string, entitle: () => Promise<void>): Promise<boolean> {
    if (!(await this.presented.use(purpose, link))) return false;
    await entitle();
    if (purpose === 'password-reset') await this.revocations.revokeAccount(id, 'ended-by-password-reset');
    await this.audit.record({ type: recordedAs[purpose], outcome: 'success', userId: id, subject: id });
    return true;
  }
}
