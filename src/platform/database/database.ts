import { Injectable } from '@nestjs/common';
import type { Pool, QueryConfig, QueryResult, QueryResultRow } from 'pg';
import {
  DataSource,
  type EntityManager,
  QueryRunnerAlreadyReleasedError,
  QueryRunnerProviderAlreadyReleasedError,
} from 'typeorm';
import { message } from '../../contract/messages/message.js';
import { Problem } from '../errors.js';
import { transactionAtHand } from '../request/scope.js';
import { AmbientTransaction, connectionOf, poolOf } from './ambient-transaction.js';
import { watchConnections } from './connection-breaker.js';
import { markFailedConnections } from './lost-connections.js';
import { refuseReadOnly } from './read-only.js';
import type { ServerHistory } from './server-history.js';
import { executeTogether, type Prepared, queryOf } from './statement-group.js';
import { WriteWatch } from './write-watch.js';

const mostRuns = 3;
const longestQueryMs = 86_400_000;

/**
 * The transaction of the current use case travels with the call (AsyncLocalStorage), so that repositories, modules and
 * the OIDC engine's storage join it without a parameter. It begins with its first statement: a request that needs no
 * database holds no connection.
 */
@Injectable()
export class Database {
  /**
   * Ends all connections of the pool, those in use after their use: they may lead to a server that is no longer the
   * primary.
   */
  readonly renewConnections: () => void;
  readonly history: ServerHistory;
  readonly writes: WriteWatch;

  constructor(private readonly dataSource: DataSource) {
    const pool = this.pool;
    // A connection that breaks while idle must not end the process (see `makeUsable`).
    pool.on('error', () => undefined);
    markFailedConnections(pool);
    this.writes = new WriteWatch(pool);
    const failed = (error: unknown) => this.writes.note(error);
    ({ renew: this.renewConnections, history: this.history } = watchConnections(pool, failed));
  }

  /** TypeORM's manager of the current transaction, or of the pool outside of one. */
  get manager(): EntityManager {
    return this.ambient?.manager ?? this.dataSource.manager;
  }

  /** Runs one statement with `$1` parameters in the current transaction. */
  query<R extends QueryResultRow>(sql: string | Prepared, parameters: unknown[] = []): Promise<QueryResult<R>> {
    const { ambient } = this;
    return ambient ? ambient.execute({ sql, parameters }) : this.pool.query<R>(queryOf({ sql, parameters }));
  }

  /**
   * As {@link query}, for a change whose result the caller does not need: in a transaction it is sent together with the
   * next statement, or with COMMIT, which then fails if the change does. Parameters must not change until then.
   */
  async write(sql: string | Prepared, parameters: unknown[] = []): Promise<void> {
    const { ambient } = this;
    if (ambient) ambient.queue({ sql, parameters });
    else await this.pool.query(queryOf({ sql, parameters }));
  }

  /**
   * As {@link query}, for the last statement of a use case: it is sent together with COMMIT. Nothing is committed if it
   * fails, and no statement may follow.
   */
  async queryAndCommit(sql: Prepared, parameters: unknown[]): Promise<void> {
    const { ambient } = this;
    if (ambient) await ambient.commitWith({ sql, parameters });
    else await this.pool.query(queryOf({ sql, parameters }));
  }

  /**
   * Runs a statement that only reads once per list of parameters: outside of the current transaction, in one round
   * trip.
   */
  async readTogether<R extends QueryResultRow>(sql: Prepared, lists: unknown[][]): Promise<QueryResult<R>[]> {
    const client = await connectionOf(this.pool);
    try {
      const results = await executeTogether(
        client,
        lists.map((parameters) => ({ sql, parameters })),
      );
      client.release();
      return results as QueryResult<R>[];
    } catch (error) {
      client.release(error as Error);
      throw error;
    }
  }

  /** True if the current use case holds a connection, or has changes that will need one. */
  get hasBegun(): boolean {
    return this.ambient?.hasBegun === true;
  }

  /** Runs one statement on a connection of its own; its result survives a rollback of the current transaction. */
  queryOutsideTransaction<R extends QueryResultRow>(sql: string, parameters: unknown[] = []): Promise<QueryResult<R>> {
    return this.pool.query<R>(sql, parameters);
  }

  /** Runs one statement that reads so much that it takes minutes, on a connection of its own and without time-outs. */
  async longQuery<R extends QueryResultRow>(sql: string, parameters: unknown[] = []): Promise<QueryResult<R>> {
    const client = await connectionOf(this.pool);
    try {
      await client.query('BEGIN READ ONLY; SET LOCAL statement_timeout = 0');
      const result = await client.query<R>({
        text: sql,
        values: parameters,
        query_timeout: longestQueryMs,
      } as QueryConfig);
      await client.query('COMMIT');
      client.release();
      return result;
    } catch (error) {
      client.release(error as Error);
      throw error;
    }
  }

  /**
   * Runs `work` in one transaction; inside of another transaction it joins that one. A throw rolls back; so does a
   * result for which `keep` returns false.
   */
  transaction<T>(work: () => Promise<T>, keep: (result: T) => boolean = () => true): Promise<T> {
    if (this.ambient) return work();
    const ambient = new AmbientTransaction(this.dataSource);
    // Most token requests use no database and skip the waits of a transaction.
    return transactionAtHand.run(ambient, work).then(
      (result) => (ambient.hasBegun ? settle(ambient, result, keep) : result),
      (error: unknown) => abandon(ambient, error),
    );
  }

  /**
   * As {@link transaction}, for work whose only effect is on the database, based on what it reads in the same run:
   * after a deadlock or serialization failure it is retried, three runs in all (security R-07).
   */
  async repeatableTransaction<T>(work: () => Promise<T>): Promise<T> {
    for (let run = 1; ; run += 1) {
      try {
        return await this.transaction(work);
      } catch (error) {
        // Inside of another transaction that one has ended, too, and cannot be retried here.
        if (this.ambient || run === mostRuns || !isEndedForAnother(error)) throw error;
      }
    }
  }

  /** Runs `work` outside of the current transaction: for work that outlives the request that started it. */
  outsideTransaction<T>(work: () => Promise<T>): Promise<T> {
    return transactionAtHand.run(undefined, work);
  }

  /**
   * Runs a read outside of the transaction at hand as long as that one has not begun: a use case that then calls
   * another server holds no connection meanwhile. With one connection in hand it must not wait for a second one.
   */
  outsideUntilBegun<T>(read: () => Promise<T>): Promise<T> {
    return this.hasBegun ? read() : this.outsideTransaction(read);
  }

  /** Calls `work` after the transaction at hand has committed, and never if it does not; at once if none has begun. */
  afterCommit(work: () => void): void {
    const { ambient } = this;
    if (ambient?.hasBegun) ambient.afterCommit.push(work);
    else work();
  }

  /**
   * Seconds from the time at which the current request was complete to its transaction's `now()`
   * ({@link AmbientTransaction.lag}); 0 outside of one.
   */
  async lag(): Promise<number> {
    const { ambient } = this;
    return ambient ? ambient.lag() : 0;
  }

  /** Connections of this node's pool, and the calls that wait for one. */
  get connections(): { used: number; idle: number; waiting: number; most: number } {
    const { totalCount, idleCount, waitingCount, options } = this.pool;
    return { used: totalCount - idleCount, idle: idleCount, waiting: waitingCount, most: options.max };
  }

  /** True if all connections of the pool are in use: another statement waits until one is given back. */
  get isBusy(): boolean {
    const { used, most } = this.connections;
    return used >= most;
  }

  /** True if the database answers and accepts writes. */
  async isReachable(): Promise<boolean> {
    const client = await this.pool.connect().catch(() => undefined);
    if (!client) return false;
    const failure = await refuseReadOnly(client).then(
      () => undefined,
      (error: Error) => error,
    );
    client.release(failure);
    return failure === undefined;
  }

  private get ambient(): AmbientTransaction | undefined {
    const ambient = transactionAtHand.getStore();
    return ambient instanceof AmbientTransaction && ambient.dataSource === this.dataSource ? ambient : undefined;
  }

  private get pool(): Pool {
    return poolOf(this.dataSource);
  }
}

async function settle<T>(ambient: AmbientTransaction, result: T, keep: (result: T) => boolean): Promise<T> {
  try {
    if (!keep(result)) {
      await ambient.rollback();
      return result;
    }
    await ambient.commit();
    for (const work of ambient.afterCommit) work();
    return result;
  } catch (error) {
    return abandon(ambient, error);
  }
}

async function abandon(ambient: AmbientTransaction, error: unknown): Promise<never> {
  await ambient.rollback();
  throw error;
}

/** SQLSTATE of an error of PostgreSQL, such as `23505` (unique violation). */
export function sqlState(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : undefined;
}

export function isUniqueViolation(error: unknown): boolean {
  return sqlState(error) === '23505';
}

/** True for a statement about a table or column that the schema does not have (yet). */
export function isSchemaMissing(error: unknown): boolean {
  return /^(42P01|42703)$/.test(sqlState(error) ?? '');
}

/** True for a deadlock or a serialization failure. */
function isEndedForAnother(error: unknown): boolean {
  return /^(40P01|40001)$/.test(sqlState(error) ?? '');
}

/** The database is unavailable, too slow or too busy: the caller may retry, and the request itself may be valid. */
export function asUnavailable(error: unknown): Problem | undefined {
  const code = sqlState(error);
  const away =
    (code !== undefined &&
      /^(GHPOOL$|08|53|58030$|57P0|57014$|25006$|40001$|40P01$|55P03$|ECONN|EHOST|ENETUNREACH$|ENOTFOUND$|EAI_AGAIN$|ETIMEDOUT$|EPIPE$|ENOSPC$|EDQUOT$|EROFS$|EIO$)/.test(
        code,
      )) ||
    // A missing socket; any other missing file does not concern the database.
    (code === 'ENOENT' && (error as NodeJS.ErrnoException).syscall === 'connect') ||
    // TypeORM gives up a connection that ends before its statement, and refuses the statement.
    error instanceof QueryRunnerAlreadyReleasedError ||
    error instanceof QueryRunnerProviderAlreadyReleasedError;
  if (!away) return undefined;
  return new Problem('unavailable', message('service-busy'), {
    retryAfterSeconds: 2,
    cause: error,
  });
}
