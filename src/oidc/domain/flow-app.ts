import type { FlowApp } from '../../contract/authorization.js';
import { isRegisteredAt, returnPlace } from '../../contract/rules/web-address.js';
import type { Authorization } from './authorization.js';

/** The app as its pages name it; undefined if the redirect URI is not registered (any more), except in a trial. */
export function flowAppOf({
  client: { clientName, settings },
  redirectUri,
  isTrial = false,
}: Pick<Authorization, 'client' | 'redirectUri'> & { isTrial?: boolean }): FlowApp | undefined {
  const isRegistered = isTrial || isRegisteredAt(redirectUri, settings);
  return isRegistered ? { clientName, returnHost: returnPlace(redirectUri, settings.applicationType) } : undefined;
}
