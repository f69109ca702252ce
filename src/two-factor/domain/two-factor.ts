/**
 * The second factor of an account; there is one exactly while it is active. An authenticator that is being set up is
 * stored nowhere, its key is derived.
 */
export class TwoFactor {
  readonly accountId: string;
  /** The authenticator's key, encrypted, and the id of the key that decrypts it. */
  readonly sealedKey: Buffer;
  readonly keyId: string;
  /** The newest time step whose code was accepted: neither it nor an older one is accepted again (RFC 6238 §5.2). */
  readonly lastStep: number;
  /** Keyed hashes of those that were not used yet. */
  readonly recoveryCodes: readonly string[];
  readonly enabledAt: Date;

  private constructor(state: TwoFactor) {
    Object.assign(this, state);
  }

  /** `step` is that of the code which proved that the authenticator works. */
  static activate(given: {
    accountId: string;
    sealedKey: Buffer;
    keyId: string;
    step: number;
    recoveryCodes: string[];
    now: Date;
  }): TwoFactor {
    const { accountId, sealedKey, keyId, step, recoveryCodes, now } = given;
    return new TwoFactor({ accountId, sealedKey, keyId, lastStep: step, recoveryCodes, enabledAt: now });
  }
}

export abstract class TwoFactors {
  abstract findByAccount(accountId: string): Promise<TwoFactor | undefined>;
  /** Locks the second factor, if there is one, until the transaction ends. */
  abstract lock(accountId: string): Promise<void>;
  /** False when the account has one already. Ends recovery codes that were made without it. */
  abstract add(twoFactor: TwoFactor): Promise<boolean>;
  /** True for exactly one caller per step, on any number of nodes, and never again for an older one. */
  abstract acceptStep(accountId: string, step: number): Promise<boolean>;
  /** Stores the account's recovery codes in place of those before, with or without a second factor. */
  abstract replaceRecoveryCodes(accountId: string, hashes: string[]): Promise<void>;
  /** Undefined for an account for which none were made. */
  abstract recoveryCodesLeft(accountId: string): Promise<number | undefined>;
  /** Consumes a recovery code and returns the number left; undefined for an unknown or used one. */
  abstract useRecoveryCode(accountId: string, hash: string): Promise<number | undefined>;
  /** Also removes recovery codes that were made without it. Returns true if there was a second factor. */
  abstract remove(accountId: string): Promise<boolean>;
}
