import type { ObstacleCode } from '../rules/users/sign-in-obstacles.js';
import type { ExternalProvider } from '../session.js';
import { type BrowserFamily, StepUpProof } from './account.js';

export class SignInObstacle {
  code: ObstacleCode;
  /** ISO 8601, UTC: the end of a lock, the end of an invitation, the time of a deletion; otherwise null. */
  until: string | null;
}

/** A browser in which the user is signed in. */
export class UserSession {
  /** Names the session; gives no access to it. */
  id: string;
  browser: BrowserFamily;
  /** ISO 8601, UTC. */
  signedIn: string;
  /** ISO 8601, UTC; to the minute. */
  lastUsed: string;
  /** Names of the apps that the user has signed in to from there. */
  apps: string[];
}

export class UserSecondFactor {
  /** ISO 8601, UTC. */
  since: string;
  recoveryCodesLeft: number;
}

/** `GET /api/admin/user/{id}/sign-in`: how the user signs in, and what stops them. */
export class UserSignIn {
  obstacles: SignInObstacle[];
  /** True if the user was invited and no mail server can send the link: an administrator can hand it over. */
  canCopyInvitation: boolean;
  /** The one that was used last first. */
  sessions: UserSession[];
  /** Null while there is none. */
  secondFactor: UserSecondFactor | null;
  /** The number of passkeys. */
  passkeys: number;
  /** False for a user who signs in with passkeys alone or at another provider, and for one who was never activated. */
  hasPassword: boolean;
}

/** `GET /api/admin/step-up`: the proof that the administrator gives before a second factor is reset. */
export class StepUpFacts {
  /** `password`: or a passkey, in place of one that the account does not have. */
  by: 'code' | 'password' | 'provider';
  /** The provider to sign in at again; null for another proof, and if the provider is no longer configured. */
  provider: ExternalProvider | null;
  /**
   * True if the administrator has proven a passkey, or has signed in at the provider again, within the last five
   * minutes.
   */
  isConfirmed: boolean;
}

/** `POST /api/admin/user/{id}/reset-second-factor`: the proof of the administrator, as `StepUpFacts.by` names it. */
export class ResetSecondFactorRequest extends StepUpProof {}
