import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { resetLinkMinutes } from '../../contract/rules/users/password.js';
import { Config } from '../../platform/config/config.js';
import { randomId, sha256 } from '../../platform/crypto/secrets.js';
import { keptDays, Mail } from '../../platform/mail/mail.js';
import { MailDelivery } from '../../platform/mail/mail-delivery.js';
import { AccountLinks, type LinkOrigin, type LinkPurpose } from '../domain/account-link.js';
import type { User } from '../domain/user.js';

const hour = 3600;
const secondsOf: Record<LinkPurpose, number> = { activation: 72 * hour, 'password-reset': resetLinkMinutes * 60 };
const kinds = {
  activation: { path: '/account/activate', validFor: { number: 72, unit: 'hour' } },
  'password-reset': { path: '/password/reset', validFor: { number: resetLinkMinutes, unit: 'minute' } },
} as const;

/**
 * Links with which users prove that an address is theirs. Their host is the issuer's, whatever a request contained
 * (H-09).
 */
@Injectable()
export class LinkMailer {
  constructor(
    private readonly links: AccountLinks,
    private readonly mail: Mail,
    private readonly config: Config,
    delivery: MailDelivery,
  ) {
    delivery.whenSent((mailId) => this.links.startTime(mailId, secondsOf));
  }

  /** Runs in the caller's transaction. */
  async send(purpose: LinkPurpose, { id, email, fullName, locale }: User, origin?: LinkOrigin): Promise<void> {
    if (email === null) throw new Error(`account ${id} has no address to send a link to`);
    const { link, token } = this.newLink(purpose, id);
    const { validFor } = kinds[purpose];
    const mailId = await this.mail.post(purpose, email, { name: fullName, link, validFor }, locale);
    // A link whose mail still waits is unknown to all; its time is set when the mail has gone.
    await this.open(purpose, id, {
      token,
      mailId,
      seconds: keptDays * 24 * hour + secondsOf[purpose],
      origin,
      handedOver: false,
    });
  }

  /** Ends all links of an account, and the mails about them that still wait; in the caller's transaction. */
  async withdrawAll(accountId: string): Promise<void> {
    for (const mailId of await this.links.mailsOf(accountId)) await this.mail.withdraw(mailId);
    await this.links.removeAll(accountId);
  }

  /**
   * Creates a link without mail, for a caller that may show it; in the caller's transaction. `provesAddress` if the
   * address is known to be that of the user who gets the link.
   */
  async createLink(
    purpose: LinkPurpose,
    { id }: User,
    { provesAddress }: { provesAddress: boolean },
  ): Promise<{ link: string; expires: Date }> {
    const { link, token } = this.newLink(purpose, id);
    const seconds = secondsOf[purpose];
    await this.open(purpose, id, { token, mailId: randomUUID(), seconds, handedOver: !provesAddress });
    return { link, expires: new Date(Date.now() + seconds * 1000) };
  }

  /** False while no mail server is configured; until there is one, mails wait. */
  get canDeliver(): boolean {
    return this.config.email.smtp !== undefined;
  }

  private newLink(purpose: LinkPurpose, accountId: string): { link: string; token: string } {
    const token = randomId();
    return { link: `${this.config.server.issuer}${kinds[purpose].path}?u=${accountId}&t=${token}`, token };
  }

  private async open(
    purpose: LinkPurpose,
    accountId: string,
    {
      token,
      mailId,
      seconds,
      origin,
      handedOver,
    }: { token: string; mailId: string; seconds: number; origin?: LinkOrigin | undefined; handedOver: boolean },
  ): Promise<void> {
    // The mail before its link, in the order of the node that has sent the mail: otherwise the two could deadlock.
    const before = await this.links.findByPurpose(accountId, purpose);
    if (before) await this.mail.withdraw(before.mailId);
    const replaced = await this.links.replace({
      accountId,
      purpose,
      tokenHash: linkHash(purpose, token),
      mailId,
      seconds,
      origin,
      handedOver,
    });
    if (replaced !== undefined && replaced !== before?.mailId) await this.mail.withdraw(replaced);
  }
}

export function linkHash(purpose: LinkPurpose, token: string): string {
  return sha256(`${purpose} ${token}`);
}
