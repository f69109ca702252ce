import { decodeJwt, decodeProtectedHeader } from 'jose';
import type Provider from 'oidc-provider';
import { errors } from 'oidc-provider';
import type { ClientSettings } from '../../../contract/clients/client-settings.js';
import { profileAlgorithms } from '../../../contract/rules/clients/security-profile.js';
import type { SigningAlgorithm } from '../../../platform/config/config.js';
import { profileSigningAlgorithm } from '../../../platform/config/signing-algorithms.js';
import { engineRequest, gatehouseClient } from '../shared/engine-models.js';
import { nowSeconds } from '../shared/lifetimes.js';
import { trialOf } from '../shared/trial-at-hand.js';

/** Maximum age of a DPoP proof in seconds; the engine uses the same. */
export const proofSeconds = 300;

/** A JWT whose `iat` or `nbf` is further in the future has to be refused (FAPI 2.0 Security Profile §5.3.2.1). */
export const furthestAheadSeconds = 60;

/** True if the client is held to the FAPI 2.0 Security Profile (decision 0085). */
export function followsProfile({ securityProfile }: Pick<ClientSettings, 'securityProfile'>): boolean {
  return securityProfile === 'fapi2';
}

/** The algorithm with which the portal signs for this client. */
export function signingAlgorithmFor(settings: ClientSettings, usual: SigningAlgorithm): SigningAlgorithm {
  return followsProfile(settings) ? profileSigningAlgorithm : usual;
}

/** The fault of a JWT that a client of the profile has signed; undefined for other clients. */
export function profileFault(
  client: object,
  { iat, nbf }: Record<string, unknown>,
  { alg }: Record<string, unknown>,
): string | undefined {
  return followsProfile(gatehouseClient(client).settings) ? faultOf({ iat, nbf }, { alg }) : undefined;
}

function faultOf({ iat, nbf }: Record<string, unknown>, { alg }: Record<string, unknown>): string | undefined {
  if (!profileAlgorithms.includes(String(alg))) return `its algorithm must be ${profileAlgorithms.join(', ')}`;
  const isAhead = (time: unknown) => typeof time === 'number' && time > nowSeconds() + furthestAheadSeconds;
  return isAhead(iat) || isAhead(nbf) ? 'it was created in the future' : undefined;
}

/**
 * Refuses a DPoP proof that the client's profile does not permit, and one of another time: a nonce is demanded besides
 * the time, while the engine would accept it in place of the time. The engine verifies the rest of the proof.
 */
export function assertProof(proof: string, client: object | undefined): void {
  const [claims, header] = partsOf(proof);
  const fault = client && profileFault(client, claims, header);
  if (fault !== undefined) throw new errors.InvalidDpopProof(`DPoP proof: ${fault}`);
  const { iat } = claims;
  if (typeof iat === 'number' && Math.abs(nowSeconds() - iat) > proofSeconds) {
    throw new errors.InvalidDpopProof('DPoP proof iat is not recent enough');
  }
}

function partsOf(jwt: string): [claims: Record<string, unknown>, header: Record<string, unknown>] {
  try {
    return [decodeJwt(jwt), { ...decodeProtectedHeader(jwt) }];
  } catch {
    // The engine says that it cannot be read.
    return [{}, { alg: profileAlgorithms[0] }];
  }
}

/**
 * False for a token that is not bound to a key though the profile requires it now, or whose proof is not of the
 * profile.
 */
export function isBoundAsNeeded(
  { jkt }: { jkt?: string | undefined },
  settings: Pick<ClientSettings, 'securityProfile'>,
  proof?: { algorithm: string; times: { iat?: number | undefined; nbf?: number | undefined } },
): boolean {
  if (!followsProfile(settings)) return true;
  return jkt !== undefined && (proof === undefined || faultOf(proof.times, { alg: proof.algorithm }) === undefined);
}

/**
 * A request that began before its client followed the profile gets no code, if it was not pushed or has no challenge.
 */
export function installCodesOfProfile(provider: Provider): void {
  const { prototype } = provider.AuthorizationCode;
  const { save } = prototype;
  Object.defineProperty(prototype, 'save', {
    configurable: true,
    async value(this: typeof prototype, ...ttl: Parameters<typeof save>) {
      const ctx = engineRequest();
      const { client, entities } = ctx.oidc;
      if (client && !trialOf(ctx) && followsProfile(gatehouseClient(client).settings)) {
        const parJti = (entities.Interaction as { parJti?: string } | undefined)?.parJti;
        if (!entities.PushedAuthorizationRequest && parJti === undefined) {
          throw new errors.InvalidRequest('Pushed Authorization Request must be used');
        }
        if (this.codeChallenge === undefined) {
          throw new errors.InvalidRequest('Authorization Server policy requires PKCE to be used for this request');
        }
      }
      return save.apply(this, ttl);
    },
  });
}
