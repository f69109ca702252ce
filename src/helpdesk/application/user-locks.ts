import { Injectable } from '@nestjs/common';
import { PasskeyProofs } from '../../passkeys/application/passkey-proofs.js';
import { type Limit, Limits } from '../../platform/limits/limits.js';
import { SignInLimits, type SignInLock } from '../../session/application/sign-in-limits.js';
import { TwoFactorProofs } from '../../two-factor/application/two-factor-proofs.js';
import type { UserFacts } from '../../users/application/user-directory.js';

/**
 * Each gives the guesses back that the limits permit, so a stolen session of an administrator must not repeat it at
 * will.
 */
const unlocks: Limit = { name: 'unlock', points: 10, seconds: 3600 };

/** The refusals that wrong passwords, codes and passkeys of an account cause. */
export interface Locks {
  password: SignInLock | undefined;
  code: Date | undefined;
  passkey: Date | undefined;
}

/** The counts of failures that lock a user out. */
@Injectable()
export class UserLocks {
  constructor(
    private readonly passwords: SignInLimits,
    private readonly codes: TwoFactorProofs,
    private readonly passkeys: PasskeyProofs,
    private readonly limits: Limits,
  ) {}

  async locksOf({ id, email, isExternal }: UserFacts): Promise<Locks> {
    return {
      password: isExternal || email === null ? undefined : await this.passwords.lockOf(email),
      code: !isExternal && (await this.codes.isActive(id)) ? await this.codes.lockOf(id) : undefined,
      passkey: await this.passkeys.lockOf(id),
    };
  }

  /** Resets the counts in the caller's transaction; returns the kinds that had any. */
  async release({ id, email, isExternal }: UserFacts): Promise<(keyof Locks)[]> {
    const isPassword = email !== null && !isExternal && (await this.passwords.unlock(email));
    const isCode = await this.codes.unlock(id);
    const isPasskey = await this.passkeys.unlock(id);
    const rows: [isReleased: boolean, kind: keyof Locks][] = [
      [isPassword, 'password'],
      [isCode, 'code'],
      [isPasskey, 'passkey'],
    ];
    const released = rows.filter(([isReleased]) => isReleased).map(([, kind]) => kind);
    if (released.length > 0) await this.limits.takePoint(unlocks, id);
    return released;
  }
}
