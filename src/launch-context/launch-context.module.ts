import { type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { text } from 'express';
import { ClientsModule } from '../clients/clients.module.js';
import { FhirServerModule } from '../fhir-server/fhir-server.module.js';
import { OidcModule } from '../oidc/oidc.module.js';
import { OidcStoreModule } from '../oidc-store/oidc-store.module.js';
import { RepresentationModule } from '../representation/representation.module.js';
import { Candidates } from './application/candidates.js';
import { EhrAnnouncements } from './application/ehr-announcements.js';
import { FhirAvailabilityCheck } from './application/fhir-availability-check.js';
import { ForWhomRows } from './application/for-whom-rows.js';
import { LaunchContext } from './application/launch-context.js';
import { LaunchContextStep } from './application/launch-context-step.js';
import { NamedPatients } from './application/named-patients.js';
import { OfferedResources } from './application/offered-resources.js';
import { EhrLaunchController } from './http/ehr-launch.controller.js';
import { LaunchContextController } from './http/launch-context.controller.js';

/**
 * The patient and other resources that an app is launched for: chosen by the user or announced by an EHR. Line 6 of
 * the direction of use.
 */
@Module({
  imports: [ClientsModule, FhirServerModule, OidcModule, OidcStoreModule, RepresentationModule],
  controllers: [LaunchContextController, EhrLaunchController],
  providers: [
    Candidates,
    EhrAnnouncements,
    LaunchContext,
    LaunchContextStep,
    FhirAvailabilityCheck,
    ForWhomRows,
    NamedPatients,
    OfferedResources,
  ],
  exports: [FhirAvailabilityCheck, NamedPatients],
})
export class LaunchContextModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(text({ type: () => true, limit: '16kb' })).forRoutes(EhrLaunchController);
  }
}
