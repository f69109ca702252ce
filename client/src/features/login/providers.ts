import type { ExternalProvider, ExternalSignInError, LoginOptions } from '../../../../src/contract/session.js';

const explained: readonly Exclude<ExternalSignInError, 'fhir-connection-required' | 'incomplete'>[] = [
  'access-denied',
  'provider-unavailable',
  'provider-failed',
  'account-exists',
  'no-account',
  'ambiguous-record',
];

/** Key of the text about why a sign-in at another provider failed. */
export function refusalText(error: string) {
  const reason = explained.find((known) => known === error);
  return reason ? (`login.refused.${reason}` as const) : 'errors.unexpected';
}

/**
 * The provider to go to without asking: if it is the only sign-in method. Not after an error, which has to be seen
 * first, and not after a logout or the end of a session, which would be undone by the session that still lives there.
 */
export function onlyProvider(options: LoginOptions, query: URLSearchParams): ExternalProvider | null {
  const [only, second] = options.externalProviders;
  if (options.enableLocalLogin || !only || second) return null;
  if (['error', 'loggedOut', 'ended', 'deleted'].some((name) => query.has(name))) return null;
  return only;
}
