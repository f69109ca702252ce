import type { OnModuleDestroy, OnModuleInit } from '@nestjs/common';
import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import type { Database } from '../database/database.js';
import { Problem } from '../errors.js';
import { log } from '../logging/log.js';

const sweepEveryMs = 60_000;
/** A node takes this part of a limit at once; what it does not use is lost to the other nodes. */
const bundlesPerLimit = 100;
const mostBundles = 10_000;

/** So many in so many seconds, per key. */
export interface Limit {
  name: string;
  points: number;
  seconds: number;
}

/** What a node may give out by itself, or, when it has none, how long nobody has to ask for more. */
interface Bundle {
  left: number;
  isRefused: boolean;
  /** Of the monotonic clock. */
  until: number;
}

/**
 * Counts in PostgreSQL, so that a limit holds over all nodes and restarts; while the database is away each node counts for
 * itself, and never lets everything through (security F-05).
 */
export class Limits implements OnModuleInit, OnModuleDestroy {
  private timer: NodeJS.Timeout | undefined;
  private readonly limiters = new Map<string, RateLimiterPostgres>();
  /** The newest last. */
  private readonly bundles = new Map<string, Promise<Bundle>>();

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
    const { rowCount } = await this.database.queryOutsideTransaction(
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
      throw throttled(refusal.msBeforeNext);
    }
  }

  /**
   * As {@link take}, for what comes often and is seldom too much: the database is asked once for a bundle of them, and not
   * at all while there are none left.
   */
  async takeOften(limit: Limit, key: string): Promise<void> {
    const id = `${limit.name}:${key}`;
    for (;;) {
      const known = this.bundles.get(id);
      const bundle = await (known ?? this.keepBundle(id, this.takeBundle(limit, key)));
      const msLeft = bundle.until - performance.now();
      if (msLeft > 0 && bundle.isRefused) throw throttled(msLeft);
      if (msLeft > 0 && bundle.left > 0) {
        bundle.left -= 1;
        return;
      }
      if (this.bundles.get(id) === known) this.bundles.delete(id);
    }
  }

  /** Throws as {@link take} would, but takes none. */
  async check(limit: Limit, key: string): Promise<void> {
    const counted = await this.limiter(limit).get(key);
    if (counted && counted.consumedPoints >= limit.points) throw throttled(counted.msBeforeNext);
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

  private async takeBundle(limit: Limit, key: string): Promise<Bundle> {
    const size = Math.max(1, Math.floor(limit.points / bundlesPerLimit));
    try {
      const { msBeforeNext } = await this.limiter(limit).consume(key, size);
      return { left: size, isRefused: false, until: performance.now() + msBeforeNext };
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      return { left: 0, isRefused: true, until: performance.now() + refusal.msBeforeNext };
    }
  }

  private keepBundle(id: string, bundle: Promise<Bundle>): Promise<Bundle> {
    this.bundles.set(id, bundle);
    const [oldest] = this.bundles.size > mostBundles ? this.bundles.keys() : [];
    if (oldest !== undefined) this.bundles.delete(oldest);
    // Whoever comes next may have more luck.
    bundle.catch(() => this.bundles.get(id) === bundle && this.bundles.delete(id));
    return bundle;
  }

  private limiter({ name, points, seconds }: Limit): RateLimiterPostgres {
    let limiter = this.limiters.get(name);
    if (!limiter) {
      limiter = new RateLimiterPostgres({
        // The statements run outside of the use case's transaction: a refused attempt counts although it is rolled back.
        storeClient: {
          query: (statement: { text: string; values: unknown[] }) =>
            this.database.queryOutsideTransaction(statement.text, statement.values),
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

function throttled(ms: number): Problem {
  return new Problem('throttled', 'Too many attempts. Please wait and try again.', {
    retryAfterSeconds: Math.max(1, Math.ceil(ms / 1000)),
  });
}
