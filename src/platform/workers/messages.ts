import type { Config } from '../config/config.js';
import type { PostgresConnection } from '../database/connection.js';

/** Messages of the primary process to a worker. */
export type ToWorker =
  | { kind: 'start'; config: Config; connection: PostgresConnection }
  | { kind: 'report'; id: number }
  | { kind: 'reports'; id: number; reports: unknown[] };

/**
 * Messages of a worker to the primary process; `listening` asks for `start`, `reports` for the reports of all workers.
 */
export type FromWorker =
  | { kind: 'listening' }
  | { kind: 'ready'; greeting: string }
  | { kind: 'failed'; explanation: string | undefined }
  | { kind: 'report'; id: number; report: unknown }
  | { kind: 'reports'; id: number };
