import { passkeyNameLength } from '../../contract/rules/users/passkeys.js';
import type { PasskeyKind } from '../../contract/users/passkeys.js';

/** The most passkeys of an account. */
export const mostPasskeys = 10;

/** A credential of WebAuthn with which a user signs in. */
export interface Passkey {
  id: string;
  accountId: string;
  /** The authenticator's name for it, base64url; at most 1023 bytes (WebAuthn Level 3 §5.1.3). */
  credentialId: string;
  /** COSE key. */
  publicKey: Buffer;
  /** Signature counter; 0 for authenticators that do not count. */
  counter: number;
  transports: string[];
  /** False if the key never leaves one device (flag BE). */
  backupEligible: boolean;
  /** True if a copy is kept elsewhere (flag BS). */
  backedUp: boolean;
  kind: PasskeyKind;
  name: string;
  createdAt: Date;
  lastUsedAt: Date | null;
  /** Time at which its counter went back. */
  clonedAt: Date | null;
}

/** An answer of the authenticator whose signature is right. */
export interface PasskeyUse {
  counter: number;
  backedUp: boolean;
}

/** The authentication methods of a sign-in with it (RFC 8176): the key is in one device, or in several. */
export function methodsOfPasskey({ backupEligible }: Pick<Passkey, 'backupEligible'>): string[] {
  return [backupEligible ? 'swk' : 'hwk', 'user', 'mfa'];
}

/** The name of a new passkey besides those of the account: the second "iPhone" is an "iPhone 2". */
export function distinctName(name: string, others: readonly string[]): string {
  for (let number = 1; ; number += 1) {
    const ending = number === 1 ? '' : ` ${number}`;
    // Half of a character is left out.
    const beginning = name.slice(0, passkeyNameLength - ending.length).replace(/\p{Surrogate}$/u, '');
    const numbered = beginning + ending;
    if (!others.includes(numbered)) return numbered;
  }
}

export abstract class Passkeys {
  abstract ofAccount(accountId: string): Promise<Passkey[]>;
  abstract has(accountId: string): Promise<boolean>;
  abstract findByCredential(credentialId: string): Promise<Passkey | undefined>;
  /** False if the credential is known already, of whichever account. */
  abstract add(passkey: Passkey): Promise<boolean>;
  /** False if the account has no such passkey. */
  abstract rename(accountId: string, id: string, name: string): Promise<boolean>;
  /** Returns its name; undefined if the account has no such passkey. */
  abstract remove(accountId: string, id: string): Promise<string | undefined>;
  /** Returns the number of removed ones. */
  abstract removeAll(accountId: string): Promise<number>;
  /**
   * False if it was removed, or if the counter is not above the last one: exactly one answer with a counter is
   * accepted.
   */
  abstract use(passkey: Passkey, use: PasskeyUse): Promise<boolean>;
  /** True if it was used after the current request was complete; undefined if it was removed. */
  abstract wasUsedMeanwhile(id: string): Promise<boolean | undefined>;
  /** Kept whatever becomes of the transaction. True for the first time. */
  abstract markCloned(id: string): Promise<boolean>;
  /** True for exactly one caller. */
  abstract useChallenge(challengeHash: string, expiresAt: Date): Promise<boolean>;
  /** True if a passkey may be offered to the account. */
  abstract mayOffer(accountId: string): Promise<boolean>;
  /** Counts an offer that was put off. */
  abstract putOffOffer(accountId: string): Promise<void>;
}
