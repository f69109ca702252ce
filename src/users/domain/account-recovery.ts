import type { UserType } from '../../contract/session.js';

/**
 * True if a recovery that has waited also removes the authenticator app (`account.lostSecondFactor`). The second factor
 * of an administrator is reset by the operator alone.
 */
export function coversSecondFactor(way: 'help-desk' | 'waiting-time', userType: UserType): boolean {
  return way === 'waiting-time' && userType !== 'Admin';
}

/** A recovery of an account whose user has lost their passkeys or authenticator app, and has no recovery code. */
export interface AccountRecovery {
  /** Identifies the recovery: a link of an earlier one does not end it. Whole milliseconds. */
  requestedAt: Date;
  /** End of the waiting time. From then on a mailed link is enough, for {@link readyDays}. */
  readyAt: Date;
}

/** Days after the waiting time in which the recovery has to be finished. */
export const readyDays = 7;

/** Recoveries that wait, or are ready and not over. An account has one at the most. */
export abstract class AccountRecoveries {
  /** The recovery that there is already stays, and is returned with `isNew` false. */
  abstract begin(accountId: string, hours: number): Promise<AccountRecovery & { isNew: boolean }>;
  abstract findByAccount(accountId: string): Promise<AccountRecovery | undefined>;
  /** Ends a recovery whose waiting time is over; true for exactly one caller. */
  abstract takeReady(accountId: string): Promise<boolean>;
  /** Ends the recovery, or only the one with this request time; true for exactly one caller. */
  abstract withdraw(accountId: string, requestedAt?: Date): Promise<boolean>;
  /** Ids of accounts whose waiting time is over and whose link was not sent. */
  abstract due(limit: number): Promise<string[]>;
  /** Marks the link as sent; true for exactly one caller. */
  abstract takeDue(accountId: string): Promise<boolean>;
  /** Removes those that were ready for too long. */
  abstract removeOver(): Promise<void>;
}
