import { Module } from '@nestjs/common';
import { ClientsModule } from '../clients/clients.module.js';
import { ConsentModule } from '../consent/consent.module.js';
import { OidcStoreModule } from '../oidc-store/oidc-store.module.js';
import { UsersModule } from '../users/users.module.js';
import { AccessLogs } from './application/access-logs.js';
import { AccessReasons } from './application/access-reasons.js';
import { AccessorNames } from './application/accessor-names.js';
import { LogPatients } from './application/log-patients.js';
import { LogPeriods } from './application/log-periods.js';
import { AccessLog } from './domain/access-log.js';
import { AccessLogController } from './http/access-log.controller.js';
import { PostgresAccessLog } from './infrastructure/postgres-access-log.js';

/** The audit record as patients and administrators read it, its partitions and its archives. */
@Module({
  imports: [ClientsModule, ConsentModule, OidcStoreModule, UsersModule],
  controllers: [AccessLogController],
  providers: [
    { provide: AccessLog, useClass: PostgresAccessLog },
    AccessLogs,
    AccessorNames,
    AccessReasons,
    LogPatients,
    LogPeriods,
  ],
})
export class AuditModule {}
