import type { AccessTokenFacts } from '../access-tokens.js';
import type { CarriedRequest } from './named-client.js';

/** A request whose access token or proof was refused, at the gateway or at another address that takes access tokens. */
export interface RefusedTokenRequest {
  method: string;
  /** The resource type or the endpoint, as entries name it. */
  type: string;
  /** Its address with the query. */
  target: string;
  /** The Authorization header. */
  authorization: string | undefined;
  /** The DPoP proof. */
  dpop?: string | undefined;
  /** A token in its form, which is not read (RFC 6750 §2.2). */
  posted?: string | undefined;
  /** The name of another header that seems to have a token. */
  otherHeader?: string | undefined;
  /** A sentence about another fault of its address. */
  addressFault?: string | undefined;
  /** The error of the answer (RFC 6750 §3.1, RFC 9449 §7.1); undefined for a request without a token. */
  error: string | undefined;
  /** The sentence of the answer. */
  sentence: string;
  /** The FHIR base that the token must be for; undefined where those for all bases are accepted. */
  base?: string;
}

/** The refusal of a token that its app can use in another way. */
export interface UnfitScheme {
  sentence: string;
  /** True if the token is bound to a key (RFC 9449). */
  isBound: boolean;
}

/** Notes requests whose access token or proof was refused, in the launches of their tokens. */
export abstract class RefusedTokens {
  /**
   * Notes the cause. A request without a token that was issued here is a record of its own, of which an address has
   * some a day. Returns what the app can do with this token, where it can.
   */
  abstract note(request: RefusedTokenRequest): Promise<UnfitScheme | undefined>;

  /**
   * Files the current request, whatever token it has, to a record of its sender, of this fault and day, and to the
   * client that it names.
   */
  abstract fileApart(fault: string, request: CarriedRequest): Promise<void>;

  /** Files the current request to the client that it names. Returns all that it names, for the id of its record. */
  abstract identifyClient(request: CarriedRequest): Promise<string>;

  /** Files the current request to the launch of a token; without one to its client and day. */
  abstract identify(token: Pick<AccessTokenFacts, 'clientId' | 'accountId' | 'grantId'>): Promise<void>;
}
