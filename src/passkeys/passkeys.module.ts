import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { OidcModule } from '../oidc/oidc.module.js';
import { TwoFactorModule } from '../two-factor/two-factor.module.js';
import { UsersModule } from '../users/users.module.js';
import { Ceremonies } from './application/ceremonies.js';
import { Challenges } from './application/challenges.js';
import { OwnRecovery } from './application/own-recovery.js';
import { PasskeyConfirmation } from './application/passkey-confirmation.js';
import { PasskeyEvents } from './application/passkey-events.js';
import { PasskeyProofs } from './application/passkey-proofs.js';
import { PasskeyRegistry } from './application/passkey-registry.js';
import { PasskeySecondFactor } from './application/passkey-second-factor.js';
import { PasskeySettings } from './application/passkey-settings.js';
import { Passkeys } from './domain/passkey.js';
import { OwnRecoveryController } from './http/own-recovery.controller.js';
import { PasskeySecondFactorController } from './http/passkey-second-factor.controller.js';
import { PasskeysController } from './http/passkeys.controller.js';
import { PostgresPasskeys, passkeySchema } from './infrastructure/postgres-passkeys.js';

/**
 * Passkeys (WebAuthn): adding and removing them, their proof at sign-in, as a second factor and in place of the
 * current password. Line 7 of the direction of use: passkeys are a second factor as well.
 */
@Module({
  imports: [OidcModule, UsersModule, TwoFactorModule, TypeOrmModule.forFeature([passkeySchema])],
  controllers: [OwnRecoveryController, PasskeysController, PasskeySecondFactorController],
  providers: [
    Ceremonies,
    Challenges,
    OwnRecovery,
    PasskeyConfirmation,
    PasskeyEvents,
    PasskeyProofs,
    PasskeyRegistry,
    PasskeySecondFactor,
    PasskeySettings,
    { provide: Passkeys, useClass: PostgresPasskeys },
  ],
  exports: [PasskeyProofs, PasskeyRegistry],
})
export class PasskeysModule {}
