/** The purposes of a link by mail; a link for one is of no use for another (security H-01). */
export type LinkPurpose = 'activation' | 'password-reset';

/**
 * Links that were sent to users by mail. An account has one of each purpose at most: a new one ends the one before
 * (security H-05). Only the hash of a token is stored.
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
  }): Promise<string | undefined>;
  /** The time counts from when the mail was sent (security R-09). */
  abstract startTime(mailId: string, secondsOf: Record<LinkPurpose, number>): Promise<void>;
  /** True if the link can be used now; changes nothing. */
  abstract isOpen(accountId: string, purpose: LinkPurpose, tokenHash: string): Promise<boolean>;
  /** Uses it up; true for exactly one caller. */
  abstract use(accountId: string, purpose: LinkPurpose, tokenHash: string): Promise<boolean>;
  abstract removeAll(accountId: string): Promise<void>;
}
