import type { FlowApp } from '../../contract/authorization.js';
import type { Authorization } from './authorization.js';

/** The app as its pages name it; undefined if the redirect URI is not registered (any more), except in a try. */
export function flowAppOf({
  client: { clientName, settings },
  redirectUri,
  isTrial = false,
}: Pick<Authorization, 'client' | 'redirectUri'> & { isTrial?: boolean }): FlowApp | undefined {
  const isRegistered = isTrial || settings.redirectUris.includes(redirectUri);
  return isRegistered ? { clientName, returnHost: new URL(redirectUri).host } : undefined;
}
