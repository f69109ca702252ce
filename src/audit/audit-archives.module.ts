import { Module } from '@nestjs/common';
import { AuditSeals } from './domain/audit-seals.js';
import { ArchiveChain } from './infrastructure/archive/archive-chain.js';
import { AuditArchives } from './infrastructure/archive/audit-archives.js';
import { PostgresAuditSeals } from './infrastructure/postgres-audit-seals.js';

/** Seals and archives of the audit record, for the portal and for commands. */
@Module({
  providers: [{ provide: AuditSeals, useClass: PostgresAuditSeals }, AuditArchives, ArchiveChain],
  exports: [AuditSeals, AuditArchives, ArchiveChain],
})
export class AuditArchivesModule {}
