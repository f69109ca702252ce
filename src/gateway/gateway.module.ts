import { Module } from '@nestjs/common';
import { FhirServerModule } from '../fhir-server/fhir-server.module.js';
import { OidcModule } from '../oidc/oidc.module.js';
import { AdvertisedConfiguration } from './application/advertised-configuration.js';
import { FhirBase } from './application/fhir-base.js';
import { FhirGateway } from './application/fhir-gateway.js';
import { LimitedAccess } from './application/limited-access.js';
import { Metadata } from './application/metadata.js';
import { OpenDocuments } from './application/open-documents.js';
import { ServerExchange } from './application/server-exchange.js';
import { UnlimitedAccess } from './application/unlimited-access.js';
import { Gateway } from './http/gateway.handler.js';
import { SmartConfigurationController } from './http/smart-configuration.controller.js';

@Module({
  imports: [FhirServerModule, OidcModule],
  controllers: [SmartConfigurationController],
  providers: [
    AdvertisedConfiguration,
    FhirBase,
    FhirGateway,
    Gateway,
    LimitedAccess,
    Metadata,
    OpenDocuments,
    ServerExchange,
    UnlimitedAccess,
  ],
  exports: [Gateway],
})
export class GatewayModule {}
