import { calculateJwkThumbprint, decodeJwt, decodeProtectedHeader, type JWK } from 'jose';
import type { errors, KoaContextWithOIDC } from 'oidc-provider';
import { note } from '../../../platform/activity/launch-notes.js';
import { shownAddress, textDifference } from '../../domain/address-difference.js';
import type { ReplayState } from '../clients/client-authentication.js';
import { furthestAheadSeconds, profileFault, proofSeconds } from '../clients/security-profile.js';
import { nowSeconds } from '../shared/lifetimes.js';
import { proofFault } from '../tokens/proof-faults.js';

/** Notes a proof that does not hold (RFC 9449 §4.3), or needs a nonce; false if the refusal is about something else. */
export async function noteProofRefusal(ctx: KoaContextWithOIDC, error: errors.OIDCProviderError): Promise<boolean> {
  if (error.message === 'use_dpop_nonce') note('proof-nonce');
  else if (error.message === 'invalid_dpop_proof') await noteProof(ctx, ctx.get('DPoP'));
  else return false;
  return true;
}

/** Notes a proof that was used before. */
export function noteReplayedProof(ctx: KoaContextWithOIDC): boolean {
  const { replayed } = ctx.state as ReplayState;
  const isReplayed = replayed !== undefined && replayed === claimsOf(ctx.get('DPoP')).jti;
  if (isReplayed) note('dpop-replayed');
  return isReplayed;
}

export async function thumbprintOf(proof: string): Promise<string | undefined> {
  try {
    return await calculateJwkThumbprint(decodeProtectedHeader(proof).jwk as JWK);
  } catch {
    return undefined;
  }
}

async function noteProof(ctx: KoaContextWithOIDC, proof: string): Promise<void> {
  const url = ctx.oidc.urlFor(ctx.oidc.route);
  const fault = await proofFault(proof, { method: ctx.method, url });
  const { iat, htm, htu, nbf } = claimsOf(proof);
  const ahead = Number(iat) - nowSeconds();
  const isAhead = ctx.oidc.client && profileFault(ctx.oidc.client, { iat, nbf }, { alg: 'PS256' }) !== undefined;
  if (!fault) {
    return isAhead
      ? note('dpop-time', { seconds: ahead, direction: 'in the future', allowed: furthestAheadSeconds })
      : note('dpop-unreadable', { reason: 'no check that is known here explains it' });
  }
  switch (fault.part) {
    case 'type':
      return note('dpop-type', { reason: fault.reason });
    case 'unit':
      return note('dpop-unit', { reason: fault.reason });
    case 'time':
      return note('dpop-time', {
        seconds: Math.abs(ahead),
        direction: ahead > 0 ? 'in the future' : 'old',
        allowed: proofSeconds,
      });
    case 'htm':
      return note('dpop-target', {
        claim: 'htm',
        sent: printedClaim(htm),
        expected: ctx.method,
        difference: textDifference(printedClaim(htm), ctx.method),
      });
    case 'htu': {
      const sent = shownAddress(printedClaim(htu).split(/[?#]/, 1)[0] ?? '');
      return note('dpop-target', { claim: 'htu', sent, expected: url, difference: textDifference(sent, url) });
    }
    default:
      return note('dpop-unreadable', { reason: fault.reason });
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
