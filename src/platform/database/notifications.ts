import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import pg, { type QueryResultRow } from 'pg';
import { log } from '../logging/log.js';
import { productVersion } from '../process/product.js';
import { type Repeated, repeat } from '../process/repeat.js';
import type { Asked, PostgresConnection } from './connection.js';
import type { Database } from './database.js';
import { connectionRefused } from './lost-connections.js';

type Handler = (payload: string) => void;

/** The name of each connection, before the release of its node. */
const nodeName = 'gatehouse notifications';

const firstPauseMs = 100;
/** Short: until it listens again, a node asks the database for all that it could know. */
const longestPauseMs = 1_000;
/**
 * A connection whose packets are dropped, or whose peer process is suspended, stays open for hours. The answer to a
 * query arrives after all notifications sent before it, so that they are late by this interval at most.
 */
const askEveryMs = 500;
const believedMs = 1_500;
const answerWithinMs = 3_000;

/**
 * Notifications between the nodes through PostgreSQL (LISTEN/NOTIFY), on one connection per process next to the pool.
 *
 * Lifecycle. Modules register with {@link on} and {@link onReconnect} during construction; the connection is opened
 * after that, and reopened with growing pauses whenever it is lost. Notifications sent meanwhile are lost for good, so
 * after each connection, the first one included, `onReconnect` tells caches to drop all entries. While {@link
 * isListening} is false, which includes a connection that has not answered for a moment, a cache may be stale and must
 * not be used.
 */
export class Notifications implements OnApplicationBootstrap, OnModuleDestroy, Asked {
  private readonly handlers = new Map<string, Handler[]>();
  private readonly earlyHandlers = new Map<string, Handler[]>();
  private readonly reconnectHandlers: (() => void)[] = [];
  private client: pg.Client | undefined;
  private state: 'building' | 'connecting' | 'listening' | 'closed' = 'building';
  private pauseMs = firstPauseMs;
  private reconnecting: NodeJS.Timeout | undefined;
  private heartbeat: Repeated | undefined;
  /** Ends when the statement before has ended. */
  private turn: Promise<unknown> = Promise.resolve();
  /** Send time of the last query that was answered. */
  private aliveAt = 0;

  constructor(
    private readonly connection: PostgresConnection,
    readonly database: Database,
  ) {}

  /** Registers a handler; only before the application has started, because a later one would miss notifications. */
  on(channel: string, handler: Handler): void {
    if (this.state !== 'building') throw new Error(`cannot listen to ${channel} after the start`);
    this.handlers.set(channel, [...(this.handlers.get(channel) ?? []), handler]);
  }

  /**
   * As {@link on}, but also called on this node as soon as the notification is sent: a caller that has saved a value
   * and asks for it at once must not get the old one. The transaction may still be rolled back.
   */
  onOrEarlier(channel: string, handler: Handler): void {
    this.on(channel, handler);
    this.earlyHandlers.set(channel, [...(this.earlyHandlers.get(channel) ?? []), handler]);
  }

  /** Registers a handler that is called after each connection, once all channels are listened to (again). */
  onReconnect(handler: () => void): void {
    this.reconnectHandlers.push(handler);
  }

  get isListening(): boolean {
    return this.state === 'listening' && performance.now() - this.aliveAt < believedMs;
  }

  /** Notifies all nodes, this one included, when the current transaction commits, and never when it does not. */
  async send(channel: string, payload = ''): Promise<void> {
    await this.database.query('SELECT pg_notify($1, $2)', [channel, payload]);
    for (const handler of this.earlyHandlers.get(channel) ?? []) call(() => handler(payload));
  }

  /**
   * Runs a short statement next to the pool, all of whose connections may be in use. Notifications wait for its answer.
   */
  async query<R extends QueryResultRow>(sql: string): Promise<{ rows: R[] }> {
    const { client, state } = this;
    if (!client || state !== 'listening') throw connectionRefused('the node does not listen');
    return this.inTurn(() => client.query<R>(sql)).catch((error: { code?: string }) => {
      // Not an answer of the server: the heartbeat would find the same.
      if (error.code === undefined) this.lost(client);
      throw error;
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.connect();
  }

  async onModuleDestroy(): Promise<void> {
    this.state = 'closed';
    clearTimeout(this.reconnecting);
    const { client } = this;
    this.client = undefined;
    const stopped = this.heartbeat?.stop();
    await client?.end().catch(() => undefined);
    await stopped;
  }

  private async connect(): Promise<void> {
    this.state = 'connecting';
    const client = new pg.Client({
      ...this.connection,
      application_name: `${nodeName} ${productVersion}`,
      connectionTimeoutMillis: 2_000,
      query_timeout: answerWithinMs,
      keepAlive: true,
    });
    this.client = client;
    // 'end' always follows; without a listener 'error' would end the process.
    client.on('error', () => undefined);
    client.once('end', () => this.lost(client));
    client.on('notification', ({ channel, payload = '' }) => {
      for (const handler of this.handlers.get(channel) ?? []) call(() => handler(payload));
    });
    let askedAt = 0;
    try {
      await client.connect();
      askedAt = performance.now();
      await this.database.history.assertCurrentPrimary(client);
      for (const channel of this.handlers.keys()) await client.query(`LISTEN ${client.escapeIdentifier(channel)}`);
    } catch {
      this.lost(client);
      return;
    }
    if (this.client !== client) return;
    this.state = 'listening';
    this.aliveAt = askedAt;
    this.pauseMs = firstPauseMs;
    this.heartbeat = this.beat(client);
    for (const handler of this.reconnectHandlers) call(handler);
  }

  private beat(client: pg.Client): Repeated {
    return repeat(askEveryMs, 'heartbeat of the LISTEN connection failed', async () => {
      const askedAt = performance.now();
      const isAlive = await this.inTurn(() => this.database.history.assertCurrentPrimary(client)).then(
        () => true,
        () => false,
      );
      if (!isAlive) this.lost(client);
      else if (client === this.client) this.aliveAt = askedAt;
    });
  }

  /** The connection executes one statement at a time. */
  private inTurn<T>(ask: () => Promise<T>): Promise<T> {
    const answer = this.turn.then(ask);
    this.turn = answer.catch(() => undefined);
    return answer;
  }

  /** Runs once per connection, at the first sign of its end. */
  private lost(client: pg.Client): void {
    if (this.client !== client) return;
    if (this.state === 'listening') log.warn('LISTEN connection lost; reconnecting');
    this.client = undefined;
    this.state = 'connecting';
    // They lead to the same server, which may be gone.
    this.database.renewConnections();
    // Not awaited: the heartbeat itself may have found the loss.
    void this.heartbeat?.stop();
    client.end().catch(() => undefined);
    this.reconnecting = setTimeout(() => void this.connect(), this.pauseMs).unref();
    this.pauseMs = Math.min(longestPauseMs, this.pauseMs * 2);
  }
}

/** A handler that fails must not keep the notification from the others. */
function call(handler: () => void): void {
  try {
    handler();
  } catch (error) {
    log.error({ err: error }, 'notification handler failed');
  }
}

/** The runner of the statement: a connection, or the pool. */
interface Counting {
  query<R extends QueryResultRow>(sql: string, parameters: unknown[]): Promise<{ rows: R[] }>;
}

/** The number of connected nodes (with workers: of their processes), by release. */
export async function nodesByRelease(client: Counting): Promise<{ version: string; nodes: number }[]> {
  const { rows } = await client.query<{ version: string; nodes: number }>(
    `SELECT substr(application_name, length($1) + 2) AS version, count(*)::int AS nodes FROM pg_stat_activity
      WHERE starts_with(application_name, $1) AND datname = current_database() GROUP BY 1 ORDER BY 1`,
    [nodeName],
  );
  return rows;
}
