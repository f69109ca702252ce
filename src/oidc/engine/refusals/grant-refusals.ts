import { Injectable } from '@nestjs/common';
import type { errors, KoaContextWithOIDC } from 'oidc-provider';
import { describeEnd } from '../../../contract/activity/end-causes.js';
import { grantTypes, tokenGrantTypesOf } from '../../../contract/rules/clients/client-values.js';
import type { PresentedRecord } from '../../../oidc-store/infrastructure/presented-records.js';
import { note } from '../../../platform/activity/launch-notes.js';
import { shownScope } from '../../domain/scope-explanation.js';
import { gatehouseClient } from '../shared/engine-models.js';
import { LateDuplicate } from '../shared/late-duplicate.js';
import { PausedByUser } from '../tokens/paused-apps.js';
import { noteOtherResource } from '../tokens/refresh-scopes.js';

const malformedVerifier = /^code_verifier (must be a string|contains invalid)/;

/** The known facts about a refused token request of a client that has authenticated. */
interface Refused {
  ctx: KoaContextWithOIDC;
  error: errors.OIDCProviderError;
  /** The stored code or refresh token that it presented. */
  found: PresentedRecord | undefined;
}

/** Notes why a code or refresh token gave no tokens, and other faults of token requests. */
@Injectable()
export class GrantRefusals {
  /** False if the cause is none of those that are distinguished. */
  note(refused: Refused): boolean {
    const { error, ctx } = refused;
    const description = error.error_description ?? '';
    if (/parameters? .*(not be provided twice)$|^missing required parameter/.test(description)) {
      note('token-parameters', { description });
    } else if (error.message === 'unsupported_grant_type' || /grant type is not allowed/.test(description)) {
      noteGrantType(ctx);
    } else if (malformedVerifier.test(description)) {
      note('code-verifier-malformed', { length: String(ctx.oidc.params?.code_verifier ?? '').length });
    } else if (error instanceof PausedByUser) {
      note('token-app-paused');
    } else if (error.message === 'invalid_target') {
      return noteResource(ctx);
    } else if (error.message === 'invalid_scope') {
      noteScope(refused);
    } else if (error.message === 'invalid_grant') {
      return ctx.oidc.params?.grant_type === 'refresh_token' ? noteRefresh(refused) : noteCode(refused);
    } else {
      return false;
    }
    return true;
  }
}

function noteGrantType({ oidc }: KoaContextWithOIDC): void {
  const { client, params } = oidc;
  const registered = client ? gatehouseClient(client).settings.allowedGrantTypes : grantTypes;
  note('token-grant-type', {
    used: String(params?.grant_type),
    registered: tokenGrantTypesOf(registered).join(', '),
  });
}

function noteResource({ oidc: { params, entities } }: KoaContextWithOIDC): boolean {
  const granted = entities.AuthorizationCode?.resource;
  if (granted !== undefined) noteOtherResource(params?.resource, granted);
  return granted !== undefined;
}

function noteScope({ ctx, error }: Refused): void {
  const { scope: missing, error_description: description = '' } = error as {
    scope?: string;
    error_description?: string;
  };
  if (ctx.oidc.params?.grant_type === 'refresh_token') note('refresh-scope', { scope: missing ?? '' });
  else note('token-scope', { description, scope: shownScope(missing || String(ctx.oidc.params?.scope ?? 'no scope')) });
}

function noteCode({ ctx, error, found }: Refused): boolean {
  const detail = error.error_detail ?? '';
  const { code_verifier: verifier, redirect_uri: sent } = ctx.oidc.params ?? {};
  const { clientId = '' } = ctx.oidc.client ?? {};
  if (error instanceof LateDuplicate) note('code-late');
  else if (/already consumed/.test(detail)) noteUsed('code-used');
  else if (detail === 'client mismatch') note('code-of-other-client', { other: found?.clientId ?? '', clientId });
  else if (/not found|is expired/.test(detail)) noteGone('authorization code', detail, found, clientId);
  else if (detail === 'code_verifier must be provided') note('code-verifier-missing');
  else if (verifier !== undefined && found?.hasChallenge === false) note('code-verifier-unexpected');
  else if (/code_verifier does not match/.test(detail)) note('code-verifier-wrong');
  else if (/redirect_uri mismatch/.test(detail)) {
    note('code-redirect-uri', {
      sent: withoutValues(String(sent)),
      expected: withoutValues(found?.redirectUri ?? ''),
    });
  } else return false;
  return true;
}

function noteRefresh({ ctx, error, found }: Refused): boolean {
  const detail = error.error_detail ?? '';
  const { clientId = '' } = ctx.oidc.client ?? {};
  if (error instanceof LateDuplicate) note('refresh-token-late');
  else if (/already used/.test(detail)) noteUsed('refresh-token-used');
  else if (detail === 'client mismatch') note('refresh-token-of-other-client', { clientId });
  else if (/not found|is expired/.test(detail)) noteGone('refresh token', detail, found, clientId);
  else return false;
  return true;
}

function noteUsed(code: 'code-used' | 'refresh-token-used'): void {
  note(code, { ended: 'the access that it gave was ended' });
}

/** The engine does not find what has expired or ended: the stored record distinguishes these. */
function noteGone(
  what: 'authorization code' | 'refresh token',
  detail: string,
  found: PresentedRecord | undefined,
  clientId: string,
): void {
  const isCode = what === 'authorization code';
  const seconds = Math.round(found?.expiredSince ?? 0);
  if (found?.endedBy && found.endedAt && isTold(found, clientId)) {
    note('access-had-ended', { what, ...describeEnd({ by: found.endedBy, at: found.endedAt }) });
  } else if (detail.startsWith('grant')) note('grant-ended', { what });
  else if (!found) note(isCode ? 'code-unknown' : 'refresh-token-unknown');
  else if (found.clientId !== clientId && isCode) {
    note('code-of-other-client', { other: found.clientId ?? '', clientId });
  } else if (found.clientId !== clientId) note('refresh-token-of-other-client', { clientId });
  else if (isCode && found.isConsumed) noteUsed('code-used');
  else if (seconds < 0) note('grant-ended', { what });
  else if (isCode) note('code-expired', { seconds, lifetime: Math.round(found.lifetime) });
  else note('refresh-token-expired', { seconds });
}

/** The end is told to its client alone, and where it came before the use that {@link noteUsed} tells and before the token's own end. */
function isTold({ clientId: owner, endedBy, isConsumed }: PresentedRecord, clientId: string): boolean {
  return owner === clientId && endedBy !== 'ended-by-expiry' && !(isConsumed && endedBy === 'ended-by-reuse');
}

/** An address without the values of its query, which may be secrets of the app. */
function withoutValues(uri: string): string {
  const [address = '', query] = uri.split('#', 1)[0]?.split(/\?(.*)/s) ?? [];
  const names = query?.replace(/=[^&]*/g, '=…');
  return names === undefined ? address : `${address}?${names}`;
}
