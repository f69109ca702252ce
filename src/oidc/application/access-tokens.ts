import type { ProvenRequest } from './dpop-proof.js';

/** What a valid, unrevoked access token says. */
export interface AccessTokenFacts {
  /** Identifies the token; never the token itself. */
  id: string;
  clientId: string;
  /** Absent for client_credentials. */
  accountId?: string;
  /** The Grant it belongs to; absent for client_credentials. */
  grantId?: string;
  scopes: string[];
  audience: string;
  /** Id (not reference) of the patient in context. */
  patient?: string;
  encounter?: string;
  /** Absolute URL of the person's own record, whether or not the app was told (`user/` scopes speak of this person). */
  fhirUser?: string;
  /** Seconds since 1970. */
  expiresAt: number;
}

export interface TokenCheck {
  /** How long past its end a self-contained token is still taken. */
  graceSeconds?: number;
  /** The proof that came with it: needed for a token that is bound to a key, and wrong for one that is not (RFC 9449). */
  proven?: ProvenRequest;
}

/** Tells which access tokens are good, whatever their format. */
export abstract class AccessTokens {
  /** Throws `InvalidProof` when the proof does not hold. Undefined when the token is unknown, expired, revoked, not ours, or its client, user or grant is gone. */
  abstract verify(token: string, check?: TokenCheck): Promise<AccessTokenFacts | undefined>;
}
