import { Module } from '@nestjs/common';
import { FhirServer } from './application/fhir-server.js';
import { FhirServerStatus } from './application/fhir-server-status.js';
import { FhirServerConnection } from './domain/connection.js';
import { ServerStates } from './domain/server-states.js';
import { ServerStatusController } from './http/server-status.controller.js';
import { SqlServerStates } from './infrastructure/sql-server-states.js';
import { UndiciConnection } from './infrastructure/undici-connection.js';

@Module({
  controllers: [ServerStatusController],
  providers: [
    FhirServer,
    FhirServerStatus,
    { provide: FhirServerConnection, useClass: UndiciConnection },
    { provide: ServerStates, useClass: SqlServerStates },
  ],
  exports: [FhirServer, FhirServerStatus],
})
export class FhirServerModule {}
