/** The purposes of a link by mail; a link for one is of no use for another (security H-01). */
export type LinkPurpose = 'activation' | 'password-reset';

/** The app's request during which a link was requested. */
export interface LinkOrigin {
  clientId: string;
  /** SHA-256 of the id of the request. */
  requestHash: string;
}

/**
 * Links that were sent to users by mail, or handed over by an administrator. An account has one of each purpose at
 * most: a new one ends the one before (security H-05). Only the hash of a token is stored.
 */
export abstract class AccountLinks {
  /** Returns the id of the previous link's mail, if it may not have been sent yet. */
  abstract replace(link: {
    accountId: string;
    purpose: LinkPurpose;
    tokenHash: string;
    mailId: string;
    /** Seconds for which it can be used, unless it turns out to be sent later. */
    seconds: number;
    origin: LinkOrigin | undefined;
    /** True for a link that goes by another way than a mail to the address. */
    handedOver: boolean;
  }): Promise<string | undefined>;
  /** The link of this purpose, if there is one, also if it has expired. */
  abstract findByPurpose(
    accountId: string,
    purpose: LinkPurpose,
  ): Promise<{ mailId: string; expiresAt: Date } | undefined>;
  /** The time counts from when the mail was sent (security R-09). */
  abstract startTime(mailId: string, secondsOf: Record<LinkPurpose, number>): Promise<void>;
  /** True if the link can be used now; changes nothing. */
  abstract isOpen(accountId: string, purpose: LinkPurpose, tokenHash: string): Promise<boolean>;
  /** The request during which the link was requested, if there was one. */
  abstract originOf(accountId: string, purpose: LinkPurpose): Promise<LinkOrigin | undefined>;
  /** Uses it up; returns it to exactly one caller. */
  abstract use(
    accountId: string,
    purpose: LinkPurpose,
    tokenHash: string,
  ): Promise<{ handedOver: boolean } | undefined>;
  /** The ids of the mails of an account's links, which may not have been sent yet. */
  abstract mailsOf(accountId: string): Promise<string[]>;
  abstract removeAll(accountId: string): Promise<void>;
}
