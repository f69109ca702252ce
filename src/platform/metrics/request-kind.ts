/** The purpose of a request. */
export type RequestKind =
  | 'authorize'
  | 'par'
  | 'token'
  | 'introspection'
  | 'revocation'
  | 'userinfo'
  | 'end-session'
  | 'keys'
  | 'discovery'
  | 'gateway'
  | 'api'
  | 'page'
  | 'file';

/**
 * The labels of a counted request. Each value is from a list in the code: a caller must not be able to create new
 * series.
 */
export interface Measured {
  kind: RequestKind;
  /** The grant type of a token request, the interaction of a request for data; `other` for what the code does not know. */
  operation: string;
  /** The error code of the answer; without one its status decides. */
  outcome?: string;
  /** Milliseconds in which the FHIR server was awaited; absent if it was not asked. */
  serverMs?: number;
}
