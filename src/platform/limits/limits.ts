import type { OnModuleDestroy, OnModuleInit } from '@nestjs/common';
import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import type { Database } from '../database/database.js';
import { Problem } from '../errors.js';
import { log } from '../logging/log.js';

const sweepEveryMs = 60_000;

/** So many in so many seconds, per key. */
export interface Limit {
  name: string;
  points: number;
  seconds: number;
}

/**
 * Counts in PostgreSQL, so that a limit holds over all nodes and restarts; while the database is away each node counts for
 * itself, and never lets everything through (security F-05).
 */
export class Limits implements OnModuleInit, OnModuleDestroy {
  private timer: NodeJS.Timeout | undefined;
  private readonly limiters = new Map<string, RateLimiterPostgres>();

  constructor(private readonly database: Database) {}

  onModuleInit(): void {
    this.timer = setInterval(() => {
      this.sweep().catch((error: unknown) => log.warn({ err: error }, 'expired counts stay for now'));
    }, sweepEveryMs).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  /** Removes what no longer counts: whoever guesses leaves rows for accounts that do not exist. Says how many. */
  async sweep(): Promise<number> {
    const { rowCount } = await this.database.queryApart(
      `DELETE FROM rate_limit WHERE key IN (
         SELECT key FROM rate_limit WHERE expire <= $1 LIMIT 5000 FOR UPDATE SKIP LOCKED)`,
      [Date.now()],
    );
    return rowCount ?? 0;
  }

  /** Takes one and says how many that makes; throws a throttled {@link Problem} when none is left. */
  async take(limit: Limit, key: string): Promise<number> {
    try {
      const { consumedPoints } = await this.limiter(limit).consume(key, 1, { customDuration: limit.seconds });
      return consumedPoints;
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      throw throttled(refusal);
    }
  }

  /** Throws as {@link take} would, but takes none. */
  async check(limit: Limit, key: string): Promise<void> {
    const counted = await this.limiter(limit).get(key);
    if (counted && counted.consumedPoints >= limit.points) throw throttled(counted);
  }

  /** Takes one, there or not; says how many that makes. */
  async count(limit: Limit, key: string): Promise<number> {
    return (await this.limiter(limit).penalty(key, 1, { customDuration: limit.seconds })).consumedPoints;
  }

  /** What was taken did no harm. */
  async giveBack(limit: Limit, key: string): Promise<void> {
    await this.limiter(limit).reward(key, 1, { customDuration: limit.seconds });
  }

  /** Forgets what was counted for the key. */
  async forget(limit: Limit, key: string): Promise<void> {
    await this.limiter(limit).delete(key);
  }

  private limiter({ name, points, seconds }: Limit): RateLimiterPostgres {
    let limiter = this.limiters.get(name);
    if (!limiter) {
      limiter = new RateLimiterPostgres({
        // The statements run outside of the use case's transaction: a refused attempt counts although it is rolled back.
        storeClient: {
          query: (statement: { text: string; values: unknown[] }) =>
            this.database.queryApart(statement.text, statement.values),
        },
        storeType: 'client',
        tableName: 'rate_limit',
        tableCreated: true,
        clearExpiredByTimeout: false,
        keyPrefix: name,
        points,
        duration: seconds,
        insuranceLimiter: new RateLimiterMemory({ keyPrefix: name, points, duration: seconds }),
      });
      this.limiters.set(name, limiter);
    }
    return limiter;
  }
}

function throttled({ msBeforeNext }: RateLimiterRes): Problem {
  return new Problem('throttled', 'Too many attempts. Please wait and try again.', {
    retryAfterSeconds: Math.max(1, Math.ceil(msBeforeNext / 1000)),
  });
}
