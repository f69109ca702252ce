import { Injectable } from '@nestjs/common';
import { errors, type KoaContextWithOIDC } from 'oidc-provider';
import { RegisteredClients } from '../../../clients/application/registered-clients.js';
import { placeholderIn } from '../../../contract/rules/damage.js';
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
import { promptValues } from '../authorization/prompts.js';
import { modesFor } from '../authorization/response-modes.js';
import { passkeysAreOff } from '../authorization/two-factor-prompt.js';
import { isPublic } from '../clients/client-authentication.js';
import { claimsNotStorable, sentParameters } from '../clients/request-objects.js';
import { followsProfile } from '../clients/security-profile.js';
import { gatehouseClient } from '../shared/engine-models.js';
import { bodyType } from '../shared/request-text.js';
import { noteObjectRefusal } from './object-refusals.js';
import { VerificationKeys } from './verification-keys.js';

type Refused = errors.OIDCProviderError;

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

  /** False if the cause is not one of the catalogue, or could not be found out. */
  async note(ctx: KoaContextWithOIDC, error: Refused): Promise<boolean> {
    try {
      const description = error.error_description ?? '';
      if (error instanceof errors.SessionNotFound) return await this.noteContinued(ctx);
      if (this.noteTokenRequest(ctx) || noteBody(ctx)) return true;
      // A pushed request authenticates its client, which another class explains.
      if (error.message === 'invalid_client') {
        return (
          ctx.oidc.route === 'authorization' && (await this.noteClient(String(sentParameters(ctx).client_id ?? '')))
        );
      }
      if (/^(request_uri is invalid|invalid request_uri)/.test(description)) return await this.notePushed(ctx);
      return (
        noteMissing(description, ctx) ||
        (await this.noteAddress(error, ctx)) ||
        notePkce(description, ctx) ||
        this.notePolicy(error, ctx) ||
        noteScopeParameter(description, ctx) ||
        (await noteObjectRefusal(
          { ctx, error },
          { clients: this.clients, keys: this.keys, issuer: this.config.server.issuer },
        )) ||
        noteParameter(error, ctx)
      );
    } catch (err) {
      log.warn({ err }, 'cause lookup for a refused authorization request failed');
      return false;
    }
  }

  /** Notes why a client id is none of an enabled client. The same lookup for an unknown client and a disabled one. */
  async noteClient(clientId: string): Promise<boolean> {
    const { isDisabled, nearest, damage } = await this.clients.resembling(clientId);
    const template = placeholderIn(clientId);
    if (isDisabled) note('client-disabled', { clientId });
    else if (nearest !== undefined && damage !== undefined) note('client-damaged', { clientId, nearest, damage });
    else if (template !== undefined) note('client-placeholder', { template });
    else if (nearest === undefined) note('client-unknown', { clientId });
    else note('client-misspelled', { clientId, nearest });
    return true;
  }

  /** The redirect URI of the request; administrators are told of other clients that have it. */
  private async noteAddress(error: Refused, ctx: KoaContextWithOIDC): Promise<boolean> {
    if (!noteAddress(error, ctx)) return false;
    const redirectUri = String(ctx.oidc.params?.redirect_uri ?? sentParameters(ctx).redirect_uri ?? '');
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
    const { reason, seconds, launchId, accountId } = await endOfRequest(this.records, id, binding);
    identifyLaunch({ id: launchId });
    if (reason === 'expired') note('continued-late', { seconds });
    else if (reason === 'no-cookie') note('continued-without-cookie');
    else if (reason === 'other-browser') note('continued-in-other-browser');
    else if (reason === 'gone') note('continued-after-end');
    else if (accountId !== ctx.oidc.session?.accountId) note('continued-by-other-person');
    else return false;
    return true;
  }

  private async notePushed(ctx: KoaContextWithOIDC): Promise<boolean> {
    const id = String(sentParameters(ctx).request_uri ?? '').slice(pushedRequest.length);
    const found = await this.records.findPast('PushedAuthorizationRequest', id);
    if (!found) note('par-unknown');
    else if (found.consumedSince !== null) note('par-used');
    else note('par-expired', { seconds: found.expiredSince });
    return true;
  }

  private notePolicy({ error_description: description = '', message }: Refused, ctx: KoaContextWithOIDC): boolean {
    const endpoint = this.config.server.issuer + enginePaths.pushed_authorization_request;
    const isOfProfile = ctx.oidc.client !== undefined && followsProfile(gatehouseClient(ctx.oidc.client).settings);
    if (description === 'Pushed Authorization Request must be used') {
      note(isOfProfile ? 'par-of-profile' : 'par-required', { endpoint });
    } else if (message === 'request_uri_not_supported') note('request-uri-foreign', { endpoint });
    else if (pageNeeded.includes(message)) note('silent-impossible', { error: message });
    else if (message === 'unmet_authentication_requirements') {
      note(description === passkeysAreOff ? 'passkeys-off' : 'acr-not-reached');
    } else if (/^DPoP proof key thumbprint does not match/.test(description)) note('dpop-key-differs');
    else if (description === 'requested response_type is not allowed for this client') note('client-without-users');
    else if (message === 'unsupported_response_type') note('response-type', { sent: sent(ctx, 'response_type') });
    else if (message === 'unsupported_response_mode' || /^requested response_mode/.test(description)) {
      note('response-mode', { sent: sent(ctx, 'response_mode'), supported: modesFor(ctx.oidc.client).join(', ') });
    } else return false;
    return true;
  }
}

/** A parameter as it was sent in the URL or the body. */
function sent(ctx: KoaContextWithOIDC, name: string): string {
  const value = sentParameters(ctx)[name] ?? ctx.oidc.params?.[name];
  return typeof value === 'string' ? value.slice(0, 60) : '(signed)';
}

function noteMissing(description: string, ctx: KoaContextWithOIDC): boolean {
  const { oidc } = ctx;
  if (!description.startsWith('missing required parameter')) return false;
  const missing = ['client_id', 'response_type', 'redirect_uri'].find((name) => description.includes(`'${name}'`));
  const similar = missing && similarName(missing, unknownNames(oidc.params, sentParameters(ctx)));
  if (missing !== undefined && similar !== undefined) {
    note('parameter-misnamed', { parameter: missing, similar });
    return true;
  }
  if (description.includes("'client_id'")) note('client-missing');
  else if (description.includes("'response_type'")) note('response-type-missing');
  else if (description.includes("'redirect_uri'")) {
    note('redirect-uri-missing', { registered: (oidc.client?.redirectUris ?? []).map(shownAddress).join(', ') });
  } else return false;
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

function noteAddress({ error_description: description = '' }: Refused, ctx: KoaContextWithOIDC): boolean {
  if (!description.startsWith('redirect_uri did not match')) return false;
  const { client, params } = ctx.oidc;
  if (!gatehouseClient(client).settings.allowedGrantTypes.includes('authorization_code')) {
    note('client-without-users');
    return true;
  }
  const address = String(params?.redirect_uri ?? sentParameters(ctx).redirect_uri ?? '');
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
    if (problem) note('redirect-uri-unfit', { ...detail, problem: inEnglish(problem) });
    else if (shown !== address) note('redirect-uri-query', detail);
    else note('redirect-uri-unregistered', detail);
  }
  return true;
}

/**
 * Decided by the values of the request, in the order of the engine (RFC 7636 §4.2, §4.3). Its sentence only says that
 * this check was the last one.
 */
function notePkce(description: string, ctx: KoaContextWithOIDC): boolean {
  if (!/code_challenge|PKCE/.test(description)) return false;
  const { client, params = {} } = ctx.oidc;
  const challenge = textOf(params.code_challenge);
  const method = textOf(params.code_challenge_method);
  if (challenge === undefined && method === undefined) {
    const isOfProfile = client !== undefined && followsProfile(gatehouseClient(client).settings);
    note(client && isPublic(client) ? 'pkce-public' : isOfProfile ? 'pkce-of-profile' : 'pkce-missing');
  } else if (method === undefined) note('pkce-method-missing');
  else if (method !== 'S256') note(method === 'plain' ? 'pkce-plain' : 'pkce-method', { sent: method.slice(0, 60) });
  else if (challenge === undefined) note('pkce-challenge-missing');
  else if (challenge.length < 43 || challenge.length > 128) note('pkce-challenge-length', { length: challenge.length });
  else if (/[^\w.~-]/.test(challenge)) note('pkce-challenge-characters');
  else return false;
  return true;
}

/** A parameter that was sent with a value. */
function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function noteScopeParameter(description: string, ctx: KoaContextWithOIDC): boolean {
  const parameter = /^openid scope must be requested when using the (\w+) parameter$/.exec(description)?.[1];
  if (parameter !== undefined) note('openid-missing', { parameter });
  else if (description === 'scope contains invalid characters') {
    note('scopes-malformed', { fault: scopeFault(String(sentParameters(ctx).scope ?? ctx.oidc.params?.scope ?? '')) });
  } else if (description === 'No scopes found in request') note('scopes-missing');
  else return false;
  return true;
}

/** The first character of a scope parameter that RFC 6749 §3.3 does not allow, in a clause. */
export function scopeFault(scope: string): string {
  if (scope.startsWith(' ')) return 'it begins with a space';
  if (scope.endsWith(' ')) return 'it ends with a space';
  if (scope.includes('  ')) return 'it has two spaces one after the other';
  const [strange] = /[^ !#-[\]-~]/u.exec(scope) ?? [];
  if (strange === undefined) return 'it is empty';
  const names: Readonly<Record<string, string>> = { '\n': 'a line break', '\r': 'a line break', '\t': 'a tab' };
  const code = `U+${(strange.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
  return `it has ${names[strange] ?? (/[ -~]/.test(strange) ? strange : `the character ${code}`)} in it`;
}

/** The reason why a parameter is refused, in a clause; `sent` is its value as far as it may be kept. */
type Reason = (sent: string) => string;
const words: Reason = (sent) => `it is ${sent === '' ? 'empty' : sent}`;

/** The engine's sentences about a single parameter: a sentence that is not here is told as it is. */
const invalidParameters: ReadonlyMap<string, [parameter: string, reason: Reason]> = new Map<string, [string, Reason]>([
  [
    'unsupported prompt value requested',
    ['prompt', (sent) => `${words(sent)}; supported are ${promptValues.join(', ')}, with a space between several`],
  ],
  ['prompt none must only be used alone', ['prompt', (sent) => `${words(sent)}, and none has to stand alone`]],
  [
    'invalid max_age parameter value',
    ['max_age', (sent) => `${words(sent)}, and has to be a whole number of seconds, such as 300`],
  ],
  ['could not parse the claims parameter JSON', ['claims', () => 'it is not JSON']],
  ['claims parameter should be a JSON object', ['claims', () => 'it is JSON, and no object']],
  [
    'claims parameter should have userinfo or id_token properties',
    ['claims', () => 'it has neither userinfo nor id_token'],
  ],
  ['claims.id_token should be an object', ['claims', () => 'its id_token is not an object']],
  ['claims.userinfo should be an object', ['claims', () => 'its userinfo is not an object']],
  [claimsNotStorable, ['claims', () => 'it is nested too deeply or has characters that cannot be stored']],
  [
    'could not validate id_token_hint',
    ['id_token_hint', () => 'it is not an id_token that this portal signed for the client'],
  ],
  [
    'request and request_uri parameters MUST NOT be used together',
    ['request_uri', () => 'it came together with request'],
  ],
]);

function noteParameter({ error_description: description = '', message }: Refused, ctx: KoaContextWithOIDC): boolean {
  const repeated = /^(.+) parameters? must not be provided twice$/.exec(description)?.[1];
  const [parameter, reason] = invalidParameters.get(description) ?? [];
  if (repeated !== undefined) note('parameter-repeated', { parameters: repeated.replaceAll("'", '') });
  else if (description === 'aud must not be provided twice') note('parameter-repeated', { parameters: 'aud' });
  else if (message === 'registration_not_supported') note('parameter-unsupported', { parameter: 'registration' });
  else if (message !== 'invalid_request') return false;
  else if (parameter !== undefined && reason) {
    note('parameter-invalid', { parameter, reason: reason(sent(ctx, parameter)) });
  } else if (description.startsWith('dpop_jkt ')) {
    const length = String(ctx.oidc.params?.dpop_jkt ?? '').length;
    note('parameter-invalid', {
      parameter: 'dpop_jkt',
      reason: `it is not a SHA-256 thumbprint in base64url, which has 43 characters; its length is ${length}`,
    });
  } else return false;
  return true;
}
