import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import Provider, { type errors, type KoaContextWithOIDC } from 'oidc-provider';
import { describeEntry } from '../../contract/activity/cause.js';
import { referenceOf } from '../../contract/activity/reference.js';
import {
  currentLaunchId,
  currentReference,
  decidingEntry,
  droppedScopes,
  identifyLaunch,
  launchIdOfDay,
  newLaunchId,
  note,
} from '../../platform/activity/launch-notes.js';
import { StrayRecords } from '../../platform/activity/stray-records.js';
import { Secrets, sha256 } from '../../platform/crypto/secrets.js';
import { Database } from '../../platform/database/database.js';
import { nameOAuthError } from '../../platform/metrics/measured.js';
import { completeError, type ErrorMembers, withHelp } from './error-answers.js';
import { presentedBy } from './refusals/presented-credentials.js';
import { RequestRefusals } from './refusals/request-refusals.js';
import { TokenRefusals } from './refusals/token-refusals.js';
import { isAbandoned } from './request-middleware.js';
import type { EngineAdaptation } from './shared/engine-adaptation.js';
import { gatehouseClient, type PushedRequestExtras } from './shared/engine-models.js';
import { grantOf } from './shared/token-grants.js';
import { trialProvenBy } from './shared/trial-at-hand.js';

type Refused = errors.OIDCProviderError;

/** Scopes that an answer names: it must fit into a header. */
const mostNamed = 10;

/** The error of a request that may belong to a launch. */
interface RefusalState {
  refusedLaunch?: RefusedLaunch;
}

interface RefusedLaunch {
  error: Refused;
  isTokenRequest: boolean;
}

/** Notes the steps of a launch that the engine itself takes. Where a check of ours decides, it notes its own entry. */
@Injectable()
export class LaunchRecord implements EngineAdaptation {
  private readonly services = new LRUCache<string, { day: string; id: string }>({ max: 1_000 });

  constructor(
    private readonly secrets: Secrets,
    private readonly tokenRefusals: TokenRefusals,
    private readonly database: Database,
    private readonly requestRefusals: RequestRefusals,
    private readonly stray: StrayRecords,
  ) {}

  install(provider: Provider): void {
    joinPushedRequests(provider);
    provider.on('pushed_authorization_request.success', noteRequest);
    provider.on('interaction.started', (ctx, prompt) => {
      noteRequest(ctx);
      note('page-shown', { page: prompt.name });
    });
    provider.on('authorization.success', (ctx, answer) => {
      noteRequest(ctx);
      const { code } = answer as { code?: string };
      if (code !== undefined) identifyLaunch({ id: currentLaunchId(), codeHash: sha256(code) });
      note('code-issued');
    });
    provider.on('grant.success', (ctx) => this.noteTokens(ctx));
    const refused = (isTokenRequest: boolean) => (ctx: KoaContextWithOIDC, error: Refused) => {
      if (!isTokenRequest && currentReference() === undefined) {
        // Before the page of the error, which shows the reference.
        identifyLaunch({ id: this.stray.idFor(ctx.oidc.client ? 'known-client' : 'request', newLaunchId()) });
      }
      (ctx.state as RefusalState).refusedLaunch = { error, isTokenRequest };
    };
    provider.on('pushed_authorization_request.error', refused(false));
    provider.on('authorization.error', refused(false));
    provider.on('grant.error', refused(true));
    provider.on('server_error', () => note('request-failed'));
    // Outside of the middleware that completes answers, which is installed later.
    provider.use(((ctx: KoaContextWithOIDC, next: () => Promise<void>) =>
      next().then(() => {
        if (isAbandoned(ctx)) return;
        const { refusedLaunch } = ctx.state as RefusalState;
        // A commit can fail after the engine has prepared its answer.
        if (ctx.state.failure !== undefined && !decidingEntry()) note('request-failed');
        // A page has no error that could be read from it.
        if (refusedLaunch) {
          nameOAuthError(refusedLaunch.error.message);
          return this.explain(ctx, refusedLaunch);
        }
        completeError(ctx, finished);
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

  /** False if the cause is not one of the catalogue. */
  private async findCause(ctx: KoaContextWithOIDC, { error, isTokenRequest }: RefusedLaunch): Promise<boolean> {
    if (isTokenRequest) return this.tokenRefusals.note(ctx, error);
    if (await this.requestRefusals.note(ctx, error)) return true;
    // A pushed request authenticates its client as a token request does, and may have a DPoP proof.
    return (
      /^(invalid_client|invalid_dpop_proof|use_dpop_nonce)$/.test(error.message) && this.tokenRefusals.note(ctx, error)
    );
  }

  /**
   * Completes the answer to a refused request: notes the refusal, unless a check has noted its cause, and adds the
   * launch's reference to the error's description (RFC 6749 §4.1.2.1, §5.2).
   */
  private async explain(ctx: KoaContextWithOIDC, refused: RefusedLaunch): Promise<void> {
    const { error, isTokenRequest } = refused;
    identifyFrom(ctx);
    if ((isTokenRequest || !decidingEntry()) && !(await this.findCause(ctx, refused))) noteError(ctx, refused);
    if (isTokenRequest && currentReference() === undefined) {
      // It belongs to no known launch: counted with the others of its client and day. Not by its cause, which the
      // reference would tell.
      const ofDay = launchIdOfDay(this.secrets, 'refused', clientIdOf(ctx) ?? '', error.message);
      const id = this.stray.idFor('token', ofDay);
      identifyLaunch({ id, kind: grantOf(ctx)?.isOfService ? 'service' : 'unknown' });
    }
    const reference = `Reference: ${referenceOf(currentLaunchId())}`;
    completeError(ctx, (answer) => ({
      ...answer,
      error_description: withReference(explanationFor(ctx, answer) ?? answer.error_description, reference),
    }));
    completeError(ctx, finished);
  }
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

function noteError(ctx: KoaContextWithOIDC, { error, isTokenRequest }: RefusedLaunch): void {
  const { Interaction: interaction } = ctx.oidc.entities;
  if (interaction?.result?.error === 'access_denied') {
    note('declined');
    return;
  }
  const detail = { error: error.message, description: error.error_description ?? '' };
  note(isTokenRequest ? 'token-refused' : 'request-refused', detail);
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
