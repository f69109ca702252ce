import { IsBoolean, IsNotEmpty, IsOptional, IsString, MaxLength } from 'class-validator';
import { codeEmpty } from '../rules/users/two-factor-code.js';
import { SignInResult } from '../session.js';

/** `GET /api/twofactor/enable`: what an authenticator app is set up with (`spec §3` Two-factor). */
export class TwoFactorSetup {
  /** `otpauth://…`, to be shown as a QR code. */
  authenticatorUri: string;
  /** The same key for typing, base 32. */
  sharedKey: string;
  /** The sign-in is too old to change this: `currentPassword` has to come along. */
  currentPasswordRequired: boolean;
}

/** `POST /api/twofactor/enable`; shown once and never again. */
export class TwoFactorActivation {
  recoveryCodes: string[] | null;
}

/** `POST /api/twofactor/verify-recovery`. */
export class RecoveryResult extends SignInResult {
  recoveryCodesLeft: number;
}

class WithPassword {
  /** Needed when the sign-in is older than five minutes. */
  @IsOptional()
  @IsString()
  @MaxLength(1000)
  currentPassword?: string | null;
}

/** `POST /api/twofactor/enable`. Checked from the last decorator to the first; the first failure is the message. */
export class EnableTwoFactorRequest extends WithPassword {
  @MaxLength(100)
  @IsString()
  @IsNotEmpty({ context: codeEmpty })
  verificationCode: string;

  /** The app's request that waits for the second factor, if there is one. */
  @IsOptional()
  @IsString()
  @MaxLength(16_384)
  returnUrl?: string | null;
}

/** `POST /api/twofactor/disable`. */
export class DisableTwoFactorRequest extends WithPassword {
  @MaxLength(100)
  @IsString()
  @IsNotEmpty({ context: codeEmpty })
  verificationCode: string;
}

/** `POST /api/twofactor/disable-recovery`. */
export class DisableByRecoveryRequest extends WithPassword {
  @MaxLength(100)
  @IsString()
  @IsNotEmpty({ context: codeEmpty })
  recoveryCode: string;
}

/** `POST /api/twofactor/lost`. */
export class LostSecondFactorRequest {
  /** The app's request that waits for the second factor, where a session is too weak for it. */
  @IsOptional()
  @IsString()
  @MaxLength(16_384)
  returnUrl?: string | null;
}

class TwoFactorStep {
  /** The app's request that continues afterwards; any other address is not followed. */
  @IsOptional()
  @IsString()
  @MaxLength(16_384)
  returnUrl?: string | null;

  /** Remember the sign-in; no effect for an administrator. */
  @IsOptional()
  @IsBoolean()
  rememberMe?: boolean;
}

/** `POST /api/twofactor/verify`. */
export class VerifyCodeRequest extends TwoFactorStep {
  @MaxLength(100)
  @IsString()
  @IsNotEmpty({ context: codeEmpty })
  verificationCode: string;
}

/** `POST /api/twofactor/verify-recovery`. */
export class VerifyRecoveryCodeRequest extends TwoFactorStep {
  @MaxLength(100)
  @IsString()
  @IsNotEmpty({ context: codeEmpty })
  recoveryCode: string;
}
