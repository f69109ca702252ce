import { Injectable } from '@nestjs/common';
import type { ExternalSession } from '../../../oidc/application/browser-sessions.js';
import { Config, type IdentityProvider } from '../../../platform/config/config.js';
import { Secrets } from '../../../platform/crypto/secrets.js';
import { log } from '../../../platform/logging/log.js';
import { IdentityProviders } from './identity-providers.js';

/** A longer one would not fit into an address. */
const longestHint = 6_000;

/** Signing out at the provider as well, where it is set to that (`logoutMethod: single`). */
@Injectable()
export class ProviderLogout {
  constructor(
    private readonly providers: IdentityProviders,
    private readonly secrets: Secrets,
    private readonly config: Config,
  ) {}

  /** The facts of a sign-in at the provider that the session stores. */
  remember({ scheme, logoutMethod }: IdentityProvider, idToken: string): ExternalSession {
    const isNeeded = logoutMethod === 'single' && idToken.length <= longestHint;
    const logoutHint = isNeeded ? this.secrets.seal('federation', idToken, scheme).toString('base64url') : undefined;
    return { identityProvider: scheme, logoutHint };
  }

  /** The address of the provider's logout (OpenID Connect RP-Initiated Logout §2); undefined when it is not used. */
  async addressFor({ identityProvider: scheme, logoutHint }: ExternalSession): Promise<string | undefined> {
    const settings = this.providers.settingsOf(scheme);
    if (settings?.logoutMethod !== 'single') return undefined;
    try {
      const { end_session_endpoint: endpoint } = (await this.providers.connect(settings)).metadata;
      if (endpoint === undefined) return undefined;
      const address = new URL(endpoint);
      address.searchParams.set('client_id', settings.clientId);
      address.searchParams.set('post_logout_redirect_uri', `${this.config.server.issuer}/login?loggedOut=true`);
      if (logoutHint !== undefined) {
        const sealed = Buffer.from(logoutHint, 'base64url');
        address.searchParams.set('id_token_hint', this.secrets.open('federation', sealed, scheme));
      }
      return address.href;
    } catch (err) {
      // The local session has ended already.
      log.warn({ err, identityProvider: scheme }, 'logout at the external provider failed');
      return undefined;
    }
  }
}
