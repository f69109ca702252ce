import type { Acr } from '../../../contract/rules/acr.js';
import type { Config } from '../../../platform/config/config.js';
import type { SessionExtras } from './engine-models.js';
import { nowSeconds } from './lifetimes.js';

export function acrOf(amr: readonly string[]): Acr {
  // A key of this portal; another provider's words say nothing of its kind.
  if (!amr.includes('external') && (amr.includes('hwk') || amr.includes('swk'))) return 'phr';
  return hasTwoFactors(amr) ? 'aal2' : 'aal1';
}

/** True if the sign-in had a second factor, here or at another provider; `amr` has RFC 8176 method names. */
export function hasTwoFactors(amr: readonly string[]): boolean {
  return amr.includes('otp') || amr.includes('mfa');
}

/**
 * True if the second factor of a session still counts for a client that requires one. Remembering a sign-in does not
 * extend it: the factor counts for as long as an idle session without remembering would live (security E-08).
 */
export function isTwoFactorStillValid(
  { idleMinutes }: Config['account']['session'],
  { secondFactorAt, remembered }: SessionExtras,
): boolean {
  if (secondFactorAt === undefined) return false;
  return !remembered || nowSeconds() - secondFactorAt <= idleMinutes * 60;
}
