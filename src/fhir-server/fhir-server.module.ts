import { Module } from '@nestjs/common';
import { FhirServer } from './application/fhir-server.js';
import { FhirServerFigures } from './application/fhir-server-figures.js';
import { FhirServerProbes } from './application/fhir-server-probes.js';
import { FhirServerStatus } from './application/fhir-server-status.js';
import { FhirServers } from './application/fhir-servers.js';
import { FhirServerConnections } from './domain/connection.js';
import { ServerStates } from './domain/server-states.js';
import { ServerStatusController } from './http/server-status.controller.js';
import { SqlServerStates } from './infrastructure/sql-server-states.js';
import { UndiciConnections } from './infrastructure/undici-connection.js';

/** The connection to the FHIR server, and its health. Line 2 of the direction of use. */
@Module({
  controllers: [ServerStatusController],
  providers: [
    FhirServers,
    FhirServerFigures,
    FhirServerProbes,
    // Without a tenant, "the" FHIR server is the one of no tenant.
    {
      provide: FhirServer,
      inject: [FhirServers],
      useFactory: (servers: FhirServers) => servers.forTenant(undefined).server,
    },
    {
      provide: FhirServerStatus,
      inject: [FhirServers],
      useFactory: (servers: FhirServers) => servers.forTenant(undefined).status,
    },
    { provide: FhirServerConnections, useClass: UndiciConnections },
    { provide: ServerStates, useClass: SqlServerStates },
  ],
  exports: [FhirServer, FhirServers, FhirServerProbes, FhirServerStatus],
})
export class FhirServerModule {}
