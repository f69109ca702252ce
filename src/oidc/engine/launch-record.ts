import type { EventEmitter } from 'node:events';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import Provider, { type Configuration, type KoaContextWithOIDC } from 'oidc-provider';
import { describeEntry } from '../../contract/activity/cause.js';
import { referenceOf } from '../../contract/activity/reference.js';
import {
  currentLaunchId,
  currentReference,
  decidingEntry,
  droppedScopes,
  identifyLaunch,
  isIdentified,
  launchIdOfDay,
  newLaunchId,
  note,
} from '../../platform/activity/launch-notes.js';
import { StrayRecords } from '../../platform/activity/stray-records.js';
import { Secrets, sha256 } from '../../platform/crypto/secrets.js';
import { Database } from '../../platform/database/database.js';
import { errorDocument } from '../../platform/http/client-document.js';
import { nameOAuthError } from '../../platform/metrics/measured.js';
import { callerKey } from '../../platform/request/caller-key.js';
import { enginePaths } from '../domain/engine-paths.js';
import { completeError, type ErrorMembers, withHelp } from './error-answers.js';
import { faultOf } from './refusals/fault-identity.js';
import { presentedBy } from './refusals/presented-credentials.js';
import { RefusalCauses, type RefusedRequest, type RefusingEndpoint } from './refusals/refusal-causes.js';
import { isAbandoned } from './request-middleware.js';
import type { EngineAdaptation } from './shared/engine-adaptation.js';
import { gatehouseClient, type PushedRequestExtras } from './shared/engine-models.js';
import { grantOf } from './shared/token-grants.js';
import { trialProvenBy } from './shared/trial-at-hand.js';

/** Stands for the page of an error until its reference is known. */
const pendingPage = '<!doctype html>';

/** Endpoints that do not say in their answers what was not done. */
const unfollowing = new Set<string>([enginePaths.introspection, enginePaths.revocation, enginePaths.end_session]);

/** Scopes that an answer names: it must fit into a header. */
const mostNamed = 10;

/** The error of a request that may belong to a launch. */
interface RefusalState {
  refused?: RefusedRequest;
}

/** The events of the engine that tell a refusal. */
const refusals: Readonly<Record<string, RefusingEndpoint>> = {
  'pushed_authorization_request.error': 'authorization',
  'authorization.error': 'authorization',
  'grant.error': 'token',
  'userinfo.error': 'userinfo',
  'introspection.error': 'introspection',
  'revocation.error': 'revocation',
  'end_session.error': 'sign-out',
  'end_session_confirm.error': 'sign-out',
  'end_session_success.error': 'sign-out',
  'discovery.error': 'discovery',
  'jwks.error': 'keys',
};

/** Notes the steps of a launch that the engine itself takes. Where a check of ours decides, it notes its own entry. */
@Injectable()
export class LaunchRecord implements EngineAdaptation {
  private readonly services = new LRUCache<string, { day: string; id: string }>({ max: 1_000 });

  constructor(
    private readonly secrets: Secrets,
    private readonly causes: RefusalCauses,
    private readonly database: Database,
    private readonly stray: StrayRecords,
  ) {}

  configuration(): Configuration {
    return { renderError };
  }

  install(provider: Provider): void {
    joinPushedRequests(provider);
    provider.on('pushed_authorization_request.success', noteRequest);
    provider.on('interaction.started', (ctx, prompt) => {
      noteRequest(ctx);
      note('page-sent', { page: prompt.name });
    });
    provider.on('authorization.success', (ctx, answer) => {
      noteRequest(ctx);
      const { code } = answer as { code?: string };
      if (code !== undefined) identifyLaunch({ id: currentLaunchId(), codeHash: sha256(code) });
      note('code-issued');
    });
    provider.on('grant.success', (ctx) => this.noteTokens(ctx));
    for (const [event, endpoint] of Object.entries(refusals)) {
      (provider as EventEmitter).on(event, (ctx: KoaContextWithOIDC, error: RefusedRequest['error']) => {
        // Before the page of the error, which shows the reference.
        if (endpoint === 'authorization') this.identifyPage(ctx);
        (ctx.state as RefusalState).refused = { error, endpoint };
      });
    }
    provider.on('server_error', () => note('request-failed'));
    // Outside of the middleware that completes answers, which is installed later.
    provider.use(((ctx: KoaContextWithOIDC, next: () => Promise<void>) =>
      next().then(() => {
        if (isAbandoned(ctx)) return;
        const { refused } = ctx.state as RefusalState;
        // A commit can fail after the engine has prepared its answer.
        if (ctx.state.failure !== undefined && !decidingEntry()) note('request-failed');
        // A page has no error that could be read from it.
        if (refused) {
          nameOAuthError(refused.error.message);
          return this.explain(ctx, refused).then(() => this.finish(ctx));
        }
        return unfollowing.has(ctx.path) ? this.recordUnfollowed(ctx).then(() => this.finish(ctx)) : this.finish(ctx);
      })) as never);
  }

  private noteTokens(ctx: KoaContextWithOIDC): void {
    const { client } = ctx.oidc;
    const grant = grantOf(ctx);
    identifyLaunch({ clientId: client?.clientId, accountId: accountIdOf(ctx) });
    if (grant?.isOfService && trialProvenBy(ctx.req) === undefined) {
      identifyLaunch({ id: this.serviceOfDay(client?.clientId ?? ''), kind: 'service' });
    }
    // Tokens of a transaction that fails never reach the app.
    this.database.afterCommit(() => note(grant?.issued ?? 'tokens-issued'));
  }

  /** Kept for the day: a keyed hash is a noticeable part of the cheapest token request. */
  private serviceOfDay(clientId: string): string {
    const day = new Date().toISOString().slice(0, 10);
    const known = this.services.get(clientId);
    if (known?.day === day) return known.id;
    const id = launchIdOfDay(this.secrets, 'service', clientId);
    this.services.set(clientId, { day, id });
    return id;
  }

  /** Renders an error that must not go to the client, since no trusted address to send it to is known. */
  private showPage(ctx: KoaContextWithOIDC): void {
    this.identifyPage(ctx);
    const { html, headers } = errorDocument(ctx.status === 500 ? 500 : 400, currentReference());
    ctx.set(headers);
    ctx.body = html;
  }

  /** A page of an error that belongs to no launch has a record of its own. */
  private identifyPage(ctx: KoaContextWithOIDC): void {
    if (isIdentified()) return;
    identifyFrom(ctx);
    identifyLaunch({ id: this.stray.idFor(ctx.oidc?.client ? 'known-client' : 'request', newLaunchId()) });
  }

  /** Records the content that an answer without an error does not have, by client, fault and day. */
  private async recordUnfollowed(ctx: KoaContextWithOIDC): Promise<void> {
    await this.causes.noteUnfollowed(ctx);
    const deciding = decidingEntry();
    if (!deciding || isIdentified()) return;
    identifyFrom(ctx);
    const fault = [ctx.path, clientIdOf(ctx) ?? '', deciding.code, ...Object.values(deciding.detail).map(String)];
    const id = launchIdOfDay(this.secrets, 'unfollowed', callerKey(), ...fault);
    identifyLaunch({ kind: 'unknown' });
    identifyLaunch({ id: this.stray.idFor('endpoint', id) });
  }

  /**
   * Completes the answer to a refused request: notes the refusal, unless a check has noted its cause, and adds the
   * launch's reference to the error's description (RFC 6749 §4.1.2.1, §5.2).
   */
  private async explain(ctx: KoaContextWithOIDC, refused: RefusedRequest): Promise<void> {
    const { error, endpoint } = refused;
    const isOfLaunch = endpoint === 'authorization';
    identifyFrom(ctx);
    await this.causes.identifyNamed(ctx);
    if (!isOfLaunch || !decidingEntry()) {
      if (!(await this.causes.note(ctx, refused))) noteError(ctx, refused);
    }
    if (!isOfLaunch && !isIdentified()) {
      identifyLaunch({ kind: grantOf(ctx)?.isOfService ? 'service' : 'unknown' });
      // It belongs to no known launch: counted with the same ones of its sender and day.
      const fault = launchIdOfDay(this.secrets, 'refused', callerKey(), faultOf(ctx, error));
      identifyLaunch({ id: this.stray.idFor(endpoint === 'token' ? 'token' : 'endpoint', fault) });
    }
    const reference = `Reference: ${referenceOf(currentLaunchId())}`;
    completeError(ctx, (answer) => ({
      ...answer,
      error_description: withReference(explanationFor(ctx, answer) ?? answer.error_description, reference),
    }));
  }

  private finish(ctx: KoaContextWithOIDC): void {
    if (ctx.body === pendingPage) this.showPage(ctx);
    else completeError(ctx, finished);
  }
}

/** The page does not mention the client. It is made when the record of the request is known. */
async function renderError(ctx: KoaContextWithOIDC, { error }: { error: string }): Promise<void> {
  ctx.status = error === 'server_error' ? 500 : 400;
  ctx.type = 'html';
  ctx.body = pendingPage;
}

/** The error as the client gets it. */
function finished(error: ErrorMembers): ErrorMembers {
  nameOAuthError(error.error);
  return withHelp(error);
}

/** A pushed request and the authorization request that names it are one launch. */
function joinPushedRequests(provider: Provider): void {
  const { PushedAuthorizationRequest: model } = provider;
  const { save } = model.prototype;
  const { find } = model;
  Object.defineProperty(model.prototype, 'save', {
    value(this: PushedRequestExtras & InstanceType<typeof model>, ttl: number) {
      if (Provider.ctx) this.launchId ??= currentLaunchId();
      return save.call(this, ttl);
    },
  });
  Object.defineProperty(model, 'find', {
    async value(this: typeof model, ...of: Parameters<typeof find>) {
      const found = await find.apply(this, of);
      const { launchId: id, trial } = (found ?? {}) as PushedRequestExtras;
      identifyLaunch({ id, ...(trial && { kind: 'trial' }) });
      return found;
    },
  });
}

/** Notes the request itself, unless it continues one that was noted: after a page, or after it was pushed. */
function noteRequest(ctx: KoaContextWithOIDC): void {
  identifyFrom(ctx);
  const { route, entities, params } = ctx.oidc;
  if (route === 'resume' || (route === 'authorization' && entities.PushedAuthorizationRequest)) return;
  const from = params?.launch === undefined ? 'Opened by itself' : 'Launched from the EHR';
  note('request-received', { how: route === 'authorization' ? from : `${from}, by a pushed request` });
}

function identifyFrom(ctx: KoaContextWithOIDC): void {
  identifyLaunch({ clientId: clientIdOf(ctx), accountId: accountIdOf(ctx) });
}

function accountIdOf({ oidc: { session, entities } }: KoaContextWithOIDC): string | undefined {
  return session?.accountId ?? entities.Account?.accountId;
}

function noteError(ctx: KoaContextWithOIDC, { error, endpoint }: RefusedRequest): void {
  const { Interaction: interaction } = ctx.oidc.entities;
  if (interaction?.result?.error === 'access_denied') {
    note('declined');
    return;
  }
  const detail = { error: error.message, description: error.error_description ?? '' };
  note(endpoint === 'token' ? 'token-refused' : 'request-refused', detail);
}

/** The client that the request names, in whichever way: a known client and an unknown one are treated alike. */
function clientIdOf(ctx: KoaContextWithOIDC): string | undefined {
  return presentedBy(ctx).clientId || undefined;
}

/**
 * The cause in place of the plain sentence, for a client that shall get it (`explainRefusals`). An answer that a limit
 * has replaced keeps its own sentence.
 */
function explanationFor({ oidc: { client } }: KoaContextWithOIDC, { error }: ErrorMembers): string | undefined {
  const deciding = decidingEntry();
  const isWanted = client && gatehouseClient(client).settings.explainRefusals && error !== 'temporarily_unavailable';
  const developer = isWanted && deciding && describeEntry(deciding.cause, deciding.detail).developer;
  if (!developer) return undefined;
  const dropped = droppedScopes();
  const list = dropped.slice(0, mostNamed).join(', ') + (dropped.length > mostNamed ? ', ...' : '');
  const sentence = developer.replace(/\.*$/, '.');
  return permittedCharacters(dropped.length > 0 ? `${sentence} Not granted: ${list}.` : sentence);
}

/** A description may only have these characters (RFC 6749 §4.1.2.1, §5.2). */
function permittedCharacters(text: string): string {
  return text
    .replaceAll('"', "'")
    .replaceAll('…', '...')
    .replace(/[^ -~]|\\/gu, '?');
}

/** The sentence, with the reference as another one. */
function withReference(description: string | undefined, reference: string): string {
  return description ? `${description.replace(/\.?$/, '.')} ${reference}` : reference;
}
