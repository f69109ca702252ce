import type { Config } from '../../platform/config/config.js';
import type { SessionExtras } from './engine-models.js';
import { nowSeconds } from './lifetimes.js';

/** Values of `acr`: signed in by one factor, or by two (the levels of NIST SP 800-63B). */
export const acrValues = ['aal1', 'aal2'];

export function acrOf(amr: string[]): string {
  return hasTwoFactors(amr) ? 'aal2' : 'aal1';
}

/** Whether the sign-in had a second factor, ours or another provider's; RFC 8176 method names. */
export function hasTwoFactors(amr: string[]): boolean {
  return amr.includes('otp') || amr.includes('mfa');
}

/**
 * Whether the second factor of a session still counts for a client that requires one. Remembering a sign-in does not
 * stretch it: then it counts for as long as an idle session would live that is not remembered (security E-08).
 */
export function isTwoFactorStillValid(
  { idleMinutes }: Config['account']['session'],
  { secondFactorAt, remembered }: SessionExtras,
): boolean {
  if (secondFactorAt === undefined) return false;
  return !remembered || nowSeconds() - secondFactorAt <= idleMinutes * 60;
}
