/**
 * Seconds that a right password waits for its second factor, and the number of wrong ones it allows (security G-03,
 * G-06).
 */
export const pendingSeconds = 300;
export const pendingTries = 5;

/**
 * A right password that waits for its second factor. It is not a session and gives access to the second step only; only
 * the browser that has its id can continue it.
 */
export class PendingSignIn {
  readonly idHash: string;
  readonly accountId: string;
  /** The account's when the password was right; another one since then means that the password is another too. */
  readonly securityStamp: string;
  readonly remembered: boolean;
  readonly tries: number;
  readonly expiresAt: Date;

  private constructor(state: PendingSignIn) {
    Object.assign(this, state);
  }

  static begin(given: {
    idHash: string;
    accountId: string;
    securityStamp: string;
    remembered: boolean;
    now: Date;
  }): PendingSignIn {
    const { now, ...state } = given;
    return new PendingSignIn({ ...state, tries: 0, expiresAt: new Date(now.getTime() + pendingSeconds * 1000) });
  }
}

export abstract class PendingSignIns {
  abstract add(pending: PendingSignIn): Promise<void>;
  /** Undefined for one that has expired. */
  abstract findByIdHash(idHash: string): Promise<PendingSignIn | undefined>;
  /**
   * Counts an attempt and gives the sign-in it is for, unless it has expired or the attempts are used up. Kept whatever
   * becomes of the attempt, and exact when many come at once.
   */
  abstract takeTry(idHash: string): Promise<PendingSignIn | undefined>;
  /** True for exactly one caller. */
  abstract finish(idHash: string): Promise<boolean>;
  /** Removes those of an account whose second factor has changed. */
  abstract removeOfAccount(accountId: string): Promise<void>;
}
