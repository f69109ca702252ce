import type Provider from 'oidc-provider';
import { engineRequest, gatehouseClient } from '../shared/engine-models.js';

/** Marks in the state of a client's sign-out request that the user must confirm it. */
export interface LogoutState {
  unregisteredTarget?: boolean;
}

/**
 * Replaces the engine's back-channel logout. The engine would notify clients one after the other while the user waits,
 * and would not retry. Here it does not learn their addresses: the code that destroys a session, in the engine or in a
 * page of the portal, queues the notifications in the same transaction, and {@link ./backchannel-logout.js} delivers
 * them.
 */
export function installLogout(provider: Provider): void {
  // The id_token carries the `sid` for clients that are notified of the session's end.
  Object.defineProperty(provider.Client.prototype, 'includeSid', {
    value(this: object) {
      return gatehouseClient(this).settings.backChannelLogoutUri !== '';
    },
  });
  Object.defineProperty(provider.Client.prototype, 'postLogoutRedirectUriAllowed', {
    value(this: object, uri: string) {
      if (gatehouseClient(this).settings.postLogoutRedirectUris.includes(uri)) return true;
      // The address is not followed, but the sign-out goes on: the user is asked (security D-04).
      const { oidc, state } = engineRequest();
      if (oidc.params) oidc.params.post_logout_redirect_uri = undefined;
      (state as LogoutState).unregisteredTarget = true;
      return true;
    },
  });
}
