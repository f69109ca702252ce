/** The request of a user to have their account deleted. */
export interface AccountDeletion {
  /** Identifies the request: a link of an earlier one does not end it. Whole milliseconds. */
  requestedAt: Date;
  dueAt: Date;
}

/** Deletions that are requested and not done. While there is one for an account, its user cannot sign in. */
export abstract class AccountDeletions {
  /** In the transaction that holds the account. The request that there is already stays, and is returned. */
  abstract add(accountId: string, days: number): Promise<AccountDeletion>;
  abstract findByAccount(accountId: string): Promise<AccountDeletion | undefined>;
  /** True for exactly one caller, and for none when the request is another one or is done. */
  abstract withdraw(accountId: string, requestedAt: Date): Promise<boolean>;
  /** Ends a request that is due; true for exactly one caller. */
  abstract takeDue(accountId: string): Promise<boolean>;
  /** Ids of accounts whose deletion is due, the longest due first. */
  abstract due(limit: number): Promise<string[]>;
}
