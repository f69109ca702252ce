import type { ExternalProvider, ExternalSignInError, LoginOptions } from '../../../../src/contract/session.js';
import { portalPath } from '../../shared/addresses/base-path.js';

/** The address that starts a sign-in at an external provider (`spec §7` Navigations). */
export function externalSignIn({ authenticationScheme }: ExternalProvider, returnUrl: string | null): string {
  const query = new URLSearchParams({ scheme: authenticationScheme });
  if (returnUrl) query.set('returnUrl', returnUrl);
  return portalPath(`/connect/authorize/external?${query}`);
}

const told: readonly Exclude<ExternalSignInError, 'fhir-connection-required' | 'incomplete'>[] = [
  'access-denied',
  'provider-unavailable',
  'provider-failed',
  'account-exists',
  'no-account',
  'ambiguous-record',
];

/** Key of the text about why a sign-in elsewhere came to nothing. */
export function refusalText(error: string) {
  const reason = told.find((known) => known === error);
  return reason ? (`login.refused.${reason}` as const) : 'errors.unexpected';
}

/**
 * The provider to go to without asking: the only door there is. Not after an error, which has to be seen first, and not
 * after a logout or the end of a session, which would be undone by the session that still lives there.
 */
export function onlyProvider(options: LoginOptions, query: URLSearchParams): ExternalProvider | null {
  const [only, second] = options.externalProviders;
  if (options.enableLocalLogin || !only || second) return null;
  if (['error', 'loggedOut', 'ended'].some((name) => query.has(name))) return null;
  return only;
}
