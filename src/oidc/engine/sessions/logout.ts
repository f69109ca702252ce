import type Provider from 'oidc-provider';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { message } from '../../../contract/messages/message.js';
import { portalPath } from '../../../platform/http/base-path.js';
import { plainPage } from '../../../platform/http/plain-page.js';
import type { LogoutState } from '../shared/engine-models.js';
import { engineRequest, gatehouseClient } from '../shared/engine-models.js';

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
      // The address is not followed, but the sign-out continues: the user is asked (security D-04).
      const { oidc, state } = engineRequest();
      if (oidc.params) oidc.params.post_logout_redirect_uri = undefined;
      (state as LogoutState).unregisteredTarget = true;
      return true;
    },
  });
}

/** The pages of a sign-out that a client requests. */
export const logoutPages = {
  /**
   * Sign-out requested by a client: immediately when an id_token proves that the client means the signed-in user and
   * the target is a registered address, otherwise the user is asked (OpenID Connect RP-Initiated Logout §3, security
   * D-04, D-05).
   */
  async logoutSource(ctx: KoaContextWithOIDC, form: string): Promise<void> {
    const hint = ctx.oidc.entities.IdTokenHint as { payload: { sub?: string } } | undefined;
    const { unregisteredTarget } = ctx.state as LogoutState;
    const proven = !unregisteredTarget && hint !== undefined && hint.payload.sub === ctx.oidc.session?.accountId;
    const { html, contentSecurityPolicy } = plainPage({
      title: message('sign-out-title'),
      text: message('sign-out-text'),
      action: /action="([^"]+)"/.exec(form)?.[1] ?? '',
      hidden: { xsrf: /name="xsrf" value="([^"]+)"/.exec(form)?.[1] ?? '' },
      buttons: [{ name: 'logout', value: 'yes', label: message('sign-out-yes') }],
      link: { href: portalPath('/'), label: message('sign-out-no') },
      submitAtOnce: proven,
    });
    ctx.set('Content-Security-Policy', contentSecurityPolicy);
    ctx.body = html;
  },
  async postLogoutSuccessSource(ctx: KoaContextWithOIDC): Promise<void> {
    ctx.status = 303;
    ctx.redirect('/login?loggedOut=true');
  },
};
