import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { log } from '../../platform/logging/log.js';
import { OidcRecords } from './oidc-records.js';

const everyMs = 60_000;
const batch = 5_000;

/** Removes expired rows in small batches, so that no statement holds others up. */
@Injectable()
export class Sweeper implements OnModuleInit, OnModuleDestroy {
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly records: OidcRecords) {}

  onModuleInit(): void {
    this.timer = setInterval(() => {
      this.records.sweep(batch).catch((error: unknown) => log.warn({ err: error }, 'expired rows stay for now'));
    }, everyMs).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }
}
