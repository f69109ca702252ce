import { Injectable } from '@nestjs/common';
import type { errors, KoaContextWithOIDC } from 'oidc-provider';
import { RegisteredClients } from '../../../clients/application/registered-clients.js';
import { note } from '../../../platform/activity/launch-notes.js';
import { Config } from '../../../platform/config/config.js';
import { log } from '../../../platform/logging/log.js';
import { nearestAddress, shownAddress } from '../../domain/address-difference.js';
import { plainName, similarName } from '../../domain/parameter-names.js';
import { RefusedTokens } from '../../domain/refused/refused-tokens.js';
import { gatehouseClient, type LogoutState } from '../shared/engine-models.js';
import { bodyType } from '../shared/request-text.js';
import { ClientRefusals } from './client-refusals.js';
import { jwtFault, jwtParts } from './presented-credentials.js';
import { isIdToken } from './request-parameters.js';
import { RequestRefusals } from './request-refusals.js';

type Refused = errors.OIDCProviderError;

/** The parameters that introspection and revocation read from a body. */
const readFromBody = ['token', 'token_type_hint', 'client_id', 'client_secret', 'client_assertion'];

/** Parameters of a sign-out request (OpenID Connect RP-Initiated Logout §2), without its address. */
const signOutNames = new Set(['client_id', 'id_token_hint', 'logout_hint', 'state', 'ui_locales']);

/** Finds out why a request to userinfo, introspection, revocation or sign-out was refused. */
@Injectable()
export class EndpointRefusals {
  constructor(
    private readonly clients: ClientRefusals,
    private readonly requests: RequestRefusals,
    private readonly tokens: RefusedTokens,
    private readonly registered: RegisteredClients,
    private readonly config: Config,
  ) {}

  /** Always finds a cause: that of the engine's own words where no other is known. */
  async note(ctx: KoaContextWithOIDC, error: Refused, endpoint: string): Promise<boolean> {
    const isNoted = await this.find(ctx, error, endpoint).catch((err: unknown) => {
      log.warn({ err }, `cause lookup for a refused ${endpoint} request failed`);
      return false;
    });
    if (!isNoted) {
      note('endpoint-refused', { endpoint, error: error.message, description: error.error_description ?? '' });
    }
    return true;
  }

  /** Notes an address after a sign-out that is not followed: the sign-out itself is done. */
  async noteUnfollowed(ctx: KoaContextWithOIDC): Promise<void> {
    const { client, route } = ctx.oidc ?? {};
    const sent = ctx.query?.post_logout_redirect_uri;
    if (route !== 'end_session' || ctx.status >= 400) return;
    if (typeof sent !== 'string') {
      const names = Object.keys(ctx.query).filter((name) => !signOutNames.has(name));
      const similar = similarName('post_logout_redirect_uri', names);
      if (similar !== undefined) note('sign-out-address-misnamed', { similar });
    } else if (!client) note('sign-out-client-missing', { sent: shownAddress(sent) });
    else if ((ctx.state as LogoutState).unregisteredTarget) {
      const owner = await this.registered.otherOwnersOf({ postLogoutRedirectUri: sent }, client.clientId);
      if (owner !== undefined) note('sign-out-address-of-other-client', { owner });
      const found = nearestAddress(sent, gatehouseClient(client).settings.postLogoutRedirectUris);
      if (!found) note('sign-out-addresses-none', { sent: shownAddress(sent) });
      else {
        const { nearest, difference } = found;
        note('sign-out-address', { sent: shownAddress(sent), nearest: shownAddress(nearest), difference });
      }
    }
  }

  private async find(ctx: KoaContextWithOIDC, error: Refused, endpoint: string): Promise<boolean> {
    if (endpoint === 'userinfo') return noteBody(ctx, endpoint) || this.noteAccessToken(ctx, error, endpoint);
    if (endpoint === 'sign-out') return this.noteSignOut(ctx, error);
    if (noteMessage(ctx, endpoint) || (await this.clients.note(ctx, error))) return true;
    if (error.message !== 'invalid_request' || ctx.oidc.params?.token) return false;
    const names = Object.keys({ ...ctx.query, ...ctx.oidc.body }).filter((name) => plainName.test(name));
    note('endpoint-token-missing', { endpoint, sent: names.slice(0, 12).join(', ') || 'no parameter' });
    return true;
  }

  /** Userinfo is authorized by the access token of a user. */
  private async noteAccessToken(ctx: KoaContextWithOIDC, error: Refused, type: string): Promise<boolean> {
    const { method } = ctx;
    const posted = ctx.oidc.body?.access_token;
    const { AccessToken: token } = ctx.oidc.entities;
    if (error.message === 'insufficient_scope' && token && !token.scopes.has('openid')) {
      const { accountId, grantId, clientId = '' } = token;
      await this.tokens.identify({ clientId, accountId, grantId });
      note('gateway-openid-missing', { method, type });
      return true;
    }
    const { authorization = typeof posted === 'string' ? `Bearer ${posted}` : undefined } = ctx.headers;
    // The token may be right.
    const isOfRequest = error.message === 'invalid_request' && /^(bearer|dpop) \S+$/i.test(authorization ?? '');
    if (isOfRequest) return false;
    const { message, error_description: sentence = '' } = error;
    const { dpop } = ctx.headers as { dpop?: string };
    await this.tokens.note({ method, type, target: ctx.url, authorization, dpop, error: message, sentence });
    return true;
  }

  private async noteSignOut(ctx: KoaContextWithOIDC, error: Refused): Promise<boolean> {
    if (ctx.oidc.route === 'end_session_confirm') {
      if (!noteBody(ctx, 'sign-out')) note('sign-out-form-gone');
      return true;
    }
    const { id_token_hint: hint, client_id: clientId } = ctx.oidc.params ?? {};
    if (typeof hint === 'string') return this.noteHint(ctx, hint, clientId);
    return error.message === 'invalid_client' && this.requests.noteClient(String(clientId ?? ''));
  }

  private async noteHint(ctx: KoaContextWithOIDC, hint: string, clientId: unknown): Promise<boolean> {
    const parts = jwtParts(hint);
    const { issuer } = this.config.server;
    if (!parts) {
      note('sign-out-hint-unreadable', { reason: jwtFault(hint) });
      return true;
    }
    const { typ, claims } = parts;
    const audience = String(claims.aud ?? '(none)');
    if (claims.iss !== issuer) note('sign-out-hint-foreign', { issuer: String(claims.iss ?? '(none)') });
    else if (typeof clientId === 'string' && claims.aud !== clientId) {
      note('sign-out-client-differs', { clientId: String(clientId), audience });
    } else if (typ !== undefined && typ !== 'JWT') note('sign-out-hint-type', { type: typ });
    else return this.noteSignature(ctx, hint, audience);
    return true;
  }

  /** The checks of the engine that need the client of the hint, made again. */
  private async noteSignature({ oidc }: KoaContextWithOIDC, hint: string, audience: string): Promise<boolean> {
    const client = await oidc.provider.Client.find(audience);
    if (!client) note('sign-out-hint-of-unknown', { audience });
    else if (await isIdToken(oidc.provider, hint, client)) return false;
    else note('sign-out-hint-changed', { audience });
    return true;
  }
}

/** Notes a body of another type than a form, of which nothing is read. */
function noteBody({ req }: KoaContextWithOIDC, endpoint: string): boolean {
  const type = bodyType(req);
  if (type !== undefined) note('endpoint-body-type', { endpoint, type });
  return type !== undefined;
}

/** Notes a request to introspection or revocation whose parameters are where they are not read. */
function noteMessage(ctx: KoaContextWithOIDC, endpoint: string): boolean {
  if (endpoint !== 'introspection' && endpoint !== 'revocation') return false;
  if (noteBody(ctx, endpoint)) return true;
  const inAddress = readFromBody.filter((name) => ctx.query[name] !== undefined && ctx.oidc.body?.[name] === undefined);
  if (inAddress.length > 0) note('endpoint-in-address', { endpoint, parameters: inAddress.join(', ') });
  return inAddress.length > 0;
}
