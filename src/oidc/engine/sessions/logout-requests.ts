import type Provider from 'oidc-provider';
import type { Session } from 'oidc-provider';
import type { Secrets } from '../../../platform/crypto/secrets.js';
import { engineRequest } from '../shared/engine-models.js';

/** The part of a sign-out request that the engine needs when the user confirms it. */
interface LogoutRequest {
  /** The value of the page's form, compared with the one that is sent. */
  secret: string;
  clientId?: string | undefined;
  /** The client's `state`. */
  state?: string | undefined;
  postLogoutRedirectUri?: string | undefined;
}

interface SealedRequest extends Omit<LogoutRequest, 'secret'> {
  sessionUid: string;
}

const asked = Symbol('asked');

/** The engine reads it through a proxy of the session, so that the session itself cannot be the key of a map. */
interface Asked {
  /** The request whose page is being made. */
  [asked]?: LogoutRequest | undefined;
}

/**
 * The engine keeps a sign-out request in the session, which has place for one: of two sign-out pages of a browser only
 * the last could be confirmed, and a confirmation would go back to the app of the last. Here each page carries its own
 * request, sealed, as the value against forged confirmations (security E-03, OpenID Connect RP-Initiated Logout §6).
 */
export function installLogoutRequests(provider: Provider, secrets: Secrets): void {
  const model = provider.Session as unknown as { IN_PAYLOAD: string[] };
  const stored = model.IN_PAYLOAD.filter((member) => member !== 'state');
  Object.defineProperty(model, 'IN_PAYLOAD', { get: () => stored });
  Object.defineProperty(provider.Session.prototype, 'state', {
    get(this: Session & Asked): LogoutRequest | undefined {
      const { route, params } = engineRequest().oidc;
      return route === 'end_session_confirm' ? confirmedRequest(this, params?.xsrf) : this[asked];
    },
    set(this: Session & Asked, request: LogoutRequest | undefined) {
      this[asked] = request && { ...request, secret: sealedRequest(this) };
    },
  });

  function sealedRequest({ uid: sessionUid }: Session): string {
    const { client, params } = engineRequest().oidc;
    const request: SealedRequest = {
      sessionUid,
      clientId: client?.clientId,
      state: params?.state as string | undefined,
      postLogoutRedirectUri: params?.post_logout_redirect_uri as string | undefined,
    };
    return secrets.seal('logout-requests', JSON.stringify(request), '').toString('base64url');
  }

  /** The request of a page of this session, or of any page where no user is signed in: that ends nothing. */
  function confirmedRequest(session: Session, xsrf: unknown): LogoutRequest | undefined {
    const secret = typeof xsrf === 'string' ? xsrf : '';
    const request = opened(secret);
    if (!request || (session.accountId !== undefined && request.sessionUid !== session.uid)) return undefined;
    return { ...request, secret };
  }

  function opened(secret: string): SealedRequest | undefined {
    try {
      return JSON.parse(secrets.open('logout-requests', Buffer.from(secret, 'base64url'), ''));
    } catch {
      return undefined;
    }
  }
}
