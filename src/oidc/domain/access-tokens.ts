import type { AccessEnd } from '../../contract/activity/end-causes.js';
import type { PatientSource } from '../../contract/audit/access-detail.js';

/** JWS algorithms of DPoP proofs (RFC 9449 §5.1). */
export const dpopAlgorithms = ['ES256', 'ES384', 'EdDSA', 'Ed25519', 'PS256', 'RS256', 'RS384'];

/** A request to a resource outside of the engine that carries a DPoP proof. */
export interface ProvenRequest {
  /** The DPoP header. */
  proof: string;
  method: string;
  url: string;
}

/**
 * An invalid proof, whatever the token is (RFC 9449 §7.1 `invalid_dpop_proof`). Its message is a clause about the
 * proof, without ids and secrets.
 */
export class InvalidProof extends Error {}

/**
 * A proof without a nonce where its client needs one, or with one that is not or no longer valid (RFC 9449 §9
 * `use_dpop_nonce`).
 */
export class NonceNeeded extends InvalidProof {
  constructor(
    /** The nonce for the next proof. */
    readonly nonce: string,
  ) {
    super('the proof needs a nonce of this portal');
  }
}

/** Content of a valid, unrevoked access token: one object for many requests, which none may change. */
export interface AccessTokenFacts {
  /** Identifies the token; never the token itself. */
  id: string;
  clientId: string;
  /** Absent for client_credentials. */
  accountId?: string;
  /** The Grant it belongs to; absent for client_credentials. */
  grantId?: string;
  scopes: readonly string[];
  audience: string;
  /** Id (not reference) of the patient in context. */
  patient?: string;
  encounter?: string;
  /** Id of the relationship by which the user acts for the patient; absent for a token without one. */
  representation?: string | undefined;
  /** Absolute URL of the user's own record, whether or not the client was told (`user/` scopes refer to this user). */
  fhirUser?: string;
  /** The strength of the user's sign-in; absent for client_credentials, and in tokens from before it was added. */
  acr?: string | undefined;
  /** When the user signed in: seconds since 1970. */
  authTime?: number | undefined;
  /** Seconds since 1970. */
  expiresAt: number;
  /** Id of the launch that its grant belongs to. */
  launchId?: string | undefined;
  /** The way in which the patient in context was found, where it is not the user. */
  patientSource?: PatientSource | undefined;
  /**
   * True if the client uses offline access while the user has no session here, which may be known some seconds late.
   */
  isUnattended?: boolean;
}

export interface TokenCheck {
  /** Seconds after expiry for which a self-contained token is still accepted. */
  graceSeconds?: number;
  /** The DPoP proof of the request: required for a token bound to a key, and wrong for any other (RFC 9449). */
  proven?: ProvenRequest;
}

/** A token of this portal that was refused. */
export interface RefusedToken
  extends Pick<AccessTokenFacts, 'clientId' | 'accountId' | 'grantId' | 'audience' | 'expiresAt'> {
  /** True if its user has paused the app. */
  isPaused: boolean;
  /** True if it is bound to a key (RFC 9449). */
  isBound: boolean;
  /** Why its user may not act now for the patient that it is for, in a clause; undefined for any other token. */
  heldReason: string | undefined;
  /** The end of its access, if a record has it. */
  end: AccessEnd | undefined;
  client: 'enabled' | 'disabled' | 'gone';
  /** `other-tenant`: it is of another tenant than the token. */
  account: 'usable' | 'other-tenant' | 'gone';
  /** True if the client may use tokens alone that are bound to a key, and this one is not. */
  lacksBinding: boolean;
  /** Why the DPoP proof does not hold for this token, in a clause; undefined for one that does, and without one. */
  proofFault?: string | undefined;
}

/** The change that lets a client get a scope that its token lacks. */
export interface MissingScope {
  /** In sentences. */
  remedy: string;
  /** Member of the client's form, or empty. */
  field: string;
  /** Key of the configuration, or empty. */
  configuration: string;
  /** True if the user did not allow it. */
  isDeclined: boolean;
}

/** A refused token that is not recorded here as access token. The claims of an unproven JWT are not checked. */
export interface UnknownToken {
  clientId?: string | undefined;
  /** Id of the launch that it belongs to; for a changed token that of the grant it names. */
  launchId?: string | undefined;
  /** `damaged`: an access token of this portal but for its damage; `changed`: a JWT that only names this portal. */
  kind: 'damaged' | 'changed' | 'id_token' | 'code' | 'refresh token' | 'foreign' | 'unknown';
  /** The damage of a damaged one, or what does not fit in a changed one, in a clause. */
  fault?: string;
  /** The `iss` of a foreign JWT. */
  issuer?: string;
}

/** Verifies access tokens of either format. */
export abstract class AccessTokens {
  /**
   * Throws `InvalidProof` when the proof is invalid, `NonceNeeded` when only its nonce is. Undefined when the token is
   * unknown, expired, revoked or foreign, or its client, user or grant is gone.
   */
  abstract verify(token: string, check?: TokenCheck): Promise<AccessTokenFacts | undefined>;

  /**
   * The nonce for the client's next proof; undefined if this one has the newest, or none. Does not verify the proof.
   */
  abstract renewedNonce(proof: string): string | undefined;

  /** For refused requests only: the content of a token that was issued here, whether or not it is valid. */
  abstract describeRefused(token: string, proof?: string): Promise<RefusedToken | undefined>;

  /** For refused requests only: what a text could be that {@link describeRefused} does not know. */
  abstract describeUnknown(token: string): Promise<UnknownToken>;

  /** For refused requests only: what lets the client of a token get a scope that it lacks. */
  abstract describeMissing(scope: string, facts: AccessTokenFacts): Promise<MissingScope>;

  /** For refused requests only: id of the launch that a Grant belongs to. */
  abstract launchOf(grantId: string): Promise<string | undefined>;
}

/** Scope of a service that manages the portal; its name is kept for compatibility. */
export const managementScope = 'http://server.fire.ly/auth/scope/authmanagement';

/** Audience of management tokens; no other endpoint accepts it. */
export function managementAudience(issuer: string): string {
  return `${issuer}/api/admin`;
}
