import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { FhirServerModule } from '../fhir-server/fhir-server.module.js';
import { OidcStoreModule } from '../oidc-store/oidc-store.module.js';
import { ClientChanges } from './application/client-changes.js';
import { ClientConditions } from './application/client-conditions.js';
import { ClientManagement } from './application/client-management.js';
import { ConfiguredClients } from './application/configured-clients.js';
import { KeySets } from './application/key-sets.js';
import { RegisteredClients } from './application/registered-clients.js';
import { Clients } from './domain/client.js';
import { ClientViews } from './domain/client-views.js';
import { ClientsController } from './http/clients.controller.js';
import { clientSchema, clientSecretSchema } from './infrastructure/client-schemas.js';
import { PostgresClientViews } from './infrastructure/postgres-client-views.js';
import { PostgresClients } from './infrastructure/postgres-clients.js';

@Module({
  imports: [TypeOrmModule.forFeature([clientSchema, clientSecretSchema]), FhirServerModule, OidcStoreModule],
  controllers: [ClientsController],
  providers: [
    { provide: Clients, useClass: PostgresClients },
    { provide: ClientViews, useClass: PostgresClientViews },
    ClientChanges,
    ClientConditions,
    ClientManagement,
    ConfiguredClients,
    KeySets,
    RegisteredClients,
  ],
  exports: [ClientManagement, KeySets, RegisteredClients],
})
export class ClientsModule {}
