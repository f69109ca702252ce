import { IsOptional, IsString, MaxLength } from 'class-validator';
import type { AuditType } from '../audit/audit-types.js';
import type { OwnRelationship, OwnRelationships } from '../representation.js';
import { fieldRequired } from '../rules/text.js';
import type { Claim, ExternalProvider, UserType } from '../session.js';
import { type BrowserFamily, StepUpProof } from '../users/account.js';
import type { Receipt } from './receipts.js';

/** `GET /api/user/deletion`: what the deletion of the own account takes. */
export class DeletionFacts {
  /** Days in which the user may still keep the account; 0 if it is deleted at once. */
  days: number;
  /** True if no other administrator would be left. */
  isLastAdmin: boolean;
  /**
   * The provider to sign in at again; null for an account with a password, and if the provider is no longer configured.
   */
  provider: ExternalProvider | null;
  /**
   * The proof that the deletion takes, apart from a code of the authenticator app: a passkey if the account has one.
   */
  by: 'password' | 'passkey' | 'provider';
  /** True if the user has proven a passkey, or has signed in at the provider again, within the last five minutes. */
  isConfirmed: boolean;
}

/** `POST /api/user/deletion`; which members are needed depends on the account. */
export class DeleteAccountRequest extends StepUpProof {}

export class DeletionResult {
  /** ISO 8601, UTC; null if the account is deleted now. */
  deletedOn: string | null;
}

/** `POST /api/user/{userId}/deletion` reads, `POST /api/user/{userId}/deletion/withdraw` keeps the account. */
export class KeepAccountRequest {
  @MaxLength(200)
  @IsString({ context: fieldRequired })
  token: string;
}

export class PendingDeletion {
  /** ISO 8601, UTC; null if the account is kept already. */
  deletedOn: string | null;
}

/** `POST /api/user/data`. */
export class DownloadRequest {
  /** Needed when the sign-in is older than five minutes. */
  @IsOptional()
  @MaxLength(1000)
  @IsString({ context: fieldRequired })
  currentPassword?: string | null;
}

export class Download {
  /** Below `/api`; good for a minute, in this session. */
  address: string;
}

/**
 * The file of `GET /api/user/data/{ticket}`: everything kept about the user. All times are ISO 8601 in UTC. It has no
 * hashes, keys, tokens or codes, and nothing about other people.
 */
export interface OwnData {
  format: 'gatehouse-own-data';
  /** Raised when a member changes its meaning or goes; further members may come at any time. */
  version: 1;
  generatedAt: string;
  issuer: string;
  account: {
    id: string;
    fullName: string;
    email: string | null;
    emailConfirmed: boolean;
    userType: UserType;
    /** Tag of RFC 5646; null if it is not known. */
    language: string | null;
    claims: Claim[];
    /** The claims of the other provider beyond name and address, by the names of OpenID Connect Core §5.1. */
    providerClaims: Readonly<Record<string, string>>;
    /** The identity at the other provider; null for an account with a password. */
    provider: { issuer: string; subject: string } | null;
    /** False for an account that signs in with passkeys alone, or at the other provider. */
    hasPassword: boolean;
    createdAt: string;
  };
  twoFactor: { enabledAt: string; recoveryCodesLeft: number } | null;
  /** Recovery codes that were not used, also without an authenticator app; null if none were made. */
  recoveryCodesLeft: number | null;
  /** Without their keys. */
  passkeys: { name: string; kind: string; createdAt: string; lastUsedAt: string | null; isSynced: boolean }[];
  sessions: { browser: BrowserFamily; signedIn: string; lastUsed: string; current: boolean }[];
  /** Apps that have access now. */
  apps: {
    clientId: string;
    clientName: string;
    /** `Patient/{id}` for whom the user let the app in; absent for the user's own record. */
    patient?: string;
    permissions: { scope: string; displayName: string; description: string }[];
    created: string | null;
    expires: string | null;
    lastUsed: string | null;
    /** Since when the user has paused the app; null if it can use its access. */
    pausedAt: string | null;
  }[];
  consents: {
    clientId: string;
    /** `Patient/{id}` for whom the user decided; absent for the user's own record. */
    patient?: string;
    granted: { scope: string; displayName: string; description: string }[];
    declined: { scope: string; displayName: string; description: string }[];
    /** The app is not asked about again. */
    remembered: boolean;
    tenant: string | null;
    redirectHost: string;
    grantedAt: string;
    expiresAt: string | null;
  }[];
  /** Whom the user acts for, and who acts for the user; absent where no account can act for a patient. */
  representation?: OwnDataRelationships;
  agreements: {
    disclaimerId: string;
    clientId: string | null;
    tenantId: string | null;
    agreedAt: string;
    /** Null if the text has changed since; an earlier wording is not stored. */
    wording: { description: string; html: string } | null;
  }[];
  /** Requests to the hospital, the oldest first; absent where no account can act for a patient. */
  requests?: OwnSentRequest[];
  /** Receipts of access that was taken back. */
  receipts: Receipt[];
  launches: OwnLaunch[];
  /** The actions of the user, the oldest first. */
  auditEvents: OwnEvent[];
}

/** The cards of *Family and carers*; `inWords` of a level is its label, or the kinds that were chosen of it. */
export type OwnDataRelationships = Omit<OwnRelationships, 'lookedAfter' | 'helpers'> &
  Record<'lookedAfter' | 'helpers', (OwnRelationship & { level: { inWords: string } })[]>;

/** A launch of an app by the user. */
export interface OwnLaunch {
  reference: string;
  clientId: string | null;
  startedAt: string;
  lastAt: string;
  outcome: string;
  /** Codes of docs/errors.md and of steps, with the time of the first. */
  steps: { code: string; at: string; count: number }[];
}

export interface OwnEvent {
  at: string;
  type: AuditType;
  outcome: 'success' | 'failure';
  clientId: string | null;
  address: string | null;
  correlationId: string | null;
  /** Absent where it would say something about another person. */
  detail?: Record<string, unknown>;
}

/** A request to the hospital, with what its user wrote; one that was approved is a relationship. */
export class OwnSentRequest {
  reference: string;
  kind: string;
  status: string;
  patientName: string;
  content: Record<string, unknown>;
  note: string | null;
  askedAt: string;
  decidedAt: string | null;
  files: { label: string; name: string; bytes: number }[];
}
