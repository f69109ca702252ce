import type { LoggerService } from '@nestjs/common';
import { log } from './log.js';

/** Sends Nest's own messages to the process's log; its start-up messages only at debug level. */
export class NestLog implements LoggerService {
  log(message: unknown): void {
    log.debug(String(message));
  }
  error(message: unknown, ...details: unknown[]): void {
    log.error({ details }, String(message));
  }
  warn(message: unknown): void {
    log.warn(String(message));
  }
}
