import { parse, stringify } from 'node:querystring';
import { calculateJwkThumbprint, decodeProtectedHeader, type JWK } from 'jose';
import Provider, { type KoaContextWithOIDC, type RefreshToken } from 'oidc-provider';
import { permittedText } from '../../../contract/rules/scopes/taken-back.js';
import type { OidcRecords } from '../../../oidc-store/infrastructure/oidc-records.js';
import type { RefreshAnswers } from '../../../oidc-store/infrastructure/refresh-answers.js';
import type { Revocations } from '../../../oidc-store/infrastructure/revocations.js';
import { authenticationMethod } from '../clients/client-authentication.js';
import { LateDuplicate } from '../shared/late-duplicate.js';
import { narrow } from './narrowed-scopes.js';
import { whileSessionLives } from './session-binding.js';

/** Key under which the request's middleware finds the response to repeat. */
interface RefreshState {
  repeated?: object;
}

/**
 * A used refresh token that is presented again within 30 seconds, by the same client with the same request, gets the
 * same response: the first one was lost, or the client sent two requests at once. A request that was complete before the new
 * token was used is refused. Otherwise the engine treats the token as stolen and revokes the grant. The lookup locks the row, so that of parallel requests the later ones find the first
 * one's response.
 */
export function installRefresh(provider: Provider, answers: RefreshAnswers, revocations: Revocations): void {
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
        const { answer, isLate } = await answers.find(token, await requestOf(ctx));
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
export async function completeRefresh(ctx: KoaContextWithOIDC, answers: RefreshAnswers): Promise<void> {
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
