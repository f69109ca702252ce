import { Injectable } from '@nestjs/common';
import Provider, { type Configuration, errors, type KoaContextWithOIDC } from 'oidc-provider';
import { assertProof, followsProfile } from '../clients/security-profile.js';
import type { EngineAdaptation } from '../shared/engine-adaptation.js';
import { gatehouseClient } from '../shared/engine-models.js';
import { DpopNonces, hasNonce } from './dpop-nonces.js';

interface NonceState {
  /** True if the answer may give a nonce to the client. */
  isNonceWanted?: boolean;
}

/**
 * DPoP proofs at the engine's endpoints (RFC 9449), which need a nonce where the client follows a profile (decision
 * 0085).
 */
@Injectable()
export class DpopAdaptation implements EngineAdaptation {
  constructor(private readonly nonces: DpopNonces) {}

  configuration(): Configuration {
    return {
      features: {
        dPoP: {
          enabled: true,
          nonceSecret: this.nonces.secret,
          // The engine asks this of each request with a proof, before it reads the proof.
          requireNonce: (ctx) => needsNonce(ctx, ctx.oidc.client),
        },
      },
    };
  }

  install(provider: Provider): void {
    this.checkAtUserInfo(provider);
    // The engine gives a nonce to each client with a proof; one that needs none would have to renew it from then on.
    provider.use(((ctx: KoaContextWithOIDC, next: () => Promise<void>) =>
      ctx.req.headers.dpop === undefined
        ? next()
        : next().then(() => {
            if (!(ctx.state as NonceState).isNonceWanted) ctx.remove('DPoP-Nonce');
          })) as never);
  }

  /** At userinfo the engine reads the proof before the token, which tells the client. */
  private checkAtUserInfo(provider: Provider): void {
    const { AccessToken: model } = provider;
    const find = model.find.bind(model) as (...request: unknown[]) => Promise<{ clientId?: string } | undefined>;
    Object.defineProperty(model, 'find', {
      value: async (...request: unknown[]) => {
        const token = await find(...request);
        const { ctx } = Provider;
        if (!token || ctx?.oidc.route !== 'userinfo' || ctx.get('DPoP') === '') return token;
        const client = await provider.Client.find(String(token.clientId));
        if (needsNonce(ctx, client) && !hasNonce(ctx.get('DPoP'))) {
          ctx.set('DPoP-Nonce', this.nonces.newest);
          throw new errors.UseDpopNonce('nonce is required in the DPoP proof');
        }
        return token;
      },
    });
  }
}

/**
 * Refuses a proof of another time or one that the client's profile does not permit; true if the profile demands a
 * nonce.
 */
function needsNonce(ctx: KoaContextWithOIDC, client: object | undefined): boolean {
  const proof = ctx.get('DPoP');
  assertProof(proof, client);
  const isNeeded = client !== undefined && followsProfile(gatehouseClient(client).settings);
  (ctx.state as NonceState).isNonceWanted = isNeeded || hasNonce(proof);
  return isNeeded;
}
