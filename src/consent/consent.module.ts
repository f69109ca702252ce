import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DisclaimersModule } from '../disclaimers/disclaimers.module.js';
import { FhirServerModule } from '../fhir-server/fhir-server.module.js';
import { LaunchContextModule } from '../launch-context/launch-context.module.js';
import { OidcModule } from '../oidc/oidc.module.js';
import { OidcStoreModule } from '../oidc-store/oidc-store.module.js';
import { RepresentationModule } from '../representation/representation.module.js';
import { UsersModule } from '../users/users.module.js';
import { Consent } from './application/consent.js';
import { ConsentDecisions } from './application/consent-decisions.js';
import { ConsentOffers } from './application/consent-offers.js';
import { ConsentStep } from './application/consent-step.js';
import { AppConsents } from './domain/app-consent.js';
import { ConsentController } from './http/consent.controller.js';
import {
  appConsentSchema,
  PostgresAppConsents,
  representedConsentSchema,
} from './infrastructure/postgres-app-consents.js';

/**
 * The scopes that a user grants to an app, and when to ask again. Line 7 of the direction of use: a consent records
 * the disclaimers that applied when it was given.
 */
@Module({
  imports: [
    DisclaimersModule,
    FhirServerModule,
    LaunchContextModule,
    OidcModule,
    OidcStoreModule,
    RepresentationModule,
    UsersModule,
    TypeOrmModule.forFeature([appConsentSchema, representedConsentSchema]),
  ],
  controllers: [ConsentController],
  providers: [
    Consent,
    ConsentDecisions,
    ConsentOffers,
    ConsentStep,
    { provide: AppConsents, useClass: PostgresAppConsents },
  ],
  exports: [ConsentDecisions, ConsentOffers],
})
export class ConsentModule {}
