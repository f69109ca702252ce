import { Module } from '@nestjs/common';
import { FhirServerModule } from '../fhir-server/fhir-server.module.js';
import { OidcModule } from '../oidc/oidc.module.js';
import { RepresentationModule } from '../representation/representation.module.js';
import { AccessPosts } from './application/audit/access-posts.js';
import { AdvertisedConfiguration } from './application/documents/advertised-configuration.js';
import { GatewayBases } from './application/gateway-bases.js';
import { AccessEvents } from './domain/access-events.js';
import { Gateway } from './http/gateway.handler.js';
import { SmartConfigurationController } from './http/smart-configuration.controller.js';
import { PostgresAccessEvents } from './infrastructure/postgres-access-events.js';

/**
 * Decides which requests to the FHIR base are permitted, and which resources of the answer. Line 8 of the direction of
 * use.
 */
@Module({
  imports: [FhirServerModule, OidcModule, RepresentationModule],
  controllers: [SmartConfigurationController],
  providers: [
    { provide: AccessEvents, useClass: PostgresAccessEvents },
    AccessPosts,
    AdvertisedConfiguration,
    Gateway,
    GatewayBases,
  ],
  exports: [Gateway, GatewayBases],
})
export class GatewayModule {}
