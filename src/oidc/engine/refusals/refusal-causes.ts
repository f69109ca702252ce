import { Injectable } from '@nestjs/common';
import type { errors, KoaContextWithOIDC } from 'oidc-provider';
import { EndpointRefusals } from './endpoint-refusals.js';
import { RequestRefusals } from './request-refusals.js';
import { TokenRefusals } from './token-refusals.js';

/** The endpoints of the engine that can refuse a request, in words. */
export type RefusingEndpoint =
  | 'authorization'
  | 'token'
  | 'userinfo'
  | 'introspection'
  | 'revocation'
  | 'sign-out'
  | 'discovery'
  | 'keys';

export interface RefusedRequest {
  error: errors.OIDCProviderError;
  endpoint: RefusingEndpoint;
}

/** Finds out why the engine refused a request. Runs after its transaction; the answer does not depend on it. */
@Injectable()
export class RefusalCauses {
  constructor(
    private readonly requests: RequestRefusals,
    private readonly tokens: TokenRefusals,
    private readonly others: EndpointRefusals,
  ) {}

  /** Notes the cause; false if it is not one of the catalogue. */
  async note(ctx: KoaContextWithOIDC, { error, endpoint }: RefusedRequest): Promise<boolean> {
    if (endpoint === 'token') return this.tokens.note(ctx, error);
    if (endpoint !== 'authorization') return this.others.note(ctx, error, endpoint);
    if (await this.requests.note(ctx, error)) return true;
    // A pushed request authenticates its client as a token request does, and may have a DPoP proof.
    return /^(invalid_client|invalid_dpop_proof|use_dpop_nonce)$/.test(error.message) && this.tokens.note(ctx, error);
  }

  /** Notes what a request did not get that was answered without an error. */
  noteUnfollowed(ctx: KoaContextWithOIDC): void {
    this.others.noteUnfollowed(ctx);
  }
}
