import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import type { Database } from '../database/database.js';
import { Problem } from '../errors.js';

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
export class Limits {
  private readonly limiters = new Map<string, RateLimiterPostgres>();

  constructor(private readonly database: Database) {}

  /** Takes one; throws a throttled {@link Problem} when none is left. */
  async take(limit: Limit, key: string): Promise<void> {
    try {
      await this.limiter(limit).consume(key);
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      throw new Problem('throttled', 'Too many attempts. Please wait and try again.', {
        retryAfterSeconds: Math.max(1, Math.ceil(refusal.msBeforeNext / 1000)),
      });
    }
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
