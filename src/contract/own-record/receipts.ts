import type { SeenKinds } from '../audit/access-detail.js';

/**
 * The actor who took the access back: the user, an administrator for this user, or an administrator for all users; or
 * `representation`, because the user does not act for the patient any more.
 */
export type TakenBackBy = 'person' | 'administrator' | 'everyone' | 'representation';

/**
 * `GET /api/receipt/{id}`: what ended when an app's access to a person's data was taken back; dates are ISO 8601 in
 * UTC.
 */
export class Receipt {
  /** The number of the receipt, such as `5H2P-9XB7-7Q4K`. */
  id: string;
  clientId: string;
  clientName: string;
  legalCompanyName: string | null;
  contactUsUrl: string | null;
  endedAt: string;
  by: TakenBackBy;
  /** Id of the relationship, where the access was to a patient for whom the user acted. */
  representation?: string;
  /** The patient's name, as it was stored last; absent where the user must not know of it any more. */
  patient?: string;
  /** The beginning of the access that ended; null if the app had none at that time. */
  since: string | null;
  /** Number of grants: each is from one sign-in with the app. */
  signIns: number;
  /** Null: the app gets self-contained tokens, which are not counted. All of them ended. */
  accessTokens: number | null;
  refreshTokens: number;
  /** True if the app had access while the user was away. */
  offline: boolean;
  /** Number of remembered decisions to let the app in without a question. */
  agreements: number;
  /**
   * The app's last access to the FHIR server with the user's permission, null without one; absent where the gateway
   * is off, so that accesses are not recorded.
   */
  lastAccess?: string | null;
  /**
   * Its last visit with the user's permission in which it read data, with the number of resources by kind; null
   * without one. Absent as `lastAccess`, and in receipts of earlier versions.
   */
  lastRead?: { at: string; kinds: SeenKinds; unattended: boolean } | null;
  /** Time until which a FHIR server that verifies tokens by itself may still accept the app; null where none does. */
  worksUntil: string | null;
  /** True if the receipt was also sent by mail. */
  mailed: boolean;
}
