import type { Config } from '../../../platform/config/config.js';
import type { SessionExtras } from './engine-models.js';
import { nowSeconds } from './lifetimes.js';

/** Values of `acr`: sign-in with one factor, or with two (the levels of NIST SP 800-63B). */
export const acrValues = ['aal1', 'aal2'];

export function acrOf(amr: string[]): string {
  return hasTwoFactors(amr) ? 'aal2' : 'aal1';
}

/** True if the sign-in had a second factor, here or at another provider; `amr` has RFC 8176 method names. */
export function hasTwoFactors(amr: string[]): boolean {
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
