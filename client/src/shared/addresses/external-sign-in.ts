import type { ExternalProvider } from '../../../../src/contract/session.js';
import { portalPath } from './base-path.js';

/**
 * The address that starts a sign-in at an external provider (`spec §7` Navigations). `confirm`: the provider has to ask
 * the user again who they are.
 */
export function externalSignIn(
  { authenticationScheme }: ExternalProvider,
  returnUrl: string | null,
  { confirm = false } = {},
): string {
  const query = new URLSearchParams({ scheme: authenticationScheme });
  if (returnUrl) query.set('returnUrl', returnUrl);
  if (confirm) query.set('confirm', 'true');
  return portalPath(`/connect/authorize/external?${query}`);
}
