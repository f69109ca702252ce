/**
 * Kind of a record: the engine's name, such as `RefreshToken`, or Gatehouse's own for data that belongs to a request.
 */
export type Model = string;

/** Stored content of an engine model; `jti` (which is the token itself) is never part of it at rest. */
export interface Payload {
  [key: string]: unknown;
  jti?: string;
  uid?: string;
  grantId?: string;
  accountId?: string;
  clientId?: string;
  exp?: number;
  consumed?: number;
}

export interface Found {
  payload: Payload;
  /** True if a concurrent request consumed the record, so that losing to it is not a sign of theft. */
  consumedMeanwhile: boolean;
}

/** A record with its grant as the same statement has read it; without one whose grant has expired or ended. */
export interface FoundOfGrant extends Found {
  grant: Found | undefined;
}

export interface PendingInteraction {
  id: string;
  /** SHA-256 of the id. */
  hash: string;
  clientId: string;
  /** Null before a user has signed in. */
  accountId: string | null;
}

export interface PastRecord {
  payload: Payload;
  /** In seconds; null if it was not consumed. */
  consumedSince: number | null;
  /** In seconds; negative while it lives. */
  expiredSince: number;
}
