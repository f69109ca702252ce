import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { makeAuditPartitions } from '../../platform/audit/audit-partitions.js';
import { Database } from '../../platform/database/database.js';
import { type Repeated, repeat } from '../../platform/process/repeat.js';

const everyMs = 3_600_000;

/** Every node makes the partitions of the next months, before events need them. */
@Injectable()
export class PartitionsAhead implements OnModuleInit, OnModuleDestroy {
  private making: Repeated | undefined;

  constructor(private readonly database: Database) {}

  onModuleInit(): void {
    this.making = repeat(everyMs, 'creation of audit partitions failed; will retry', () =>
      makeAuditPartitions(this.database),
    );
    this.making.runNow();
  }

  async onModuleDestroy(): Promise<void> {
    await this.making?.stop();
  }
}
