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
  /** The app's request on whose way the link was asked for. */
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
    return { accountId: user.id, email: user.email ?? '', origin: await this.presented.originOf(purpose, user) };
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
    const { user } = prepared;
    const redeem = async () => {
      if (!(await this.presented.use(purpose, link))) return false;
      await entitle();
      if (purpose === 'password-reset') await this.revocations.revokeAccount(user.id);
      await this.audit.record({ type: recordedAs[purpose], outcome: 'success', userId: user.id, subject: user.id });
      return true;
    };
    await this.newPasswords.store(prepared, { redeem, ended: linkEnded });
    return user.email ?? '';
  }
}
