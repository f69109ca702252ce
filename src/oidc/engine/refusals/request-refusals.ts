import { Injectable } from '@nestjs/common';
import { errors, type KoaContextWithOIDC } from 'oidc-provider';
import { RegisteredClients } from '../../../clients/application/registered-clients.js';
import { mended, placeholderIn } from '../../../contract/rules/damage.js';
import { isPrivateUse, redirectUriProblemOf, withoutLoopbackPort } from '../../../contract/rules/web-address.js';
import { OidcRecords } from '../../../oidc-store/infrastructure/oidc-records.js';
import { identifyLaunch, note } from '../../../platform/activity/launch-notes.js';
import { Config } from '../../../platform/config/config.js';
import { cookieNames } from '../../../platform/http/cookies.js';
import { inEnglish } from '../../../platform/language/translator.js';
import { log } from '../../../platform/logging/log.js';
import { damagedAddress, nearestAddress, shownAddress } from '../../domain/address-difference.js';
import { enginePaths } from '../../domain/engine-paths.js';
import { plainName, similarName } from '../../domain/parameter-names.js';
import { endOfRequest } from '../authorization/ended-requests.js';
import { tokenParametersIn } from '../authorization/posted-requests.js';
import { requestObjectOf, sentParameters } from '../clients/request-objects.js';
import { followsProfile } from '../clients/security-profile.js';
import { gatehouseClient } from '../shared/engine-models.js';
import { bodyType } from '../shared/request-text.js';
import { thumbprintOf } from './dpop-refusals.js';
import { noteObjectRefusal } from './object-refusals.js';
import {
  noteClaims,
  noteIdTokenHint,
  noteInvalid,
  noteMaxAge,
  noteOpenid,
  notePkce,
  notePrompt,
  noteRepeated,
  noteResponseMode,
  noteScope,
  sentText,
} from './request-parameters.js';
import { VerificationKeys } from './verification-keys.js';

type Refused = errors.OIDCProviderError;
/** One check of the engine, made again; true if it noted its fault. */
type Check = (ctx: KoaContextWithOIDC) => boolean | Promise<boolean>;

const invalid = 'invalid_request';
const pushedRequest = 'urn:ietf:params:oauth:request_uri:';
/** Errors that `prompt=none` turns a page into (OpenID Connect Core §3.1.2.6). */
const pageNeeded = ['login_required', 'consent_required', 'interaction_required', 'account_selection_required'];

/**
 * Finds out why the engine refused an authorization request, pushed or direct. Runs after the request's transaction and
 * for refused requests only; the answer does not depend on what it finds.
 */
@Injectable()
export class RequestRefusals {
  constructor(
    private readonly clients: RegisteredClients,
    private readonly records: OidcRecords,
    private readonly keys: VerificationKeys,
    private readonly config: Config,
  ) {}

  /**
   * False if the cause is not one of the catalogue, or could not be found out. It is found by the values of the request
   * and the code of the error; the words of the error are not read.
   */
  async note(ctx: KoaContextWithOIDC, error: Refused): Promise<boolean> {
    try {
      if (error instanceof errors.SessionNotFound) return await this.noteContinued(ctx);
      if (this.noteTokenRequest(ctx) || noteBody(ctx)) return true;
      // A pushed request authenticates its client, which another class explains.
      if (ctx.oidc.route === 'pushed_authorization_request' && !ctx.oidc.client) return false;
      if (error.message === 'invalid_client') {
        // A request that is continued names its client no more.
        const { client_id: id = ctx.oidc.entities.Interaction?.params.client_id } = sentParameters(ctx);
        return !ctx.oidc.client && (await this.noteClient(String(id ?? '')));
      }
      for (const [codes, check] of this.checks) {
        if (codes.includes(error.message) && (await check(ctx))) return true;
      }
      return pageNeeded.includes(error.message) && noteSilent(error.message);
    } catch (err) {
      log.warn({ err }, 'cause lookup for a refused authorization request failed');
      return false;
    }
  }

  /** The checks in the order of the engine, with the codes of the errors that each can lead to. */
  private readonly checks: readonly (readonly [codes: readonly string[], check: Check])[] = [
    [[invalid], noteRepeated],
    [[invalid], (ctx) => this.noteNoClient(ctx)],
    [[invalid], noteTwoRequests],
    [['request_uri_not_supported', 'invalid_request_uri'], (ctx) => this.noteDamagedRequest(ctx)],
    [['request_uri_not_supported'], () => this.noteForeignRequest()],
    [['invalid_request_uri'], (ctx) => this.notePushed(ctx)],
    [['request_not_supported'], noteUnexpectedObject],
    [[invalid], (ctx) => this.noteNotPushed(ctx)],
    [[invalid], noteUnsigned],
    [['invalid_request_object'], notePushedByOther],
    [['invalid_request_object'], (ctx) => noteObjectRefusal(ctx, this.known)],
    [[invalid, 'unsupported_response_mode'], noteResponseMode],
    [[invalid], (ctx) => noteMissing(ctx, 'response_type')],
    [['registration_not_supported'], noteRegistration],
    [['unsupported_response_type'], noteResponseType],
    [[invalid], noteWithoutUsers],
    [[invalid], (ctx) => noteMissing(ctx, 'redirect_uri')],
    [[invalid], notePrompt],
    [['invalid_scope'], noteScope],
    [[invalid], noteOpenid],
    [[invalid, 'invalid_redirect_uri'], (ctx) => this.noteAddress(ctx)],
    [[invalid], notePkce],
    [[invalid], noteClaims],
    [[invalid], noteMaxAge],
    [[invalid], noteIdTokenHint],
    [[invalid], noteProofKey],
  ];

  /** Notes why a client id is none of an enabled client. The same lookup for an unknown client and a disabled one. */
  async noteClient(clientId: string): Promise<boolean> {
    const { isDisabled, nearest, damage, named } = await this.clients.resembling(clientId);
    const template = placeholderIn(clientId);
    if (isDisabled) note('client-disabled', { clientId });
    else if (nearest !== undefined && damage !== undefined) note('client-damaged', { clientId, nearest, damage });
    else if (template !== undefined) note('client-placeholder', { template });
    else if (named !== undefined) note('client-named', { clientId, named });
    else if (nearest === undefined) note('client-unknown', { clientId });
    else note('client-misspelled', { clientId, nearest });
    return true;
  }

  private get known() {
    return { clients: this.clients, keys: this.keys, issuer: this.config.server.issuer };
  }

  /** The redirect URI of the request; administrators are told of other clients that have it. */
  private async noteAddress(ctx: KoaContextWithOIDC): Promise<boolean> {
    if (!noteAddress(ctx)) return false;
    const redirectUri = sentText(ctx, 'redirect_uri') ?? '';
    const owner = await this.clients.otherOwnersOf({ redirectUri }, ctx.oidc.client?.clientId ?? '');
    if (owner !== undefined) note('redirect-uri-of-other-client', { owner });
    return true;
  }

  private noteTokenRequest(ctx: KoaContextWithOIDC): boolean {
    const parameters = tokenParametersIn(Object.keys(sentParameters(ctx))).join(', ');
    if (parameters !== '')
      note('request-for-tokens', { parameters, endpoint: this.config.server.issuer + enginePaths.token });
    return parameters !== '';
  }

  /** A request that had begun, and cannot be continued: the page tells the user the same (`FlowProgress`). */
  private async noteContinued(ctx: KoaContextWithOIDC): Promise<boolean> {
    const id = ctx.path.slice(enginePaths.authorization.length + 1);
    const binding = ctx.cookies.get(cookieNames(this.config.server.issuer).browser, { signed: false });
    const { reason, seconds, launchId, sessionUid } = await endOfRequest(this.records, id, binding);
    identifyLaunch({ id: launchId });
    if (reason === 'expired') note('continued-late', { seconds });
    else if (reason === 'no-cookie') note('continued-without-cookie');
    else if (reason === 'other-browser') note('continued-in-other-browser');
    else if (reason === 'gone') note('continued-after-end');
    else if (reason === 'cut-address')
      note('continued-by-cut-address', { fault: 'the id of the request is not whole' });
    else if (sessionUid !== undefined && sessionUid !== ctx.oidc.session?.uid) note('continued-by-other-person');
    else return false;
    return true;
  }

  private async notePushed(ctx: KoaContextWithOIDC): Promise<boolean> {
    const id = String(sentParameters(ctx).request_uri ?? '').slice(pushedRequest.length);
    const found = await this.records.findPast('PushedAuthorizationRequest', id);
    if (!found) note('par-unknown');
    else if (found.consumedSince !== null) note('par-used');
    else if (found.expiredSince > 0) note('par-expired', { seconds: found.expiredSince });
    else return false;
    return true;
  }

  /** A request without a client that names a pushed request belongs to the launch of this. */
  private async noteNoClient(ctx: KoaContextWithOIDC): Promise<boolean> {
    if (!noteMissing(ctx, 'client_id')) return false;
    const uri = String(sentParameters(ctx).request_uri ?? '');
    const found = isPushedRequest(uri)
      ? await this.records.findPast('PushedAuthorizationRequest', uri.slice(pushedRequest.length))
      : undefined;
    const { launchId: id, clientId } = (found?.payload ?? {}) as { launchId?: string; clientId?: string };
    identifyLaunch({ id, clientId });
    return true;
  }

  /** A request_uri that was issued here but for a damage. */
  private async noteDamagedRequest(ctx: KoaContextWithOIDC): Promise<boolean> {
    const texts = mended(String(sentParameters(ctx).request_uri ?? '')).filter(({ text }) => isPushedRequest(text));
    for (const { text, damage } of texts) {
      if (!(await this.records.findPast('PushedAuthorizationRequest', text.slice(pushedRequest.length)))) continue;
      note('par-damaged', { damage });
      return true;
    }
    return false;
  }

  private noteForeignRequest(): boolean {
    note('request-uri-foreign', { endpoint: this.pushEndpoint });
    return true;
  }

  /** A client that must push its requests, and has not pushed this one. */
  private noteNotPushed({ oidc: { client, entities, route } }: KoaContextWithOIDC): boolean {
    if (!client || route !== 'authorization' || entities.PushedAuthorizationRequest) return false;
    const { settings } = gatehouseClient(client);
    if (!settings.requirePar) return false;
    note(followsProfile(settings) ? 'par-of-profile' : 'par-required', { endpoint: this.pushEndpoint });
    return true;
  }

  private get pushEndpoint(): string {
    return this.config.server.issuer + enginePaths.pushed_authorization_request;
  }
}

function isPushedRequest(text: string): boolean {
  return text.startsWith(pushedRequest) && /^[\w-]+$/.test(text.slice(pushedRequest.length));
}

function noteSilent(error: string): boolean {
  note('silent-impossible', { error });
  return true;
}

function noteTwoRequests(ctx: KoaContextWithOIDC): boolean {
  const { request, request_uri: uri } = sentParameters(ctx);
  if (!request || !uri) return false;
  noteInvalid('request_uri', 'it came together with request');
  return true;
}

function noteUnexpectedObject(): boolean {
  note('object-unexpected');
  return true;
}

function noteUnsigned(ctx: KoaContextWithOIDC): boolean {
  const { client, entities } = ctx.oidc;
  if (!client || entities.PushedAuthorizationRequest || sentParameters(ctx).request) return false;
  const { requireSignedRequestObject } = gatehouseClient(client).settings;
  if (requireSignedRequestObject) note('object-required');
  return requireSignedRequestObject;
}

/** A pushed request is stored as a request object, which names the client that pushed it. */
function notePushedByOther(ctx: KoaContextWithOIDC): boolean {
  const { client, entities } = ctx.oidc;
  const pushedBy = entities.PushedAuthorizationRequest && requestObjectOf(ctx)?.client_id;
  if (typeof pushedBy !== 'string' || !client || pushedBy === client.clientId) return false;
  note('par-of-other-client', { other: pushedBy, clientId: client.clientId });
  return true;
}

function noteRegistration(): boolean {
  note('parameter-unsupported', { parameter: 'registration' });
  return true;
}

function noteResponseType(ctx: KoaContextWithOIDC): boolean {
  note('response-type', { sent: (sentText(ctx, 'response_type') ?? '(none)').slice(0, 60) });
  return true;
}

function noteWithoutUsers({ oidc: { client } }: KoaContextWithOIDC): boolean {
  if (!client || gatehouseClient(client).settings.allowedGrantTypes.includes('authorization_code')) return false;
  note('client-without-users');
  return true;
}

/** The key of a DPoP proof that came with a pushed request (RFC 9449 §10). */
async function noteProofKey(ctx: KoaContextWithOIDC): Promise<boolean> {
  const named = sentText(ctx, 'dpop_jkt');
  const thumbprint = await thumbprintOf(ctx.get('DPoP'));
  if (named === undefined || thumbprint === undefined || named === thumbprint) return false;
  note('dpop-key-differs');
  return true;
}

/** Notes that a parameter is missing which the request needs, or the name that it has instead. */
function noteMissing(ctx: KoaContextWithOIDC, parameter: 'client_id' | 'response_type' | 'redirect_uri'): boolean {
  const { oidc } = ctx;
  if (sentText(ctx, parameter) !== undefined || (parameter === 'client_id') === (oidc.client !== undefined))
    return false;
  const similar = similarName(parameter, unknownNames(oidc.params, sentParameters(ctx)));
  if (similar !== undefined) note('parameter-misnamed', { parameter, similar });
  else if (parameter === 'client_id') note('client-missing');
  else if (parameter === 'response_type') note('response-type-missing');
  else {
    const registered = (oidc.client?.redirectUris ?? []).map(shownAddress).join(', ') || 'none';
    note('redirect-uri-missing', { registered });
  }
  return true;
}

/** The sent names that no parameter has which is read. */
function unknownNames(known: object | undefined, sent: Record<string, unknown>): string[] {
  return Object.keys(sent).filter((name) => name !== 'aud' && !(known && name in known));
}

/** A form is all that the endpoint for pushed requests reads. */
function noteBody(ctx: KoaContextWithOIDC): boolean {
  const type = bodyType(ctx.req);
  const isPushed = ctx.oidc.route === 'pushed_authorization_request';
  const inAddress = Object.keys(ctx.query).filter((name) => plainName.test(name));
  if (isPushed && type !== undefined) note('request-body-type', { type });
  else if (isPushed && inAddress.length > 0) note('request-in-address', { parameters: inAddress.join(', ') });
  else return false;
  return true;
}

function noteAddress(ctx: KoaContextWithOIDC): boolean {
  const { client } = ctx.oidc;
  const address = sentText(ctx, 'redirect_uri') ?? '';
  if (!client || client.redirectUriAllowed(address)) return false;
  if (noteWithoutUsers(ctx)) return true;
  const { applicationType } = gatehouseClient(client).settings;
  const uris = client?.redirectUris ?? [];
  const compared = (uri: string) => (applicationType === 'native' ? withoutLoopbackPort(uri) : uri);
  const registered = nearestAddress(compared(address), uris.map(compared));
  const shown = shownAddress(address);
  const samePlace = uris.find((uri) => withoutLoopbackPort(uri) === withoutLoopbackPort(address));
  const damaged = damagedAddress(address, uris);
  const template = placeholderIn(address);
  const problem = redirectUriProblemOf(applicationType)(address);
  if (damaged) {
    note('redirect-uri-damaged', { sent: shown, nearest: shownAddress(damaged.nearest), damage: damaged.damage });
  } else if (template !== undefined) note('redirect-uri-placeholder', { template: shownAddress(template) });
  else if (applicationType === 'web' && isPrivateUse(address)) note('redirect-uri-of-native-app', { sent: shown });
  else if (samePlace !== undefined)
    note('redirect-uri-loopback-port', { sent: shown, nearest: shownAddress(samePlace) });
  else if (!registered) note('redirect-uris-none', { sent: shown });
  else {
    const detail = { sent: shown, nearest: shownAddress(registered.nearest), difference: registered.difference };
    if (problem) note('redirect-uri-unfit', { ...detail, problem: unfitPart(address) ?? inEnglish(problem) });
    else if (shown !== address) note('redirect-uri-query', detail);
    else note('redirect-uri-unregistered', detail);
  }
  return true;
}

/** What no redirect URI may have, in a clause; undefined where the rule for the client's own form says it. */
function unfitPart(address: string): string | undefined {
  if (address.includes('#')) return 'a redirect URI has no fragment (RFC 6749 §3.1.2)';
  if (address.includes('*')) return 'a redirect URI has no wildcard, as it is compared as text (RFC 9700 §4.1.3)';
  if (!URL.canParse(address)) return 'it is not an absolute address';
  const { protocol, username, password } = new URL(address);
  if (protocol === 'urn:') return 'a urn is no address to which a browser can be sent';
  return username + password === '' ? undefined : 'a redirect URI has no user name and no password';
}
