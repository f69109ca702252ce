import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { LaunchContextModule } from '../launch-context/launch-context.module.js';
import { OidcModule } from '../oidc/oidc.module.js';
import { OidcStoreModule } from '../oidc-store/oidc-store.module.js';
import { PasskeysModule } from '../passkeys/passkeys.module.js';
import { RepresentationModule } from '../representation/representation.module.js';
import { TwoFactorModule } from '../two-factor/two-factor.module.js';
import { UsersModule } from '../users/users.module.js';
import { CallerAdmission } from './application/caller-admission.js';
import { ExternalAdmission } from './application/external/external-admission.js';
import { ExternalQuestions } from './application/external/external-questions.js';
import { ExternalSignInCompletion } from './application/external/external-sign-in-completion.js';
import { ExternalSignInFailures } from './application/external/external-sign-in-failures.js';
import { ExternalSignIns } from './application/external/external-sign-ins.js';
import { IdentityProviders } from './application/external/identity-providers.js';
import { ProviderLogout } from './application/external/provider-logout.js';
import { OwnAccount } from './application/own-account.js';
import { PasskeySignIn } from './application/passkey-sign-in.js';
import { PasswordCheck } from './application/password-check.js';
import { PasswordSignIn } from './application/password-sign-in.js';
import { LinkPasskeys } from './application/recovery/link-passkeys.js';
import { Recovery } from './application/recovery/recovery.js';
import { RecoveryProofs } from './application/recovery/recovery-proofs.js';
import { Sessions } from './application/sessions.js';
import { SignInLimits } from './application/sign-in-limits.js';
import { SignInOptions } from './application/sign-in-options.js';
import { SignOut } from './application/sign-out.js';
import { ExternalAttempts } from './domain/external-attempt.js';
import { ProviderFailures } from './domain/provider-failures.js';
import { ExternalSignInController } from './http/external-sign-in.controller.js';
import { ExternalSignInGuard } from './http/external-sign-in.guard.js';
import { LinkPasskeyController } from './http/link-passkey.controller.js';
import { LocalLogin } from './http/local-login.guard.js';
import { LogoutController } from './http/logout.controller.js';
import { OwnAccountController } from './http/own-account.controller.js';
import { PasskeySignInController } from './http/passkey-sign-in.controller.js';
import { RecoveryController } from './http/recovery.controller.js';
import { SessionController } from './http/session.controller.js';
import { SessionGuard } from './http/session.guard.js';
import { PostgresExternalAttempts } from './infrastructure/postgres-external-attempts.js';
import { PostgresProviderFailures } from './infrastructure/postgres-provider-failures.js';

/**
 * Signing in and out, with a password, a passkey or at another OpenID provider; limits on failed attempts; the user's
 * own account; access to routes. Line 8 of the direction of use.
 */
@Module({
  imports: [
    LaunchContextModule,
    OidcModule,
    OidcStoreModule,
    PasskeysModule,
    RepresentationModule,
    TwoFactorModule,
    UsersModule,
  ],
  controllers: [
    SessionController,
    ExternalSignInController,
    LinkPasskeyController,
    LogoutController,
    OwnAccountController,
    PasskeySignInController,
    RecoveryController,
  ],
  providers: [
    { provide: ExternalAttempts, useClass: PostgresExternalAttempts },
    { provide: ProviderFailures, useClass: PostgresProviderFailures },
    ExternalAdmission,
    CallerAdmission,
    ExternalQuestions,
    ExternalSignInCompletion,
    ExternalSignInFailures,
    ExternalSignInGuard,
    ExternalSignIns,
    IdentityProviders,
    SignInOptions,
    SignInLimits,
    PasskeySignIn,
    PasswordCheck,
    PasswordSignIn,
    OwnAccount,
    ProviderLogout,
    LinkPasskeys,
    Recovery,
    RecoveryProofs,
    Sessions,
    SignOut,
    LocalLogin,
    { provide: APP_GUARD, useClass: SessionGuard },
  ],
  exports: [SignInLimits],
})
export class SessionModule {}
