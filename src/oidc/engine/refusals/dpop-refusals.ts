import { decodeJwt } from 'jose';
import type { errors, KoaContextWithOIDC } from 'oidc-provider';
import { note } from '../../../platform/activity/launch-notes.js';
import { furthestAheadSeconds, proofSeconds } from '../clients/security-profile.js';
import { nowSeconds } from '../shared/lifetimes.js';
import { grantOf } from '../shared/token-grants.js';

/** Notes a fault of the DPoP proof (RFC 9449 §4.3); false if the refusal has nothing to do with it. */
export function noteDpopRefusal(ctx: KoaContextWithOIDC, error: errors.OIDCProviderError): boolean {
  const detail = error.error_detail ?? '';
  const what = grantOf(ctx)?.presents?.name ?? 'code';
  if (error.message === 'use_dpop_nonce') note('proof-nonce');
  else if (error.message === 'invalid_dpop_proof') noteProof(ctx, error.error_description ?? '');
  else if (/DPoP proof JWT Replay/.test(detail)) note('dpop-replayed');
  else if (/DPoP proof JWT not provided|missing DPoP proof/.test(detail)) note('dpop-missing');
  else if (detail === 'failed jkt verification' && !ctx.get('DPoP')) note('dpop-missing');
  else if (/failed jkt verification|does not match dpop_jkt/.test(detail)) note('dpop-key', { what });
  else return false;
  return true;
}

function noteProof(ctx: KoaContextWithOIDC, description: string): void {
  const { iat, htm, htu } = claimsOf(ctx.get('DPoP'));
  const ahead = Number(iat) - nowSeconds();
  if (/not recent enough/.test(description)) {
    const direction = ahead > 0 ? 'in the future' : 'old';
    note('dpop-time', { seconds: Math.abs(ahead), direction, allowed: proofSeconds });
  } else if (/created in the future/.test(description)) {
    note('dpop-time', { seconds: ahead, direction: 'in the future', allowed: furthestAheadSeconds });
  } else if (/htm mismatch/.test(description)) {
    note('dpop-target', { claim: 'htm', sent: printedClaim(htm), expected: ctx.method });
  } else if (/htu mismatch/.test(description)) {
    const expected = ctx.oidc.urlFor(ctx.oidc.route);
    note('dpop-target', { claim: 'htu', sent: printedClaim(htu).split(/[?#]/, 1)[0] ?? '', expected });
  } else {
    note('dpop-unreadable', { reason: description });
  }
}

function claimsOf(proof: string): Record<string, unknown> {
  try {
    return decodeJwt(proof);
  } catch {
    return {};
  }
}

function printedClaim(claim: unknown): string {
  return typeof claim === 'string' ? claim : 'missing';
}
