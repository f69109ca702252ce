import type { KoaContextWithOIDC } from 'oidc-provider';
import { type Acr, isAcrAtLeast, weakestAcr } from '../../../contract/rules/acr.js';

/** The values of `acr` that a request asks for. */
export interface RequestedAcr {
  values: readonly unknown[];
  /** The weakest of the values that a sign-in here may have: a stronger sign-in satisfies the request, too. */
  needed: Acr | undefined;
  /** True if the request must not succeed with another one. */
  isEssential: boolean;
}

/**
 * The `acr` that an authorization request asks for: in the `claims` parameter for the id_token (OpenID Connect Core
 * §5.5.1.1), or in `acr_values` (RFC 9470 §4), which never makes it essential.
 */
export function requestedAcr({ claims, params }: KoaContextWithOIDC['oidc']): RequestedAcr {
  const { value, values, essential } = claims?.id_token?.acr ?? {};
  const claimed = [...(value === undefined ? [] : [value]), ...(Array.isArray(values) ? values : [])];
  const asked = claimed.length > 0 ? claimed : splitValues(params?.acr_values);
  return { values: asked, needed: weakestAcr(asked), isEssential: claimed.length > 0 && essential === true };
}

const splitValues = (text: unknown): string[] => (typeof text === 'string' ? text.split(' ').filter(Boolean) : []);

/** True if this sign-in satisfies the request. Values that are unknown here are met by themselves only. */
export function isAcrMet({ values, needed }: RequestedAcr, acr: string | undefined): boolean {
  return values.length === 0 || values.includes(acr) || (needed !== undefined && isAcrAtLeast(acr, needed));
}
