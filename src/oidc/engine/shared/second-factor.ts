import type { Config } from '../../../platform/config/config.js';
import type { SessionExtras } from './engine-models.js';
import { nowSeconds } from './lifetimes.js';

/**
 * Values of `acr`, the weakest first: a sign-in with one factor, with two (the levels of NIST SP 800-63B), and with one that cannot be
 * phished (OpenID Connect EAP ACR Values 1.0 §2).
 */
export const acrValues = ['aal1', 'aal2', 'phr'] as const;
export type Acr = (typeof acrValues)[number];

export function acrOf(amr: readonly string[]): Acr {
  // A key of this portal; another provider's words say nothing of its kind.
  if (!amr.includes('external') && (amr.includes('hwk') || amr.includes('swk'))) return 'phr';
  return hasTwoFactors(amr) ? 'aal2' : 'aal1';
}

/** The weakest of these values of `acr` that a sign-in here may have; none if all are unknown. */
export function weakestAcr(values: readonly unknown[]): Acr | undefined {
  return acrValues.find((acr) => values.includes(acr));
}

/** True if a sign-in of level `acr` is also one of level `needed`, such as one with a passkey where two factors are needed. */
export function isAcrAtLeast(acr: string | undefined, needed: Acr): boolean {
  return acrValues.indexOf(acr as Acr) >= acrValues.indexOf(needed);
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
