import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { OidcModule } from '../oidc/oidc.module.js';
import { UsersModule } from '../users/users.module.js';
import { Owners } from './application/owners.js';
import { SecondFactors } from './application/second-factors.js';
import { SecondStep } from './application/second-step.js';
import { StepUp } from './application/step-up.js';
import { TwoFactorSettings } from './application/two-factor-settings.js';
import { PendingSignIns } from './domain/pending-sign-in.js';
import { TwoFactors } from './domain/two-factor.js';
import { TwoFactorController } from './http/two-factor.controller.js';
import { PostgresPendingSignIns, pendingSignInSchema } from './infrastructure/postgres-pending-sign-ins.js';
import { PostgresTwoFactors, twoFactorSchema } from './infrastructure/postgres-two-factors.js';

@Module({
  imports: [OidcModule, UsersModule, TypeOrmModule.forFeature([twoFactorSchema, pendingSignInSchema])],
  controllers: [TwoFactorController],
  providers: [
    Owners,
    SecondFactors,
    SecondStep,
    StepUp,
    TwoFactorSettings,
    { provide: TwoFactors, useClass: PostgresTwoFactors },
    { provide: PendingSignIns, useClass: PostgresPendingSignIns },
  ],
  exports: [SecondFactors, SecondStep],
})
export class TwoFactorModule {}
