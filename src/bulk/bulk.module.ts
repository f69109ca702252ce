import { Module } from '@nestjs/common';
import { BulkChanges } from './application/bulk-changes.js';
import { BulkCalls } from './domain/bulk-call.js';
import { BulkChangesController } from './http/bulk-changes.controller.js';
import { PostgresBulkCalls } from './infrastructure/postgres-bulk-calls.js';

/**
 * Changes of many clients or users by one call, which a job finishes and the caller can undo. Line 1 of the direction
 * of use.
 */
@Module({
  controllers: [BulkChangesController],
  providers: [{ provide: BulkCalls, useClass: PostgresBulkCalls }, BulkChanges],
  exports: [BulkChanges],
})
export class BulkModule {}
