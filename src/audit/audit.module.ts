import { Module } from '@nestjs/common';
import { ClientsModule } from '../clients/clients.module.js';
import { ConsentModule } from '../consent/consent.module.js';
import { OidcStoreModule } from '../oidc-store/oidc-store.module.js';
import { RepresentationModule } from '../representation/representation.module.js';
import { UsersModule } from '../users/users.module.js';
import { AccessLogExports } from './application/access-log-exports.js';
import { AccessLogs } from './application/access-logs.js';
import { AccessParties } from './application/access-parties.js';
import { AccessReasons } from './application/access-reasons.js';
import { AuditFigures } from './application/audit-figures.js';
import { AuditReading } from './application/audit-reading.js';
import { AuditVerificationRuns } from './application/audit-verification-runs.js';
import { PartitionsAhead } from './application/partitions-ahead.js';
import { AuditArchivesModule } from './audit-archives.module.js';
import { AccessLog } from './domain/access-log.js';
import { AuditRecord } from './domain/audit-event.js';
import { AuditVerifications } from './domain/audit-verification.js';
import { AccessLogController } from './http/access-log.controller.js';
import { AuditController } from './http/audit.controller.js';
import { ClientHistoryController } from './http/client-history.controller.js';
import { PostgresAccessLog } from './infrastructure/postgres-access-log.js';
import { PostgresAuditRecord } from './infrastructure/postgres-audit-record.js';
import { PostgresAuditVerifications } from './infrastructure/postgres-audit-verifications.js';

/**
 * The audit record, as patients and administrators read it, its seals, months and archives. Line 8 of the direction of
 * use.
 */
@Module({
  imports: [AuditArchivesModule, ClientsModule, ConsentModule, OidcStoreModule, RepresentationModule, UsersModule],
  controllers: [AccessLogController, AuditController, ClientHistoryController],
  providers: [
    { provide: AccessLog, useClass: PostgresAccessLog },
    { provide: AuditRecord, useClass: PostgresAuditRecord },
    AccessLogExports,
    AccessLogs,
    AccessParties,
    AccessReasons,
    AuditFigures,
    AuditReading,
    { provide: AuditVerifications, useClass: PostgresAuditVerifications },
    AuditVerificationRuns,
    PartitionsAhead,
  ],
})
export class AuditModule {}
