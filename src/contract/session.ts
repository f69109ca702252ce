import { IsBoolean, IsNotEmpty, IsOptional, IsString, Matches, MaxLength } from 'class-validator';
import type { FlowApp } from './authorization.js';
import { message } from './messages/message.js';
import { invalidValue } from './rules/text.js';
import type { UserType } from './rules/user-types.js';

export type { UserType } from './rules/user-types.js';

/** A name/value pair of a user or client. */
export class Claim {
  @MaxLength(250)
  @IsString()
  name: string;

  @MaxLength(250)
  @IsString()
  value: string;
}

/** The lack of an administrator's sign-in. */
export type SignInLack = 'two-factor' | 'passkey';

/** `GET /api/session` (`spec §3` Logged-in user). */
export class CurrentUser {
  /** Lets a browser detect that another user is signed in. */
  id: string;
  fullName: string;
  email: string | null;
  isExternal: boolean;
  is2faEnabled: boolean;
  userType: UserType;
  claims: Claim[];
  /** Present for a user of this portal who has no password and signs in with passkeys. */
  hasNoPassword?: true;
  /** Present for a patient who has to be told who acts for them, or does no more: `GET /api/representation/news`. */
  hasNews?: true;
  /**
   * The factor that an administrator has to add or to use before the pages of administrators open
   * (`account.adminsNeed`).
   */
  lacks?: SignInLack;
}

/** `GET /api/session/time-left`; asking does not extend the session. */
export class TimeLeft {
  /** Seconds until the session expires from inactivity. */
  secondsLeft: number;
  /** Seconds before expiry at which the user should be warned. */
  warnAt: number;
  /** True if using the session extends it; not at the end of its longest duration. */
  extendable: boolean;
}

/** One "Continue with …" button. */
export class ExternalProvider {
  authenticationScheme: string;
  displayName: string;
}

/** The reason why an external sign-in failed; the `error` of the sign-in page's address. */
export type ExternalSignInError =
  | 'access-denied'
  | 'provider-unavailable'
  | 'provider-failed'
  | 'account-exists'
  | 'no-account'
  | 'ambiguous-record'
  | 'fhir-connection-required'
  | 'incomplete';

/** `GET /api/session/login`: the sign-in methods that are offered for this request. */
export class LoginOptions {
  enableLocalLogin: boolean;
  externalProviders: ExternalProvider[];
  /** The address the app suggested (`login_hint`), to fill in; never trusted. */
  loginHint: string | null;
  /** The app whose request waits for this sign-in; null without one. */
  app: FlowApp | null;
}

const withoutNul = /^[^\0]*$/;

/** `POST /api/session/login`. Checked from the last decorator to the first; the first failure is the message. */
export class LoginRequest {
  @MaxLength(254)
  @Matches(withoutNul, { context: invalidValue })
  @IsString()
  @IsNotEmpty({ context: message('login-email-empty') })
  username: string;

  @MaxLength(1000)
  @Matches(withoutNul, { context: invalidValue })
  @IsString()
  @IsNotEmpty({ context: message('login-password-empty') })
  password: string;

  @IsOptional()
  @IsString()
  @MaxLength(16_384)
  returnUrl?: string | null;

  @IsOptional()
  @IsBoolean()
  rememberLogin?: boolean;
}

/** The user has signed in, but no session began: they have requested the deletion of their account. */
export class SignInResult {
  /** The page on which they can keep it. */
  keepPage?: string;
}

export class LoginResult extends SignInResult {
  is2faEnabled: boolean;
  /** True if the second factor can be proven by a passkey as well. */
  hasPasskey?: boolean;
}
