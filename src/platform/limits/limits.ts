import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import { message } from '../../contract/messages/message.js';
import { Database } from '../database/database.js';
import { Problem } from '../errors.js';
import { type Repeated, repeat } from '../process/repeat.js';

const sweepEveryMs = 60_000;
/** Number of bundles per limit: a node takes one at once, and its unused rest is lost to the other nodes. */
const bundlesPerLimit = 100;
const mostBundles = 10_000;

/**
 * Matches the key, and keys of two parts with this first part; `!` follows the blank. Uses the index of the pattern
 * operators.
 */
const isKeyOrBegins = "(key = $1 OR (key ~>=~ ($1 || ' ') AND key ~<~ ($1 || '!')))";

/** At most `points` in `seconds`, per key. */
export interface Limit {
  name: string;
  points: number;
  seconds: number;
}

/**
 * Points that a node may spend without the database, or, if there are none, the time until which it need not ask for
 * more.
 */
interface Bundle {
  left: number;
  isRefused: boolean;
  /** A time of the monotonic clock. */
  until: number;
}

/**
 * Rate limits, counted in PostgreSQL, so that they hold over all nodes and restarts; while the database is unavailable
 * each node counts for itself, and never lets all requests through (security F-05).
 */
@Injectable()
export class Limits implements OnModuleInit, OnModuleDestroy {
  private sweeps: Repeated | undefined;
  private readonly limiters = new Map<string, RateLimiterPostgres>();
  /** Bundles by key, the newest last. */
  private readonly bundles = new Map<string, Promise<Bundle>>();

  constructor(private readonly database: Database) {}

  onModuleInit(): void {
    this.sweeps = repeat(sweepEveryMs, 'sweep of expired rate-limit counts failed; will retry', async () => {
      await this.sweep();
    });
  }

  async onModuleDestroy(): Promise<void> {
    await this.sweeps?.stop();
  }

  /** Removes expired counts: guessing leaves rows for accounts that do not exist. Returns their number. */
  async sweep(): Promise<number> {
    const { rowCount } = await this.database.queryOutsideTransaction(
      `DELETE FROM rate_limit WHERE key IN (
         SELECT key FROM rate_limit WHERE expire <= $1 LIMIT 5000 FOR UPDATE SKIP LOCKED)`,
      [Date.now()],
    );
    return rowCount ?? 0;
  }

  /** Takes one point and returns the number taken; throws a throttled {@link Problem} when none is left. */
  async takePoint(limit: Limit, key: string): Promise<number> {
    try {
      const { consumedPoints } = await this.limiter(limit).consume(key, 1, { customDuration: limit.seconds });
      return consumedPoints;
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      throw throttled(refusal.msBeforeNext);
    }
  }

  /**
   * As {@link takePoint}, for frequent requests that seldom exceed the limit: the database is asked once per bundle,
   * and not at all while no points are left.
   */
  async takeReservedPoint(limit: Limit, key: string): Promise<void> {
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

  /** Throws as {@link takePoint} would, but takes no point. */
  async check(limit: Limit, key: string): Promise<void> {
    const counted = await this.limiter(limit).get(key);
    if (counted && counted.consumedPoints >= limit.points) throw throttled(counted.msBeforeNext);
  }

  /** Counts one point even if none is left; returns the number taken. */
  async count(limit: Limit, key: string): Promise<number> {
    return (await this.limiter(limit).penalty(key, 1, { customDuration: limit.seconds })).consumedPoints;
  }

  /** Returns a point whose use was harmless. */
  async giveBack(limit: Limit, key: string): Promise<void> {
    await this.limiter(limit).reward(key, 1, { customDuration: limit.seconds });
  }

  /** Resets the count of the key. */
  async forget(limit: Limit, key: string): Promise<void> {
    await this.limiter(limit).delete(key);
  }

  /**
   * When the last exhausted count ends, of this key and of those that begin with it and a blank; undefined if all have
   * points left.
   */
  async exhaustedUntil({ name, points }: Limit, key: string): Promise<Date | undefined> {
    const { rows } = await this.database.query<{ until: string | null }>(
      `SELECT max(expire) AS until FROM rate_limit WHERE ${isKeyOrBegins} AND points >= $2 AND expire > $3`,
      [`${name}:${key}`, points, Date.now()],
    );
    const until = rows[0]?.until ?? undefined;
    return until === undefined ? undefined : new Date(Number(until));
  }

  /**
   * Resets the counts of this key, and of those that begin with it and a blank, in the caller's transaction. Returns
   * true if any had points: one whose points were all given back is none.
   */
  async release({ name }: Limit, key: string): Promise<boolean> {
    const { rows } = await this.database.query<{ points: number }>(
      `DELETE FROM rate_limit WHERE ${isKeyOrBegins} RETURNING points`,
      [`${name}:${key}`],
    );
    return rows.some(({ points }) => points > 0);
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
    // The next request tries again.
    bundle.catch(() => this.bundles.get(id) === bundle && this.bundles.delete(id));
    return bundle;
  }

  private limiter({ name, points, seconds }: Limit): RateLimiterPostgres {
    let limiter = this.limiters.get(name);
    if (!limiter) {
      limiter = new RateLimiterPostgres({
        // The statements run outside of the use case's transaction: a refused attempt counts although it is rolled
        // back.
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
  return new Problem('throttled', message('attempts-throttled'), {
    retryAfterSeconds: Math.max(1, Math.ceil(ms / 1000)),
  });
}
