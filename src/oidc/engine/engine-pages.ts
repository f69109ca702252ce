import type { KoaContextWithOIDC } from 'oidc-provider';
import { referenceOf } from '../../contract/activity/reference.js';
import { message } from '../../contract/messages/message.js';
import { currentLaunchId } from '../../platform/activity/launch-notes.js';
import { portalPath } from '../../platform/http/base-path.js';
import { errorDocument } from '../../platform/http/client-document.js';
import { plainPage } from '../../platform/http/plain-page.js';
import type { LogoutState } from './sessions/logout.js';

/**
 * Renders an error that must not go to the client, since no trusted address to send it to is known. The page does not
 * mention the client.
 */
export async function renderError(ctx: KoaContextWithOIDC, out: { error: string }): Promise<void> {
  const status = out.error === 'server_error' ? 500 : 400;
  const { html, headers } = errorDocument(status, referenceOf(currentLaunchId()));
  ctx.status = status;
  ctx.set(headers);
  ctx.body = html;
}

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
