import type { Pool, PoolClient } from 'pg';
import { log } from '../logging/log.js';

/** The reason for which the database takes no changes, although it answers. */
export type WriteObstacle = 'disk-full' | 'read-only' | 'io-error';

const obstacles: Readonly<Record<string, WriteObstacle>> = {
  // PostgreSQL, Appendix A: disk_full, io_error, read_only_sql_transaction.
  '53100': 'disk-full',
  '58030': 'io-error',
  '25006': 'read-only',
};

/** The attempt does not suit the schema, or the rights of the role: PostgreSQL was about to write. */
const otherFailures = /^(22|23|42)/;

const attemptEveryMs = 1_000;
/** A table may fail that the attempt does not use: as long as its requests fail, writing does not work. */
const quietMs = 2_000;

/**
 * Begins a change of each table, and keeps nothing. The job has so many bytes that its table needs more pages, which a
 * full disk does not have.
 */
const attempt = `BEGIN;
  DO $$
    DECLARE one record;
    BEGIN
      FOR one IN
        SELECT c.oid::regclass AS name, first.attname AS member
          FROM pg_class c
          CROSS JOIN LATERAL (
            SELECT attname FROM pg_attribute
             WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = '' AND attidentity = ''
             ORDER BY attnum LIMIT 1) first
         WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition
           AND c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'job'::regclass)
      LOOP
        EXECUTE format('INSERT INTO %1$s (%2$I) SELECT %2$I FROM %1$s WHERE false', one.name, one.member);
        BEGIN
          EXECUTE format('UPDATE %1$s SET %2$I = %2$I WHERE false', one.name, one.member);
        EXCEPTION WHEN insufficient_privilege THEN
          -- The audit record is append-only.
        END;
      END LOOP;
    END $$;
  INSERT INTO job (kind, payload)
    SELECT 'write-attempt', to_jsonb(string_agg(md5(random()::text), '')) FROM generate_series(1, 2000);
  ROLLBACK`;

/**
 * Knows whether the database takes changes: a full disk answers every read. The first statement that fails for it is
 * logged, with the reason; then writing is attempted until it works again, which is logged, too.
 */
export class WriteWatch {
  private found: WriteObstacle | undefined;
  private failedAt = 0;
  private running: Promise<void> | undefined;

  constructor(private readonly pool: Pool) {}

  /** Takes the error of any statement or connection. */
  note(error: unknown): void {
    const { code = '', message } = (error ?? {}) as { code?: string; message?: string };
    const obstacle = obstacles[code];
    if (!obstacle) return;
    this.failedAt = performance.now();
    if (this.found === obstacle) return;
    const isFirst = this.found === undefined;
    this.found = obstacle;
    log.error({ reason: message, code }, `the database takes no changes: ${obstacle}`);
    if (isFirst) this.attemptLater();
  }

  /** The reason for which nothing can be written; undefined if writing has not failed, or works again. */
  get obstacle(): WriteObstacle | undefined {
    return this.found;
  }

  /** True if writing has not failed, or works again by now. */
  async isPossible(): Promise<boolean> {
    if (this.found) await this.attemptNow();
    return this.found === undefined;
  }

  private attemptLater(): void {
    setTimeout(() => {
      void this.attemptNow().then(() => {
        if (this.found && !this.pool.ending) this.attemptLater();
      });
    }, attemptEveryMs).unref();
  }

  private attemptNow(): Promise<void> {
    this.running ??= this.write().finally(() => {
      this.running = undefined;
    });
    return this.running;
  }

  private async write(): Promise<void> {
    const client = await this.pool.connect().catch((error: unknown) => {
      this.note(error);
      return undefined;
    });
    if (!client) return;
    const failure = await failureOf(client);
    client.release(failure);
    if (failure) this.note(failure);
    const isQuiet = this.found === 'read-only' || performance.now() - this.failedAt >= quietMs;
    if (failure || !isQuiet || !this.found) return;
    this.found = undefined;
    log.info('the database takes changes again');
  }
}

async function failureOf(client: PoolClient): Promise<Error | undefined> {
  try {
    await client.query(attempt);
    return undefined;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    return otherFailures.test((error as { code?: string }).code ?? '') ? undefined : (error as Error);
  }
}
