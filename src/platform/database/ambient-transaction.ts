import type { Pool, PoolClient, QueryResult } from 'pg';
import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import { requestContext } from '../request/scope.js';
import { closeIfUseless } from './connection-breaker.js';
import { executeTogether, Prepared, type Statement } from './statement-group.js';

const begin: Statement = { sql: new Prepared('BEGIN') };
/** Of a request that is older it is not believed that it lost to another one. */
const longestLagSeconds = 60;
const commit: Statement = { sql: new Prepared('COMMIT') };

/**
 * A transaction that begins with its first statement, in the same round trip. Its connection executes one round trip at
 * a time. After a failure it sends nothing but a ROLLBACK.
 */
export class AmbientTransaction {
  readonly afterCommit: (() => void)[] = [];
  private readonly since = requestContext.getStore()?.completeAt ?? performance.now();
  private readonly pool: Pool;
  private connection: Promise<PoolClient> | undefined;
  /** Time just before BEGIN is sent. */
  private connectedAt = 0;
  private hasSent = false;
  private hasEnded = false;
  private hasCommitted = false;
  /** Statements whose results are not needed: they are sent with the next one, or with COMMIT. */
  private gathered: Statement[] = [];
  private lastTurn: Promise<unknown> = Promise.resolve();
  /** Error of the first statement that failed. */
  private failure: { error: unknown } | undefined;
  private runner: QueryRunner | undefined;

  constructor(readonly dataSource: DataSource) {
    this.pool = poolOf(dataSource);
  }

  get hasBegun(): boolean {
    return this.connection !== undefined || this.gathered.length > 0;
  }

  /** TypeORM's manager, whose statements run in this transaction. */
  get manager(): EntityManager {
    this.runner ??= this.createRunner();
    return this.runner.manager;
  }

  async execute(statement: Statement): Promise<QueryResult> {
    return (await this.send([statement])) as QueryResult;
  }

  queue(statement: Statement): void {
    if (this.hasEnded) throw transactionEnded();
    this.gathered.push(statement);
  }

  /**
   * Seconds from the time at which the request was complete, or else from the start of the use case, to the
   * transaction's `now()`: rather too few than too many, and a minute at most.
   */
  async lag(): Promise<number> {
    await this.connect();
    return Math.min((this.connectedAt - this.since) / 1000, longestLagSeconds);
  }

  /** Does nothing after {@link commitWith}. */
  async commit(): Promise<void> {
    if (this.hasCommitted) return;
    if (!this.hasSent && this.gathered.length === 0) return this.release();
    await this.sendLast([commit]);
  }

  /** Executes the last statement and commits in one round trip. Nothing is committed if the statement fails. */
  commitWith(statement: Statement): Promise<void> {
    return this.sendLast([statement, commit]);
  }

  /** Does nothing after {@link commitWith}. */
  async rollback(): Promise<void> {
    if (this.hasCommitted) return;
    this.hasEnded = true;
    await this.lastTurn;
    const client = await this.connection?.catch(() => undefined);
    if (!client) return;
    // A connection that may still be in the transaction is not used again.
    const rolledBack = this.hasSent
      ? client.query('ROLLBACK').then(
          () => true,
          () => false,
        )
      : true;
    this.closeRunner();
    client.release(!(await rolledBack));
  }

  /** The last one is a COMMIT. */
  private async sendLast(statements: Statement[]): Promise<void> {
    const committed = this.send(statements);
    this.hasEnded = true;
    const { command } = (await committed) as QueryResult;
    // PostgreSQL answers COMMIT with ROLLBACK, and no error, when a statement has failed.
    if (command !== 'COMMIT') throw new Error(`COMMIT was answered with ${command}`);
    this.hasCommitted = true;
    await this.release();
  }

  /** Sends what was gathered and these statements in one round trip; returns the result of the last one. */
  private send(statements: Statement[]): Promise<QueryResult | undefined> {
    if (this.hasEnded) return Promise.reject(transactionEnded());
    const all = [...(this.hasSent ? [] : [begin]), ...this.gathered, ...statements];
    this.hasSent = true;
    this.gathered = [];
    const turn = this.lastTurn.then(() => this.connect()).then((client) => this.executeOn(client, all));
    this.lastTurn = turn.catch(() => undefined);
    return turn;
  }

  private async executeOn(client: PoolClient, statements: Statement[]): Promise<QueryResult | undefined> {
    if (this.failure) throw this.failure.error;
    try {
      return (await executeTogether(client, statements)).at(-1);
    } catch (error) {
      this.failure = { error };
      closeIfUseless(client, error);
      throw error;
    }
  }

  private connect(): Promise<PoolClient> {
    this.connection ??= connectionOf(this.pool).then((client) => {
      this.connectedAt = performance.now();
      return client;
    });
    return this.connection;
  }

  private async release(): Promise<void> {
    this.hasEnded = true;
    this.closeRunner();
    (await this.connection)?.release();
  }

  /** TypeORM gets this transaction as its connection, and believes to have begun it: it begins none of its own. */
  private createRunner(): QueryRunner {
    const runner = this.dataSource.createQueryRunner();
    const connection = { query: (sql: string, parameters: unknown[] = []) => this.execute({ sql, parameters }) };
    return Object.assign(runner, { databaseConnection: connection, isTransactionActive: true });
  }

  private closeRunner(): void {
    if (!this.runner) return;
    Object.assign(this.runner, { isTransactionActive: false });
    void this.runner.release();
  }
}

export function poolOf(dataSource: DataSource): Pool {
  return (dataSource.driver as unknown as { master: Pool }).master;
}

/** By a callback: only this form notices that the database does not answer ({@link ./connection-breaker.js}). */
export function connectionOf(pool: Pool): Promise<PoolClient> {
  return new Promise((resolve, reject) => {
    pool.connect((error, client) => (client ? resolve(client) : reject(error)));
  });
}

function transactionEnded(): Error {
  return new Error('the transaction has ended');
}
