import { decodeJwt } from 'jose';
import type { errors, KoaContextWithOIDC } from 'oidc-provider';
import { note } from '../../../platform/activity/launch-notes.js';
import { shownAddress, textDifference } from '../../domain/address-difference.js';
import type { ReplayState } from '../clients/client-authentication.js';
import { followsProfile, furthestAheadSeconds, profileFault, proofSeconds } from '../clients/security-profile.js';
import { gatehouseClient } from '../shared/engine-models.js';
import { nowSeconds } from '../shared/lifetimes.js';
import { grantOf } from '../shared/token-grants.js';
import { proofFault } from '../tokens/proof-faults.js';

/** The engine's sentences for a request that needs a proof by a certain key. */
const needsProof: ReadonlySet<string> = new Set([
  'DPoP proof JWT not provided',
  'missing DPoP proof JWT',
  'failed jkt verification',
  'DPoP proof key thumbprint does not match dpop_jkt',
]);

/** Notes a fault of the DPoP proof (RFC 9449 §4.3); false if the refusal has nothing to do with it. */
export async function noteDpopRefusal(ctx: KoaContextWithOIDC, error: errors.OIDCProviderError): Promise<boolean> {
  const detail = error.error_detail ?? '';
  const proof = ctx.get('DPoP');
  const { replayed } = ctx.state as ReplayState;
  const what = grantOf(ctx)?.presents?.name ?? 'code';
  if (error.message === 'use_dpop_nonce') note('proof-nonce');
  else if (error.message === 'invalid_dpop_proof') await noteProof(ctx, proof);
  else if (proof !== '' && replayed !== undefined && replayed === claimsOf(proof).jti) note('dpop-replayed');
  else if (needsProof.has(detail) && proof === '') noteMissing(ctx);
  else if (needsProof.has(detail)) note('dpop-key', { what });
  else return false;
  return true;
}

function noteMissing({ oidc: { client, body } }: KoaContextWithOIDC): void {
  const isInBody = Object.keys(body ?? {}).some((name) => name.toLowerCase() === 'dpop');
  const found = isInBody ? 'It is in the body, and belongs into the header DPoP.' : '';
  const { settings } = client ? gatehouseClient(client) : {};
  if (settings && followsProfile(settings)) note('dpop-of-profile');
  else if (settings && !settings.requireDpop) note('dpop-of-bound');
  else note('dpop-missing', { found });
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
