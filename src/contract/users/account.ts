import { IsIn, IsNotEmpty, IsObject, IsOptional, IsString, Matches, MaxLength } from 'class-validator';
import type { FlowApp } from '../authorization.js';
import { EmailAddress } from '../list-query.js';
import { notBlank, RuleLimits } from '../rule-limits.js';
import { fieldRequired, invalidValue, visibleLine } from '../rules/text.js';
import { passkeyNameLength, passkeyNameTooLong } from '../rules/users/passkeys.js';
import { maxFullName } from '../rules/users/user-form.js';

/** `PUT /api/user`. */
export class ChangeNameRequest {
  @RuleLimits({ maxLength: maxFullName, pattern: notBlank })
  @MaxLength(1000)
  @IsString({ context: fieldRequired })
  fullName: string;
}

/** `POST /api/user/reset-password`: a signed-in user changes their password, or chooses one where there is none. */
export class ChangePasswordRequest {
  /**
   * Left out where the account has none: then the sign-in has to be younger than five minutes, or a passkey be
   * confirmed.
   */
  @IsOptional()
  @MaxLength(1000)
  @IsString({ context: fieldRequired })
  @IsNotEmpty({ context: fieldRequired })
  currentPassword?: string | null;

  @MaxLength(1000)
  @IsString({ context: fieldRequired })
  newPassword: string;
}

/** `POST /api/user/forgot-password`; the answer is the same whether or not the address has an account. */
export class ForgotPasswordRequest {
  @EmailAddress()
  email: string;

  /** The app's request during which the password was forgotten; remembered if it is this browser's. */
  @IsOptional()
  @IsString()
  @MaxLength(16_384)
  returnUrl?: string | null;
}

/**
 * `POST /api/user/{userId}/activate` and `PUT /api/user/forgot-password/{userId}/reset`: the password that is chosen
 * after following a link, whose `u` is the user id and whose `t` is the token.
 */
export class ChoosePasswordRequest {
  @MaxLength(1000)
  @IsString({ context: fieldRequired })
  password: string;

  @MaxLength(200)
  @IsString({ context: fieldRequired })
  token: string;
}

/** Proves again that the signed-in user acts, before a change that another person must not make. */
export class StepUpProof {
  /** For an account with a password. */
  @IsOptional()
  @MaxLength(1000)
  @IsString({ context: fieldRequired })
  currentPassword?: string | null;

  /** For an account with two-factor authentication, or else `recoveryCode`. */
  @IsOptional()
  @MaxLength(100)
  @IsString({ context: fieldRequired })
  verificationCode?: string | null;

  @IsOptional()
  @MaxLength(100)
  @IsString({ context: fieldRequired })
  recoveryCode?: string | null;
}

/**
 * `PUT /api/user/forgot-password/{userId}/reset`. An account that has a passkey needs one of the proofs besides the
 * link, unless its recovery has waited: `LinkFacts.proof`.
 */
export class ResetPasswordRequest extends ChoosePasswordRequest {
  /** The code of the authenticator app. */
  @IsOptional()
  @IsString()
  @MaxLength(100)
  verificationCode?: string | null;

  @IsOptional()
  @IsString()
  @MaxLength(100)
  recoveryCode?: string | null;

  /** The answer of the browser's WebAuthn call: `AuthenticationResponseJSON`. */
  @IsOptional()
  @IsObject()
  passkey?: Record<string, unknown> | null;
}

/** `POST /api/user/{userId}/passkey`: a passkey in place of a password, with a proof as for a new password. */
export class LinkPasskeyRequest {
  @IsIn(['activation', 'password-reset'])
  purpose: 'activation' | 'password-reset';

  @MaxLength(200)
  @IsString({ context: fieldRequired })
  token: string;

  /** The answer of the browser's WebAuthn call: `RegistrationResponseJSON`. */
  @IsObject()
  response: Record<string, unknown>;

  @IsOptional()
  @Matches(visibleLine, { context: invalidValue })
  @MaxLength(passkeyNameLength, { context: passkeyNameTooLong })
  @IsString()
  name?: string | null;

  /** The code of the authenticator app. */
  @IsOptional()
  @IsString()
  @MaxLength(100)
  verificationCode?: string | null;

  @IsOptional()
  @IsString()
  @MaxLength(100)
  recoveryCode?: string | null;

  /** The answer of the browser's WebAuthn call: `AuthenticationResponseJSON`. */
  @IsOptional()
  @IsObject()
  passkey?: Record<string, unknown> | null;
}

/** `POST /api/user/{userId}/recovery` and those below it. */
export class LinkToken {
  @MaxLength(200)
  @IsString({ context: fieldRequired })
  token: string;
}

/** The purpose of a link by mail. */
export const linkPurposes = ['activation', 'password-reset'] as const;

/** `POST /api/user/{userId}/link`: whether a link can be used, before a password is thought of. */
export class LinkCheck {
  @IsIn(linkPurposes)
  purpose: (typeof linkPurposes)[number];

  @MaxLength(200)
  @IsString({ context: fieldRequired })
  token: string;
}

export class LinkFacts {
  /** The address of the account; the link came to it. */
  email: string;
  /** Null where the link is enough. */
  proof: LinkProof | null;
  /** True if using the link also removes the authenticator app, because a recovery of the account has waited. */
  endsTwoFactor: boolean;
  /**
   * True if the page may sign the user in with the password that is chosen: this browser has asked for the link, and
   * the account has no second factor and no passkey, and is not an administrator's.
   */
  signsIn: boolean;
  /** The app's request in this browser that continues after signing in with this account; null when there is none. */
  returnUrl: string | null;
  /** The app of this request. */
  app: FlowApp | null;
  /** The app during whose request the link was requested, if that request does not continue in this browser. */
  elsewhere: AppElsewhere | null;
}

/** The proofs, of which an account with a passkey needs one next to a mailed link. */
export class LinkProof {
  /** True if the account has an authenticator app, whose code is accepted. */
  authenticator: boolean;
  /** True if the account has recovery codes. */
  recoveryCodes: boolean;
  /** Hours that a user without any of them waits. */
  waitHours: number;
  /** True if the authenticator app is removed after the waiting time; otherwise its code is still asked for. */
  waitEndsTwoFactor: boolean;
  /** End of the waiting time that was begun, ISO 8601; null if none was. */
  readyAt: string | null;
}

/** `POST /api/user/{userId}/recovery`, and of the page that ends a recovery. */
export class WaitingRecovery {
  /** ISO 8601: from then on a mailed link is enough. Null for a recovery that has ended. */
  readyAt: string | null;
}

export class AppElsewhere {
  clientName: string;
  /** True if the request still waits in the other browser. */
  isWaiting: boolean;
  /** The app's registered address to start it; null without one. */
  startUrl: string | null;
}

/** The browser and system that the browser named at the sign-in; null where it named nothing known. */
export class BrowserFamily {
  name: string | null;
  system: string | null;
}

/** A browser in which the user is signed in. */
export class SessionView {
  browser: BrowserFamily;
  /** ISO 8601, UTC. */
  signedIn: string;
  /** ISO 8601, UTC; to the minute. */
  lastUsed: string;
  /** The one that asks. */
  current: boolean;
}

/** `GET /api/user/sessions`, the one that was used last first; `DELETE` ends all but the current one. */
export class SessionList {
  sessions: SessionView[];
}
