import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { BulkModule } from '../bulk/bulk.module.js';
import { FhirServerModule } from '../fhir-server/fhir-server.module.js';
import { ManagedModule } from '../managed/managed.module.js';
import { OidcStoreModule } from '../oidc-store/oidc-store.module.js';
import { ClientBulk } from './application/client-bulk.js';
import { ClientChanges } from './application/client-changes.js';
import { ClientConditions } from './application/client-conditions.js';
import { ClientEndings } from './application/client-endings.js';
import { ClientManagement } from './application/client-management.js';
import { ClientSecretRotations } from './application/client-rotations.js';
import { ClientsByFile } from './application/clients-by-file.js';
import { ConfiguredClients } from './application/configured-clients.js';
import { KeySets } from './application/key-sets.js';
import { RegisteredClients } from './application/registered-clients.js';
import { Clients } from './domain/client.js';
import { ClientViews } from './domain/client-views.js';
import { SecretRotations } from './domain/secret-rotation.js';
import { ClientBulkController } from './http/client-bulk.controller.js';
import { ClientRotationsController } from './http/client-rotations.controller.js';
import { ClientsController } from './http/clients.controller.js';
import { clientSchema, clientSecretSchema } from './infrastructure/client-schemas.js';
import { PostgresClientViews } from './infrastructure/postgres-client-views.js';
import { PostgresClients } from './infrastructure/postgres-clients.js';
import { PostgresSecretRotations } from './infrastructure/postgres-secret-rotations.js';

/** Registered apps and services with their secrets and keys. Line 3 of the direction of use. */
@Module({
  imports: [
    BulkModule,
    ManagedModule,
    TypeOrmModule.forFeature([clientSchema, clientSecretSchema]),
    FhirServerModule,
    OidcStoreModule,
  ],
  controllers: [ClientBulkController, ClientRotationsController, ClientsController],
  providers: [
    { provide: Clients, useClass: PostgresClients },
    { provide: ClientViews, useClass: PostgresClientViews },
    { provide: SecretRotations, useClass: PostgresSecretRotations },
    ClientBulk,
    ClientChanges,
    ClientConditions,
    ClientEndings,
    ClientManagement,
    ClientSecretRotations,
    ClientsByFile,
    ConfiguredClients,
    KeySets,
    RegisteredClients,
  ],
  exports: [ClientManagement, ClientsByFile, KeySets, RegisteredClients],
})
export class ClientsModule {}
