import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { OidcModule } from '../oidc/oidc.module.js';
import { OidcStoreModule } from '../oidc-store/oidc-store.module.js';
import { ConfiguredDisclaimers } from './application/configured-disclaimers.js';
import { Disclaimers } from './application/disclaimers.js';
import { DisclaimersStep } from './application/disclaimers-step.js';
import { StandingAgreements } from './application/standing-agreements.js';
import { Agreements } from './domain/agreement.js';
import { DisclaimersController } from './http/disclaimers.controller.js';
import { agreementSchema, PostgresAgreements } from './infrastructure/postgres-agreements.js';

/** Texts that users must agree to before an app gets access, and the agreements. Line 6 of the direction of use. */
@Module({
  imports: [OidcModule, OidcStoreModule, TypeOrmModule.forFeature([agreementSchema])],
  controllers: [DisclaimersController],
  providers: [
    ConfiguredDisclaimers,
    Disclaimers,
    DisclaimersStep,
    StandingAgreements,
    { provide: Agreements, useClass: PostgresAgreements },
  ],
  exports: [ConfiguredDisclaimers, StandingAgreements],
})
export class DisclaimersModule {}
