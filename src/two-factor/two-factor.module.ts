import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { OidcModule } from '../oidc/oidc.module.js';
import { OidcStoreModule } from '../oidc-store/oidc-store.module.js';
import { UsersModule } from '../users/users.module.js';
import { LostSecondFactor } from './application/lost-second-factor.js';
import { StepUp } from './application/step-up.js';
import { TwoFactorChangeGuard } from './application/two-factor-change-guard.js';
import { TwoFactorEvents } from './application/two-factor-events.js';
import { TwoFactorProofs } from './application/two-factor-proofs.js';
import { TwoFactorReset } from './application/two-factor-reset.js';
import { TwoFactorSettings } from './application/two-factor-settings.js';
import { TwoFactorSignIn } from './application/two-factor-sign-in.js';
import { PendingSignIns } from './domain/pending-sign-in.js';
import { TwoFactors } from './domain/two-factor.js';
import { TwoFactorController } from './http/two-factor.controller.js';
import { PostgresPendingSignIns, pendingSignInSchema } from './infrastructure/postgres-pending-sign-ins.js';
import { PostgresTwoFactors, twoFactorSchema } from './infrastructure/postgres-two-factors.js';

/**
 * Authenticator codes and recovery codes, at sign-in and where a client requires them. Line 6 of the direction of use.
 */
@Module({
  imports: [OidcModule, OidcStoreModule, UsersModule, TypeOrmModule.forFeature([twoFactorSchema, pendingSignInSchema])],
  controllers: [TwoFactorController],
  providers: [
    TwoFactorEvents,
    TwoFactorChangeGuard,
    TwoFactorProofs,
    TwoFactorReset,
    TwoFactorSignIn,
    LostSecondFactor,
    StepUp,
    TwoFactorSettings,
    { provide: TwoFactors, useClass: PostgresTwoFactors },
    { provide: PendingSignIns, useClass: PostgresPendingSignIns },
  ],
  exports: [StepUp, TwoFactorChangeGuard, TwoFactorEvents, TwoFactorProofs, TwoFactorReset, TwoFactorSignIn],
})
export class TwoFactorModule {}
