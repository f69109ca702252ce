import { Injectable } from '@nestjs/common';
import { decodeProtectedHeader, type JWK } from 'jose';
import type Provider from 'oidc-provider';
import type { Configuration } from 'oidc-provider';
import { Config } from '../../../platform/config/config.js';
import { Secrets } from '../../../platform/crypto/secrets.js';
import { cookieNames } from '../../../platform/http/cookies.js';
import { CookieSignatures } from '../keys/cookie-signatures.js';
import type { EngineAdaptation } from '../shared/engine-adaptation.js';
import { installLogout, logoutPages } from './logout.js';
import { installLogoutRequests } from './logout-requests.js';

/** The session's cookies and its end. */
@Injectable()
export class SessionAdaptation implements EngineAdaptation {
  constructor(
    private readonly secrets: Secrets,
    private readonly config: Config,
  ) {}

  configuration(keys: JWK[]): Configuration {
    const cookies = cookieNames(this.config.server.issuer);
    return {
      cookies: {
        names: { session: cookies.session, interaction: cookies.interaction, resume: cookies.resume },
        long: { httpOnly: true, sameSite: 'lax', secure: cookies.secure, path: cookies.path },
        short: { httpOnly: true, sameSite: 'lax', secure: cookies.secure },
        // Cookie keys change with the keys that sign tokens.
        keys: new CookieSignatures(keys.map(({ kid = '' }) => this.secrets.hmac('cookies', kid))) as never,
      },
      features: {
        backchannelLogout: { enabled: true },
        rpInitiatedLogout: { enabled: true, ...logoutPages },
      },
    };
  }

  install(provider: Provider): void {
    installLogoutRequests(provider, this.secrets);
    installLogout(provider);
    installIdTokenHints(provider);
  }
}

type Validate = (jwt: string, client: object) => Promise<object>;

/**
 * Refuses JWTs of another type as an `id_token_hint`: logout tokens and receipts are signed with the same key. The
 * engine does not look at the type (RFC 8725 §3.11), and gives id_tokens none.
 */
function installIdTokenHints({ IdToken }: Provider): void {
  const engine = IdToken as unknown as { validate: Validate };
  const validate = engine.validate.bind(IdToken);
  Object.defineProperty(IdToken, 'validate', {
    value: async (jwt: string, client: object) => {
      const { typ } = decodeProtectedHeader(jwt);
      if (typ !== undefined && typ !== 'JWT') throw new TypeError(`a JWT of the type ${typ} is not an id_token`);
      return validate(jwt, client);
    },
  });
}
