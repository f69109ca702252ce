import { IsBoolean, IsNotEmpty, IsObject, IsOptional, IsString, Matches, MaxLength } from 'class-validator';
import { invalidValue, visibleLine } from '../rules/text.js';
import { passkeyNameEmpty, passkeyNameLength, passkeyNameTooLong } from '../rules/users/passkeys.js';

/** The device of a passkey, as far as its browser told at the creation. */
export type PasskeyKind = 'phone' | 'laptop' | 'security-key' | 'other';

/** A passkey of the signed-in user. */
export class OwnPasskey {
  id: string;
  name: string;
  kind: PasskeyKind;
  createdAt: string;
  /** Null if it was never used. */
  lastUsedAt: string | null;
  /** True if the user has signed in with it in this session. */
  isThisSignIn: boolean;
  /** True if a copy of it is kept by the provider of the device, so that other devices of the user have it, too. */
  isSynced: boolean;
  /** True if its signature counter went back: a second device may have its key (WebAuthn Level 3 §6.1.1). */
  maybeCloned: boolean;
}

/** `GET /api/passkeys`. */
export class OwnPasskeys {
  passkeys: OwnPasskey[];
  /** The most that an account can have. */
  limit: number;
  /** True if the account has a password. */
  hasPassword: boolean;
  /**
   * True if the sign-in is too old to add a passkey: `currentPassword` has to come along, or a passkey be confirmed.
   */
  currentPasswordRequired: boolean;
}

/**
 * The parameter of the browser's WebAuthn call: `PublicKeyCredentialCreationOptionsJSON` or
 * `PublicKeyCredentialRequestOptionsJSON`.
 */
export class PasskeyOptions {
  /** WebAuthn Level 3 §5.1.8 or §5.1.9. */
  publicKey: Record<string, unknown>;
}

/** `POST /api/passkeys/registration`. */
export class ConfirmedRequest {
  /** Needed when the sign-in is older than five minutes. */
  @IsOptional()
  @IsString()
  @MaxLength(1000)
  currentPassword?: string | null;
}

class PasskeyResponse {
  /** The answer of the browser's WebAuthn call: `RegistrationResponseJSON` or `AuthenticationResponseJSON`. */
  @IsObject()
  response: Record<string, unknown>;
}

/** `POST /api/passkeys/confirmation`. */
export class ConfirmByPasskeyRequest extends PasskeyResponse {}

/** `POST /api/passkeys`. */
export class AddPasskeyRequest extends PasskeyResponse {
  @IsOptional()
  @Matches(visibleLine, { context: invalidValue })
  @MaxLength(passkeyNameLength, { context: passkeyNameTooLong })
  @IsString()
  name?: string | null;
}

/** `PATCH /api/passkeys/{id}`. */
export class RenamePasskeyRequest {
  @Matches(visibleLine, { context: invalidValue })
  @MaxLength(passkeyNameLength, { context: passkeyNameTooLong })
  @IsString()
  @IsNotEmpty({ context: passkeyNameEmpty })
  name: string;
}

/** `POST /api/passkeys/sign-in`, and `POST /api/twofactor/passkey` after a password. */
export class PasskeySignInRequest extends PasskeyResponse {
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

/** `POST /api/twofactor/passkey/options`. */
export class PasskeySecondFactorOptionsRequest {
  /** The app's request that waits for a second factor, if there is one. */
  @IsOptional()
  @IsString()
  @MaxLength(16_384)
  returnUrl?: string | null;
}

/** `GET /api/passkeys/recovery`. */
export class OwnRecoveryFacts {
  /** Recovery codes that were not used; null if none were made. */
  codesLeft: number | null;
  /**
   * ISO 8601: the time from which a mailed link is enough, where the user, or another person, has asked for a recovery.
   */
  readyAt: string | null;
}

/** `POST /api/passkeys/recovery/codes`. */
export class RecoveryCodes {
  recoveryCodes: string[];
}

/** `GET /api/passkeys/offer`. */
export class PasskeyOffer {
  /**
   * True if the page that offers a passkey is to be shown after this sign-in: at most three times, 30 days apart, or
   * each time where passkeys are required.
   */
  isOffered: boolean;
}
