/**
 * Values of `acr`, the weakest first: a sign-in with one factor, with two (the levels of NIST SP 800-63B), and with one
 * that cannot be phished (OpenID Connect EAP ACR Values 1.0 §2).
 */
export const acrValues = ['aal1', 'aal2', 'phr'] as const;
export type Acr = (typeof acrValues)[number];

/** The weakest of these values that a sign-in may have; none if all are unknown. */
export function weakestAcr(values: readonly unknown[]): Acr | undefined {
  return acrValues.find((acr) => values.includes(acr));
}

/**
 * True if a sign-in of level `acr` is also one of level `needed`, such as one with a passkey where two factors are
 * needed.
 */
export function isAcrAtLeast(acr: string | undefined, needed: Acr): boolean {
  return acrValues.indexOf(acr as Acr) >= acrValues.indexOf(needed);
}
