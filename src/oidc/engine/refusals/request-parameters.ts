import type { Client, KoaContextWithOIDC } from 'oidc-provider';
import { describedCharacter } from '../../../contract/rules/damage.js';
import { note } from '../../../platform/activity/launch-notes.js';
import { isNestedTooDeeply } from '../../../platform/values/json.js';
import { promptValues } from '../authorization/prompts.js';
import { modesFor } from '../authorization/response-modes.js';
import { isPublic } from '../clients/client-authentication.js';
import { requestObjectOf, sentParameters, unstorable } from '../clients/request-objects.js';
import { followsProfile } from '../clients/security-profile.js';
import { scopeSyntax } from '../grants/client-credentials.js';
import { gatehouseClient } from '../shared/engine-models.js';
import { jwtFault, jwtParts } from './presented-credentials.js';

/**
 * Values of single parameters of an authorization request. Each function checks one part of it by the rule of the
 * engine, and returns true if it noted the fault of that part.
 */
type Values = KoaContextWithOIDC;

/** Parameters that need the scope openid, in the order of the engine. */
const ofOpenid = ['acr_values', 'claims', 'claims_locales', 'id_token_hint', 'max_age', 'nonce'];

/** A parameter as it was sent: in the request object, if there is one; undefined without a value. */
export function sentText(ctx: Values, name: string): string | undefined {
  const value = (requestObjectOf(ctx) ?? sentParameters(ctx))[name];
  return value === undefined || value === '' ? undefined : String(value);
}

export function noteRepeated(ctx: Values): boolean {
  const known = { ...ctx.oidc.params, aud: undefined };
  const sent = { ...requestObjectOf(ctx), ...sentParameters(ctx) };
  const repeated = Object.keys(known).filter((name) => name !== 'resource' && Array.isArray(sent[name]));
  // The aud of a request object may be a list.
  const names = repeated.filter((name) => name !== 'aud' || Array.isArray(sentParameters(ctx).aud));
  if (names.length > 0) note('parameter-repeated', { parameters: names.join(', ') });
  return names.length > 0;
}

export function noteResponseMode(ctx: Values): boolean {
  const sent = sentText(ctx, 'response_mode');
  const supported = modesFor(ctx.oidc.client);
  if (sent === undefined || supported.includes(sent)) return false;
  note('response-mode', { sent: sent.slice(0, 60), supported: supported.join(', ') });
  return true;
}

export function notePrompt(ctx: Values): boolean {
  const sent = sentText(ctx, 'prompt');
  if (sent === undefined) return false;
  const prompts = sent.split(' ');
  const shown = `it is ${sent.slice(0, 60)}`;
  if (prompts.some((one) => !promptValues.includes(one))) {
    const supported = promptValues.join(', ');
    noteInvalid('prompt', `${shown}; supported are ${supported}, with a space between several`);
  } else if (new Set(prompts).size > 1 && prompts.includes('none')) {
    noteInvalid('prompt', `${shown}, and none has to stand alone`);
  } else return false;
  return true;
}

export function noteOpenid(ctx: Values): boolean {
  const parameter = ofOpenid.find((name) => sentText(ctx, name) !== undefined);
  if (parameter === undefined || sentText(ctx, 'scope')?.split(' ').includes('openid')) return false;
  note('openid-missing', { parameter });
  return true;
}

/** In the order of the engine (RFC 7636 §4.2, §4.3). */
export function notePkce({ oidc: { client, params = {} } }: Values): boolean {
  const challenge = textOf(params.code_challenge);
  const method = textOf(params.code_challenge_method);
  if (challenge === undefined && method === undefined) return noteNoPkce(client);
  if (method === undefined) note('pkce-method-missing');
  else if (method !== 'S256') note(method === 'plain' ? 'pkce-plain' : 'pkce-method', { sent: method.slice(0, 60) });
  else if (challenge === undefined) note('pkce-challenge-missing');
  else if (challenge.length < 43 || challenge.length > 128) note('pkce-challenge-length', { length: challenge.length });
  else if (/[^\w.~-]/.test(challenge)) note('pkce-challenge-characters');
  else return false;
  return true;
}

function noteNoPkce(client: Client | undefined): boolean {
  if (!client) return false;
  const { settings } = gatehouseClient(client);
  if (isPublic(client)) note('pkce-public');
  else if (followsProfile(settings)) note('pkce-of-profile');
  else if (settings.requirePkce) note('pkce-missing');
  else return false;
  return true;
}

export function noteClaims({ oidc: { params } }: Values): boolean {
  const sent = textOf(params?.claims);
  const reason = sent === undefined ? undefined : claimsFault(sent);
  if (reason !== undefined) noteInvalid('claims', reason);
  return reason !== undefined;
}

function claimsFault(text: string): string | undefined {
  let claims: unknown;
  try {
    claims = JSON.parse(text);
  } catch {
    return 'it is not JSON';
  }
  if (!isObject(claims)) return 'it is JSON, and no object';
  const parts = ['userinfo', 'id_token'].filter((name) => claims[name] !== undefined);
  if (parts.length === 0) return 'it has neither userinfo nor id_token';
  const wrong = parts.find((name) => !isObject(claims[name]));
  if (wrong !== undefined) return `its ${wrong} is not an object`;
  const isStorable = !isNestedTooDeeply(claims) && !unstorable.test(JSON.stringify(claims));
  return isStorable ? undefined : 'it is nested too deeply or has characters that cannot be stored';
}

export function noteMaxAge({ oidc: { params } }: Values): boolean {
  const sent = textOf(params?.max_age);
  if (sent === undefined) return false;
  const seconds = Number(sent);
  if (Number.isSafeInteger(seconds) && seconds >= 0) return false;
  noteInvalid('max_age', `it is ${sent.slice(0, 60)}, and has to be a whole number of seconds, such as 300`);
  return true;
}

/** An ID token that the engine's own check does not accept is compared part by part. */
export async function noteIdTokenHint({ oidc: { params, client, provider } }: Values): Promise<boolean> {
  const hint = textOf(params?.id_token_hint);
  if (hint === undefined || !client || (await isIdToken(provider, hint, client))) return false;
  const fault = hintFault(hint, client.clientId, provider.issuer);
  noteInvalid('id_token_hint', `it is not an id_token that this portal signed for the client: ${fault}`);
  return true;
}

/** The engine's own check of an id_token that it gets back. */
export function isIdToken(provider: object, hint: string, client: Client): Promise<boolean> {
  const { IdToken } = provider as { IdToken: { validate(jwt: string, client: Client): Promise<object> } };
  return IdToken.validate(hint, client).then(
    () => true,
    () => false,
  );
}

function hintFault(hint: string, clientId: string, issuer: string): string {
  const parts = jwtParts(hint);
  if (!parts) return jwtFault(hint);
  const { iss, aud } = parts.claims;
  if (iss !== issuer) return `it names the issuer ${shownClaim(iss)}, and not this portal`;
  if (![aud].flat().includes(clientId)) return `it names the client ${shownClaim(aud)}`;
  if (parts.typ !== undefined && parts.typ !== 'JWT') return `it is a JWT of the type ${parts.typ}, and no id_token`;
  return 'it is not as this portal signed an id_token';
}

/** The first character of a scope parameter that RFC 6749 §3.3 does not allow, in a clause. */
export function scopeFault(scope: string): string {
  if (scope.startsWith(' ')) return 'it begins with a space';
  if (scope.endsWith(' ')) return 'it ends with a space';
  if (scope.includes('  ')) return 'it has two spaces one after the other';
  const [strange] = /[^ !#-[\]-~]/u.exec(scope) ?? [];
  if (strange === undefined) return 'it is empty';
  return `it has ${describedCharacter(strange)} in it`;
}

export function noteScope(ctx: Values): boolean {
  const sent = sentText(ctx, 'scope');
  if (sent === undefined) note('scopes-missing');
  else if (!scopeSyntax.test(sent)) note('scopes-malformed', { fault: scopeFault(sent) });
  else return false;
  return true;
}

export function noteInvalid(parameter: string, reason: string): void {
  note('parameter-invalid', { parameter, reason });
}

/** A parameter that was sent with a value. */
function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shownClaim(claim: unknown): string {
  return typeof claim === 'string' ? claim.slice(0, 60) : '(none)';
}
