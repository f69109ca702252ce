import type { Pool, PoolClient, QueryResult, QueryResultRow } from 'pg';
import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import { Problem } from '../errors.js';
import { transactionAtHand } from '../scope.js';
import { closeIfUnresponsive, failFast } from './connection-breaker.js';
import { closeIfReadOnly, refuseReadOnly } from './read-only.js';

const mostRuns = 3;

/**
 * The transaction of the use case at hand travels with the call (AsyncLocalStorage), so that repositories, rooms and the
 * OIDC engine's storage all join it without being told. It begins with its first statement: a request that needs no
 * database holds no connection.
 */
export class Database {
  constructor(private readonly dataSource: DataSource) {
    // A connection that breaks while idle or checked out must fail its statement, not the process (node-postgres emits
    // 'error' on the client, which Node turns into a crash when nobody listens).
    const pool = this.pool;
    pool.on('error', () => undefined);
    pool.on('connect', (client: PoolClient) => client.on('error', () => undefined));
    failFast(pool);
  }

  /** TypeORM's manager of the transaction at hand, or of the pool outside of one. */
  get manager(): EntityManager {
    return this.ambient?.runner.manager ?? this.dataSource.manager;
  }

  /** One statement with `$1` parameters, in the transaction at hand. */
  async query<R extends QueryResultRow>(sql: string, parameters: unknown[] = []): Promise<QueryResult<R>> {
    const { ambient } = this;
    if (!ambient) return this.pool.query<R>(sql, parameters);
    return inTurn(ambient.runner, (client) => client.query<R>(sql, parameters));
  }

  /** Whether the use case at hand holds a connection. */
  get hasBegun(): boolean {
    return this.ambient?.hasBegun === true;
  }

  /** One statement on a connection of its own, kept whatever becomes of the transaction at hand. */
  queryOutsideTransaction<R extends QueryResultRow>(sql: string, parameters: unknown[] = []): Promise<QueryResult<R>> {
    return this.pool.query<R>(sql, parameters);
  }

  /**
   * Runs `work` in one transaction; inside of another it joins that one. A throw rolls back, unless `keep` says of the
   * result that it must not be kept either.
   */
  transaction<T>(work: () => Promise<T>, keep: (result: T) => boolean = () => true): Promise<T> {
    if (this.ambient) return work();
    const ambient = new Ambient(this.dataSource);
    // Most requests for tokens use no database: they are spared the waits of one that does.
    return transactionAtHand.run(ambient, work).then(
      (result) => (ambient.isUsed ? settle(ambient, result, keep) : result),
      (error: unknown) => abandon(ambient, error),
    );
  }

  /**
   * As {@link transaction}, for work that does nothing but ask and change the database, by what it reads in the same run:
   * when PostgreSQL ends it in favour of another one, it is done anew, three times in all (security R-07).
   */
  async repeatableTransaction<T>(work: () => Promise<T>): Promise<T> {
    for (let run = 1; ; run += 1) {
      try {
        return await this.transaction(work);
      } catch (error) {
        // Inside of another transaction that one has ended, too, and is not ours to do anew.
        if (this.ambient || run === mostRuns || !isEndedForAnother(error)) throw error;
      }
    }
  }

  /** Runs `work` outside of the transaction at hand: for what lives longer than the request that happened to begin it. */
  outsideTransaction<T>(work: () => Promise<T>): Promise<T> {
    return transactionAtHand.run(undefined, work);
  }

  /** Seconds, rather less than more, from the beginning of the use case at hand to its transaction's `now()`; 0 outside of one. */
  async lag(): Promise<number> {
    const { ambient } = this;
    return ambient ? inTurn(ambient.runner, async (_, began) => (began - ambient.since) / 1000) : 0;
  }

  /** Whether the database answers, and takes changes. */
  async isReachable(): Promise<boolean> {
    const client = await this.pool.connect().catch(() => undefined);
    if (!client) return false;
    const isUsable = await refuseReadOnly(client).then(
      () => true,
      () => false,
    );
    client.release(!isUsable);
    return isUsable;
  }

  /** Seconds that the database's clock is ahead of this node's, give or take half the way to it and back. */
  async clockOffset(): Promise<number> {
    const asked = Date.now();
    const { rows } = await this.pool.query<{ now: number }>(
      'SELECT extract(epoch FROM clock_timestamp())::float8 AS now',
    );
    return (rows[0]?.now ?? 0) - (asked + Date.now()) / 2000;
  }

  private get ambient(): Ambient | undefined {
    const ambient = transactionAtHand.getStore();
    return ambient instanceof Ambient && ambient.dataSource === this.dataSource ? ambient : undefined;
  }

  private get pool(): Pool {
    return (this.dataSource.driver as unknown as { master: Pool }).master;
  }
}

/** A transaction at hand; nothing is made for it before something needs it. */
class Ambient {
  readonly since = performance.now();
  private made: QueryRunner | undefined;

  constructor(readonly dataSource: DataSource) {}

  get runner(): QueryRunner {
    this.made ??= beginLazily(this.dataSource.createQueryRunner());
    return this.made;
  }

  get isUsed(): boolean {
    return this.made !== undefined;
  }

  get hasBegun(): boolean {
    return this.made !== undefined && begun.has(this.made);
  }

  async end(statement: 'COMMIT' | 'ROLLBACK'): Promise<void> {
    const runner = this.made;
    if (!runner) return;
    setActive(runner, false);
    if (begun.has(runner)) await inTurn(runner, (client) => client.query(statement));
  }

  async release(): Promise<void> {
    await this.made?.release();
  }
}

async function settle<T>(ambient: Ambient, result: T, keep: (result: T) => boolean): Promise<T> {
  try {
    await ambient.end(keep(result) ? 'COMMIT' : 'ROLLBACK');
  } catch (error) {
    return abandon(ambient, error);
  }
  await ambient.release();
  return result;
}

async function abandon(ambient: Ambient, error: unknown): Promise<never> {
  await ambient.end('ROLLBACK').catch(() => undefined);
  await ambient.release();
  throw error;
}

/** Where and when a transaction began, and its last statement: a connection does one at a time. */
interface Begun {
  at: Promise<{ client: PoolClient; began: number }>;
  last: Promise<unknown>;
}

const begun = new WeakMap<QueryRunner, Begun>();

async function inTurn<T>(
  runner: QueryRunner,
  statement: (client: PoolClient, began: number) => Promise<T>,
): Promise<T> {
  const transaction = begun.get(runner) ?? { at: begin(runner), last: Promise.resolve() };
  begun.set(runner, transaction);
  const result = transaction.last.then(() => transaction.at).then(({ client, began }) => statement(client, began));
  transaction.last = result.catch((error: unknown) =>
    transaction.at.then(
      ({ client }) => {
        closeIfUnresponsive(client, error);
        closeIfReadOnly(client, error);
      },
      () => undefined,
    ),
  );
  return result;
}

async function begin(runner: QueryRunner): Promise<{ client: PoolClient; began: number }> {
  const client: PoolClient = await runner.connect();
  const began = performance.now();
  await client.query('BEGIN');
  return { client, began };
}

/** TypeORM takes the runner for one inside a transaction from the start and so opens none of its own. */
function beginLazily(runner: QueryRunner): QueryRunner {
  const query = runner.query.bind(runner);
  setActive(runner, true);
  runner.query = (...parameters: Parameters<QueryRunner['query']>) => inTurn(runner, () => query(...parameters));
  return runner;
}

/** Read-only for users of TypeORM; here it is the point. */
function setActive(runner: QueryRunner, active: boolean): void {
  (runner as { isTransactionActive: boolean }).isTransactionActive = active;
}

/** PostgreSQL's own code for what it refused, such as `23505` (unique violation). */
export function sqlState(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : undefined;
}

export function isUniqueViolation(error: unknown): boolean {
  return sqlState(error) === '23505';
}

/** A deadlock, or a transaction that contradicts another one. */
function isEndedForAnother(error: unknown): boolean {
  return /^(40P01|40001)$/.test(sqlState(error) ?? '');
}

/** The database is away, too slow or too busy: the caller may try again, and nothing is known to be wrong with the request. */
export function asUnavailable(error: unknown): Problem | undefined {
  const code = sqlState(error);
  const message = error instanceof Error ? error.message : '';
  const away =
    (code !== undefined && /^(08|53|57P0|57014$|25006$|40001$|40P01$|55P03$|ECONN|ETIMEDOUT$|EPIPE$)/.test(code)) ||
    // A socket that is not there; any other missing file is no matter of the database.
    (code === 'ENOENT' && (error as NodeJS.ErrnoException).syscall === 'connect') ||
    /timeout exceeded when trying to connect|Connection terminated|Query read timeout|Client (?:was closed|has encountered a connection error)/.test(
      message,
    );
  if (!away) return undefined;
  return new Problem('unavailable', 'The service is busy. Please try again in a few seconds.', {
    retryAfterSeconds: 2,
    cause: error,
  });
}
