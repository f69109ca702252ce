import { parse, stringify } from 'node:querystring';
import { Injectable } from '@nestjs/common';
import { calculateJwkThumbprint, decodeProtectedHeader, type JWK } from 'jose';
import Provider, {
  type Configuration,
  errors,
  type Grant,
  type KoaContextWithOIDC,
  type RefreshToken,
} from 'oidc-provider';
import type { ClientSettings } from '../../../contract/clients/client-settings.js';
import { covers, parseScope, type SmartScope, splitScopes } from '../../../contract/rules/scopes/smart-scope.js';
import { permittedText } from '../../../contract/rules/scopes/taken-back.js';
import type { OidcRecords } from '../../../oidc-store/infrastructure/oidc-records.js';
import { RefreshAnswers } from '../../../oidc-store/infrastructure/refresh-answers.js';
import { Revocations } from '../../../oidc-store/infrastructure/revocations.js';
import { note } from '../../../platform/activity/launch-notes.js';
import { Config } from '../../../platform/config/config.js';
import { UserDirectory } from '../../../users/application/user-directory.js';
import type { Context } from '../../domain/launch.js';
import { coveredScopes, narrowerPart } from '../../domain/narrower-scope.js';
import type { ScopeServers } from '../../domain/scope-narrowing.js';
import { allowedForClient, allowedForContext, parseRequest } from '../../domain/scope-request.js';
import { noneLeft, scopesStillAllowed } from '../authorization/scope-grants.js';
import { ScopeNotes } from '../authorization/scope-notes.js';
import { serversOfTokens } from '../authorization/scope-servers.js';
import { authenticationMethod } from '../clients/client-authentication.js';
import { followsProfile } from '../clients/security-profile.js';
import type { EngineAdaptation } from '../shared/engine-adaptation.js';
import { type GrantExtras, gatehouseClient } from '../shared/engine-models.js';
import { LateDuplicate } from '../shared/late-duplicate.js';
import { installGrant, type RefusedGrant, type TokenGrant } from '../shared/token-grants.js';
import { trialProvenBy } from '../shared/trial-at-hand.js';
import { narrow } from '../tokens/narrowed-scopes.js';
import { whileSessionLives } from '../tokens/session-binding.js';
import { noteOtherKey, noteProofMissing } from './bound-grants.js';
import { noteGone, noteOtherResource, noteUsed, TokenReuse } from './single-use.js';

/**
 * Refresh tokens are exchanged for new tokens of the same Grant, and for another refresh token (RFC 6749 §6): a
 * repeated request gets its answer again, a reuse ends the Grant, and a request may ask for fewer scopes.
 */
@Injectable()
export class RefreshTokenGrant implements EngineAdaptation {
  private readonly grant: TokenGrant;

  constructor(
    private readonly answers: RefreshAnswers,
    private readonly accounts: UserDirectory,
    private readonly reuse: TokenReuse,
    private readonly revocations: Revocations,
    notes: ScopeNotes,
    private readonly config: Config,
  ) {
    this.grant = {
      type: 'refresh_token',
      presents: { model: 'RefreshToken', parameter: 'refresh_token', name: 'refresh token' },
      parameters: { needed: ['refresh_token'], others: ['scope', 'resource'] },
      source: ({ oidc }) => oidc.entities.RefreshToken,
      issued: 'tokens-refreshed',
      scopes: (ctx, settings) => {
        const allowed = scopesStillAllowed(this.grant.source(ctx), settings, config, notes);
        // A refresh may ask for less than was granted.
        const narrower = parseRequest(coveredScopes(allowed, ctx.oidc.requestParamScopes).join(' ')) ?? [];
        return [...new Set([...allowed, ...allowedForClient(narrower, settings, serversOfTokens(config))])];
      },
      noteRefusal,
      complete: (ctx) => completeRefresh(ctx, answers),
    };
  }

  configuration(): Configuration {
    return {
      // FAPI 2.0 Security Profile §5.3.2.1: without rotation, as the client has to prove itself and its key each time.
      rotateRefreshToken: ({ oidc: { client } }) => !(client && followsProfile(gatehouseClient(client).settings)),
      issueRefreshToken: async (ctx, _client, { scopes }) =>
        trialProvenBy(ctx.req) === undefined && (scopes.has('offline_access') || scopes.has('online_access')),
      expiresWithSession: async (_ctx, source) => !source.scopes.has('offline_access'),
    };
  }

  install(provider: Provider): void {
    limitScopes(provider, this.accounts, this.config);
    repeatLostAnswers(provider, this.answers, this.revocations);
    // Wraps what recognises a repeated answer, which is not a reuse.
    this.reuse.install(provider.RefreshToken);
    installGrant(provider, this.grant);
  }
}

/** Key under which the request's middleware finds the response to repeat. */
interface RefreshState {
  repeated?: object;
}

/**
 * A used refresh token that is presented again within 30 seconds, by the same client with the same request, gets the
 * same response: the first one was lost, or the client sent two requests at once. A request that was complete before
 * the new token was used is refused. Otherwise the engine treats the token as stolen and revokes the grant. The lookup
 * locks the row, so that of parallel requests the later ones find the first one's response.
 */
function repeatLostAnswers(provider: Provider, answers: RefreshAnswers, revocations: Revocations): void {
  const findStored = provider.RefreshToken.find.bind(provider.RefreshToken);
  Object.defineProperty(provider.RefreshToken, 'find', {
    async value(token: string, options?: object): Promise<RefreshToken | undefined> {
      const stored = (await findStored(token, { ...options, ignoreSessionBinding: true } as never)) as
        | RefreshToken
        | undefined;
      const found = await whileSessionLives(provider, stored);
      await narrow(found, revocations);
      const { ctx } = Provider;
      if (found?.consumed && ctx?.oidc.route === 'token' && found.clientId === ctx.oidc.client?.clientId) {
        const { answer, isLate } = await answers.findByToken(token, await requestOf(ctx));
        if (isLate) throw new LateDuplicate('refresh token already used', found);
        if (answer !== undefined) {
          (ctx.state as RefreshState).repeated = { ...JSON.parse(answer), ...scopeNow(answer, found) };
          return undefined;
        }
      }
      return found;
    },
  });
}

/** The scope of a repeated answer: the grant may have lost a part of it since. */
function scopeNow(answer: string, { scope: granted = '' }: RefreshToken): { scope?: string } {
  const { scope }: { scope?: string } = JSON.parse(answer);
  return scope === undefined ? {} : { scope: permittedText(scope, granted) };
}

/** Runs after a token request: repeats a stored response, or stores the new one. */
async function completeRefresh(ctx: KoaContextWithOIDC, answers: RefreshAnswers): Promise<void> {
  const { repeated } = ctx.state as RefreshState;
  if (repeated !== undefined) {
    ctx.status = 200;
    ctx.body = repeated;
    return;
  }
  const rotated = ctx.oidc.entities.RotatedRefreshToken;
  if (ctx.status !== 200 || !rotated?.grantId) return;
  const answer = ctx.body as { refresh_token: string };
  await answers.keep({
    token: String(ctx.oidc.params?.refresh_token),
    grantId: rotated.grantId,
    successor: answer.refresh_token,
    request: await requestOf(ctx),
    answer: JSON.stringify(answer),
  });
}

/** Parameters that must be the same: all but the client's proof, which a retry creates again. */
async function requestOf(ctx: KoaContextWithOIDC): Promise<string> {
  const {
    client_assertion: _assertion,
    client_secret: _secret,
    refresh_token: _token,
    ...rest
  } = ctx.oidc.params ?? {};
  const method = authenticationMethod(ctx.oidc.client as object, ctx);
  // The engine has checked the proof by now; a retry has another one, by the same key.
  const proof = ctx.get('DPoP');
  const key = proof === '' ? undefined : await calculateJwkThumbprint(decodeProtectedHeader(proof).jwk as JWK);
  return JSON.stringify([
    method,
    key,
    Object.entries(rest)
      .filter(([, value]) => value !== undefined)
      .sort(),
  ]);
}

/**
 * A public client may refresh with its token alone (RFC 6749 §6 requires no `client_id`), and common libraries do; the
 * engine needs the client first. This function adds only the id of the client that the token belongs to; with a wrong
 * one the engine would refuse.
 */
export async function nameClientOf(form: string, records: OidcRecords): Promise<string> {
  if (/(^|&)client_assertion=/.test(form)) return form;
  const { grant_type: grantType, refresh_token: token, client_id: clientId } = parse(form);
  if (grantType !== 'refresh_token' || typeof token !== 'string' || clientId !== undefined) {
    return form;
  }
  const owner = await records.clientOfRefreshToken(token);
  return owner === undefined ? form : `${form}&${stringify({ client_id: owner })}`;
}

interface RefreshContext {
  /** Scopes of the refresh token. */
  granted: ReadonlySet<string>;
  /** Scopes that the user left out on the consent page. */
  declined: ReadonlySet<string>;
  settings: ClientSettings;
  servers: ScopeServers;
  context: Context;
  /** True if the user acts for a patient: what the level left out is ignored, whatever the level is now. */
  isRepresented: boolean;
}

/**
 * Scopes of a refresh: never more than those of the refresh token. Scopes that authorization ignored are ignored here
 * too, because libraries repeat the scopes of their authorization request: unknown scopes, scopes that the client may
 * not have, that do not apply to the account or its context, and that the user left out. A scope that was granted in
 * part (a wildcard, some actions, some categories) returns that part, and one that is narrower than a granted one
 * itself. Undefined when any other scope is requested that was not granted (RFC 6749 §6).
 */
function refreshedScopes(asked: string, surroundings: RefreshContext): string[] | undefined {
  const { granted, declined, settings, servers, context, isRepresented } = surroundings;
  const given = new Set<string>();
  for (const text of splitScopes(asked)) {
    const scope = parseScope(text);
    if (!scope) continue;
    const parts = [...granted].filter((one) => isWithin(one, scope));
    if (parts.length === 0) parts.push(...narrowerParts(surroundings, scope));
    for (const one of parts) given.add(one);
    if (parts.length > 0) continue;
    const possible = allowedForContext(allowedForClient([scope], settings, servers), context);
    if (!isRepresented && possible.some((one) => !declined.has(one))) return undefined;
  }
  return [...given];
}

/**
 * In the form that the client may have: a granted scope of version 1 is not refreshed as one of version 2 without its
 * actions.
 */
function narrowerParts({ granted, settings, servers }: RefreshContext, asked: SmartScope): string[] {
  const parsed = [...granted].map(parseScope).filter((scope) => scope !== undefined);
  const parts = parsed.flatMap((scope) => parseScope(narrowerPart(scope, asked) ?? '') ?? []);
  const allowed = allowedForClient(parts, settings, servers);
  return parts.map(({ text }) => text).filter((text) => allowed.includes(text));
}

function isWithin(text: string, asked: SmartScope): boolean {
  const scope = parseScope(text);
  return scope !== undefined && covers(asked, scope);
}

/** The engine would use the token up before it refuses another `resource` (RFC 8707 §2.2). */
function assertResource({ resource: granted }: RefreshToken, sent: unknown): void {
  if (sent === undefined || sent === granted) return;
  noteOtherResource(sent, granted);
  throw new errors.InvalidTarget();
}

/** Makes the engine compare the result of {@link refreshedScopes} with the refresh token. */
function limitScopes(provider: Provider, accounts: UserDirectory, config: Config): void {
  const find = provider.RefreshToken.find.bind(provider.RefreshToken);
  Object.defineProperty(provider.RefreshToken, 'find', {
    configurable: true,
    async value(...of: Parameters<typeof find>): Promise<RefreshToken | undefined> {
      const found = (await find(...of)) as RefreshToken | undefined;
      const { oidc } = Provider.ctx ?? {};
      const asked = oidc?.route === 'token' ? oidc.params?.scope : undefined;
      const isUsable = found && !found.consumed && found.clientId === oidc?.client?.clientId;
      if (isUsable && oidc?.route === 'token') assertResource(found, oidc.params?.resource);
      if (!isUsable || !oidc || typeof asked !== 'string' || asked === '') return found;
      const granted = new Set(splitScopes(found.scope ?? ''));
      if (splitScopes(asked).every((scope) => granted.has(scope))) return found;
      const given = refreshedScopes(asked, {
        granted,
        settings: gatehouseClient(oidc.client).settings,
        servers: serversOfTokens(config),
        ...(await tokenContext(found)),
      });
      if (!given) throw new errors.InvalidScope('refresh token missing requested scopes', asked);
      if (given.length === 0) throw new errors.InvalidScope(noneLeft, asked);
      // Applies to this request alone; the parameter keeps its value, so that a repeated request is recognised.
      Object.defineProperty(oidc, 'requestParamScopes', { value: new Set(given) });
      // The engine compares with the scopes of the token, whose next one keeps them all (RFC 6749 §6).
      Object.defineProperty(found, 'scopes', { value: new Set([...granted, ...given]) });
      return found;
    },
  });

  // The engine would take of a grant only what has the same text.
  const { prototype } = provider.Grant;
  const filtered = prototype.getResourceScopeFiltered;
  Object.defineProperty(prototype, 'getResourceScopeFiltered', {
    configurable: true,
    value(this: Grant, resource: string, filter: readonly string[] | ReadonlySet<string>): string {
      const { oidc } = Provider.ctx ?? {};
      if (oidc?.params?.grant_type !== 'refresh_token') return filtered.call(this, resource, filter as never);
      return coveredScopes(splitScopes(this.getResourceScope(resource)), new Set(filter)).join(' ');
    },
  });

  async function tokenContext({ grantId, accountId, resource }: RefreshToken) {
    const grant = grantId === undefined ? undefined : ((await provider.Grant.find(grantId)) as Grant & GrantExtras);
    const declined = grant?.getRejectedResourceScope(String(resource)) ?? '';
    const { fhirUser } = (await accounts.findById(accountId)) ?? {};
    // Launch scopes describe the launch of an authorization, so one that was not granted discloses nothing.
    const context = {
      fhirUser,
      patient: grant?.launch?.patient,
      launched: false,
      resources: new Set<string>(),
      isEnforced: config.gateway.enabled,
    };
    const isRepresented = grant?.representation !== undefined;
    return { declined: new Set(splitScopes(declined)), context, isRepresented };
  }
}

function noteRefusal(refused: RefusedGrant): boolean {
  const { error, found } = refused;
  const { scope = '' } = error as { scope?: string };
  if (error.message === 'invalid_scope' && scope !== '') {
    note('refresh-scope', { scope });
    return true;
  }
  if (error.message !== 'invalid_grant') return false;
  if (error instanceof LateDuplicate) note('refresh-token-late');
  else if (noteGone('refresh token', refused) || noteProofMissing(refused) || noteOtherKey(refused)) return true;
  else if (found?.isConsumed) noteUsed('refresh-token-used', found.hasGrant);
  else return false;
  return true;
}
