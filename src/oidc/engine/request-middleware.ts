import { Injectable } from '@nestjs/common';
import type Provider from 'oidc-provider';
import type { Configuration, KoaContextWithOIDC } from 'oidc-provider';
import { tokenGrantTypes } from '../../contract/rules/client-values.js';
import { Config } from '../../platform/config/config.js';
import { asUnavailable, Database } from '../../platform/database/database.js';
import { errorDocument } from '../../platform/http/client-document.js';
import { withoutFormAction } from '../../platform/http/plain-page.js';
import { log } from '../../platform/logging/log.js';
import { nameOperation } from '../../platform/metrics/measured.js';
import { abandon, isGone } from '../../platform/request/arrivals.js';
import { failureText } from '../../platform/request/failure-text.js';
import { discoveryPath, enginePaths, mustBeAwaited } from '../domain/engine-paths.js';
import { launchMembers } from '../domain/launch.js';
import { smartStyleUrl } from '../domain/smart-style.js';
import { supportedScopes } from '../domain/supported-scopes.js';
import { promptValues } from './authorization/prompts.js';
import { responseModes } from './authorization/response-modes.js';
import { answerUnreadableAssertion } from './clients/client-authentication.js';
import { SecretGuesses } from './clients/secret-guesses.js';
import { publishedKeysSeconds } from './keys/key-ring.js';
import type { UndoState } from './sessions/session-storage.js';
import type { EngineAdaptation } from './shared/engine-adaptation.js';
import { type GrantExtras, gatehouseClient } from './shared/engine-models.js';
import { RequestedBases } from './shared/requested-base.js';
import { grantOf } from './shared/token-grants.js';

const contentSecurity =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/** Public paths: the response is the same for all origins, so `*` replaces the reflected origin. */
const openPaths: readonly string[] = [discoveryPath, enginePaths.jwks];
const longestPreflightSeconds = 600;

/** Every request to the engine: its path, its transaction, and the members that SMART adds to the answer. */
@Injectable()
export class RequestAdaptation implements EngineAdaptation {
  private readonly styleUrl: string;
  private readonly scopesSupported: string[];
  /** Cache lifetime for verifiers of tokens: never so long that one misses a key that already signs. */
  private readonly keySetMaxAgeSeconds: number;

  constructor(
    private readonly database: Database,
    private readonly guesses: SecretGuesses,
    private readonly bases: RequestedBases,
    config: Config,
  ) {
    this.styleUrl = smartStyleUrl(config);
    this.scopesSupported = supportedScopes(config);
    this.keySetMaxAgeSeconds = publishedKeysSeconds(config);
  }

  configuration(): Configuration {
    return { routes: enginePaths };
  }

  install(provider: Provider): void {
    provider.use(((ctx: KoaContextWithOIDC, next: () => Promise<void>) => this.handle(ctx, next)) as never);
  }

  /**
   * Wraps a request that may change something in one transaction, which an OAuth error commits (a detected reuse must
   * stay revoked) and only an internal failure rolls back; then adds the members of a token response that SMART
   * requires and the engine lacks.
   */
  private handle(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
    // All other endpoints may respond to a browser with a document.
    if (ctx.path !== enginePaths.token) ctx.res.setHeader('Content-Security-Policy', contentSecurity);
    // The engine sets it on some responses, and another value on purpose on others.
    ctx.res.setHeader('Cache-Control', 'no-store');
    const work = () => (ctx.path === enginePaths.token ? next().then(() => this.completeToken(ctx)) : next());
    // Chained instead of awaited: every await costs a token request as much as a header.
    const done =
      ctx.path === enginePaths.introspection
        ? work()
        : this.database.transaction(work, () => isKept(ctx) && isReceived(ctx));
    return done.then(
      () => (isAbandoned(ctx) ? dropAnswer(ctx) : this.completeAnswer(ctx)),
      (error: unknown) => {
        if (ctx.state.failure === undefined) noteFailure(ctx, error);
        discardAnswer(ctx);
        return this.completeAnswer(ctx);
      },
    );
  }

  private completeToken(ctx: KoaContextWithOIDC): void | Promise<void> {
    ctx.res.setHeader('Pragma', 'no-cache');
    if (ctx.status === 200) {
      const grant = ctx.oidc.entities.Grant as GrantExtras | undefined;
      const { enableLegacyFhirContext: legacyFhirContext } = gatehouseClient(ctx.oidc.client).settings;
      const tenant = this.bases.forRequest(ctx).tenant?.id;
      const ofService = tenant === undefined ? {} : { tenant };
      const { styleUrl } = this;
      const members = grant ? launchMembers(grant.launch ?? {}, { styleUrl, tenant, legacyFhirContext }) : ofService;
      Object.assign(ctx.body as object, members);
    }
    return grantOf(ctx)?.complete?.(ctx);
  }

  private completeAnswer(ctx: KoaContextWithOIDC): void | Promise<void> {
    // The data behind the new cookies were rolled back; without the removed cookies the browser could not retry.
    if (!isKept(ctx)) ctx.remove('Set-Cookie');
    if (ctx.status === 500) answerFailure(ctx);
    if (ctx.path === enginePaths.token) nameOperation(grantTypeOf(ctx));
    if (ctx.path === discoveryPath && ctx.status === 200) {
      Object.assign(ctx.body as object, {
        scopes_supported: this.scopesSupported,
        response_modes_supported: responseModes,
        prompt_values_supported: promptValues,
      });
    }
    if (ctx.path === enginePaths.jwks && ctx.status === 200) {
      ctx.set('Cache-Control', `public, max-age=${this.keySetMaxAgeSeconds}`);
    }
    answerUnreadableAssertion(ctx);
    limitCrossOrigin(ctx);
    liftFormAction(ctx);
    if (ctx.status === 401) return this.guesses.afterRefusal(ctx);
  }
}

function grantTypeOf(ctx: KoaContextWithOIDC): string {
  const named = ctx.oidc?.params?.grant_type;
  return tokenGrantTypes.find((one) => one === named) ?? 'other';
}

function isKept(ctx: KoaContextWithOIDC): boolean {
  return ctx.status < 500 && !(ctx.state as UndoState).undone;
}

/** State of a request whose sender has closed the connection. */
interface AbandonedState {
  isAbandoned?: true;
}

/**
 * Looks at the connection right before COMMIT, with which a code or refresh token is used up: it stays as it was for
 * the repetition by a sender who has not waited (decision 0099).
 */
function isReceived(ctx: KoaContextWithOIDC): boolean {
  if (!mustBeAwaited(ctx.path) || !isGone(ctx.req)) return true;
  (ctx.state as AbandonedState).isAbandoned = true;
  return false;
}

export function isAbandoned({ state }: KoaContextWithOIDC): boolean {
  return (state as AbandonedState).isAbandoned === true;
}

function dropAnswer(ctx: KoaContextWithOIDC): void {
  ctx.respond = false;
  abandon(ctx.res);
}

/** Keeps the failure of a request for its answer and logs it: what follows from it is not logged again. */
export function noteFailure(ctx: KoaContextWithOIDC, error: unknown): void {
  ctx.state.failure = error;
  const isBusy = asUnavailable(error) !== undefined;
  const message = isBusy ? 'the engine is temporarily unavailable' : 'the engine failed';
  log[isBusy ? 'warn' : 'error']({ err: error, path: ctx.path }, message);
}

/** The data behind the prepared answer were rolled back. */
function discardAnswer(ctx: KoaContextWithOIDC): void {
  ctx.remove('Location');
  ctx.body = { error: 'server_error' };
  ctx.status = 500;
}

/** Replaces the engine's error description by Gatehouse's own, with the number of the request. */
function answerFailure(ctx: KoaContextWithOIDC): void {
  const body = ctx.body as { error?: unknown } | undefined;
  if (asUnavailable(ctx.state.failure)) {
    ctx.status = 503;
    ctx.set('Retry-After', '2');
    ctx.body = { error: 'temporarily_unavailable', error_description: 'Please try again in a few seconds.' };
  } else if (body?.error === 'server_error') {
    ctx.body = { error: 'server_error', error_description: failureText() };
  } else {
    return;
  }
  ctx.set('Cache-Control', 'no-store');
  // A browser that navigates shows the response.
  if (ctx.accepts('json', 'html') === 'html') {
    const { html, headers } = errorDocument(500);
    ctx.set(headers);
    ctx.body = html;
  }
}

/**
 * Leaves `form-action` out of the pages whose form leads to a registered address: the one of `response_mode=form_post`,
 * and the sign-out page. Browsers apply it to each redirect that follows the form, so also to those of the client,
 * which may lead to any origin (security T-02, CSP 3 §6.4.1).
 */
function liftFormAction(ctx: KoaContextWithOIDC): void {
  const { client, params } = ctx.oidc ?? {};
  if (!client || ctx.path === enginePaths.token || !ctx.response.is('html')) return;
  const { redirect_uri: answerTo, post_logout_redirect_uri: leaveTo } = params ?? {};
  const leadsOut =
    (typeof answerTo === 'string' && client.redirectUriAllowed(answerTo)) ||
    // The client's own `postLogoutRedirectUriAllowed` works only while the engine processes the request.
    gatehouseClient(client).settings.postLogoutRedirectUris.some((uri) => uri === leaveTo);
  if (leadsOut) ctx.set('Content-Security-Policy', withoutFormAction(ctx.response.get('Content-Security-Policy')));
}

/**
 * Runs after a request: restricts the engine's CORS headers (security T-04). The origins that may use a client's
 * endpoints are checked when the client is known; `null` is the origin of any sandboxed page.
 */
function limitCrossOrigin(ctx: KoaContextWithOIDC): void {
  const allowed = ctx.res.getHeader('Access-Control-Allow-Origin');
  if (allowed === undefined) return;
  if (openPaths.includes(ctx.path)) ctx.set('Access-Control-Allow-Origin', '*');
  else if (allowed === 'null') ctx.remove('Access-Control-Allow-Origin');
  if (ctx.res.hasHeader('Access-Control-Max-Age')) {
    ctx.set('Access-Control-Max-Age', String(longestPreflightSeconds));
  }
}
