import type Provider from 'oidc-provider';
import { engineRequest, gatehouseClient } from './engine-models.js';

/** Where an app's wish to sign out somebody carries that it must be confirmed. */
export interface LogoutState {
  unregisteredTarget?: boolean;
}

/**
 * The engine would tell apps itself, one request of theirs after the other while the person waits, and never again when
 * one fails. It does not learn their addresses: whoever destroys a session, the engine or a page of the portal, queues
 * the news in the same transaction, and {@link ./backchannel-logout.js} delivers them.
 */
export function installLogout(provider: Provider): void {
  // The id_token names the session to apps that will hear of its end.
  Object.defineProperty(provider.Client.prototype, 'includeSid', {
    value(this: object) {
      return gatehouseClient(this).settings.backChannelLogoutUri !== '';
    },
  });
  Object.defineProperty(provider.Client.prototype, 'postLogoutRedirectUriAllowed', {
    value(this: object, uri: string) {
      if (gatehouseClient(this).settings.postLogoutRedirectUris.includes(uri)) return true;
      // Not followed, but no reason to keep the person signed in: they are asked (security D-04).
      const { oidc, state } = engineRequest();
      if (oidc.params) oidc.params.post_logout_redirect_uri = undefined;
      (state as LogoutState).unregisteredTarget = true;
      return true;
    },
  });
}
