import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Asked } from '../../platform/database/connection.js';
import { Database } from '../../platform/database/database.js';
import { isServed } from '../../platform/database/migrate.js';
import { Notifications } from '../../platform/database/notifications.js';
import { refuseReadOnly } from '../../platform/database/read-only.js';
import type { WriteObstacle } from '../../platform/database/write-watch.js';
import { logObstacle } from '../../platform/logging/log.js';
import { ClockWatch } from './clock-watch.js';

/** The readiness facts that a load balancer checks before it sends requests here. */
export interface Readiness {
  status: 'ready' | 'unready' | 'stopping';
  database: boolean;
  migrations: boolean;
  /** True if the clocks of this node and the database agree within a minute. */
  clock: boolean;
  /** The reason for which the database takes no changes although it answers. */
  reason?: WriteObstacle;
  /**
   * False while this node cannot write its log. It serves its users nevertheless: what must be kept is in the database.
   */
  log?: false;
}

/**
 * A load balancer waits no longer than this for an answer; a database that answers later, or with an error, is none.
 */
const patienceMs = 2_000;

@Injectable()
export class Health {
  private stopIsAnnounced = false;
  private examination: Promise<Omit<Readiness, 'status'>> | undefined;

  constructor(
    private readonly database: Database,
    private readonly notifications: Notifications,
    private readonly clocks: ClockWatch,
  ) {}

  /** From now on the load balancer shall use other nodes. */
  announceStop(): void {
    this.stopIsAnnounced = true;
  }

  get isStopping(): boolean {
    return this.stopIsAnnounced;
  }

  /** Examines once for all who ask at the same time. */
  async readiness(): Promise<Readiness> {
    this.examination ??= this.examine().finally(() => {
      this.examination = undefined;
    });
    const facts = await this.examination;
    const status = facts.database && facts.migrations && facts.clock ? 'ready' : 'unready';
    return { status: this.isStopping ? 'stopping' : status, ...facts };
  }

  private async examine(): Promise<Omit<Readiness, 'status'>> {
    const late = sleep(patienceMs, false, { ref: false });
    const inTime = (answer: Promise<boolean>) => Promise.race([answer.catch(() => false), late]);
    const { database: pool } = this;
    const answers = await inTime(pool.isBusy ? acceptsChanges(this.asked) : pool.isReachable());
    const database = answers && (await inTime(pool.writes.isPossible()));
    const migrations = database && (await inTime(isServed(this.asked)));
    const clock = database && (await inTime(this.isOnTime()));
    const reason = pool.writes.obstacle;
    return {
      database,
      migrations,
      clock,
      ...(reason && { reason }),
      ...(logObstacle() !== undefined && { log: false }),
    };
  }

  private async isOnTime(): Promise<boolean> {
    return (await this.clocks.measure(this.asked)) !== 'apart';
  }

  /**
   * While requests use all connections of the pool, these statements do not wait behind them: a node that has much to
   * do would seem to have no database, and the load balancer would give its requests to the others until none is left.
   */
  private get asked(): Asked {
    return this.database.isBusy ? this.notifications : this.database;
  }
}

async function acceptsChanges(asked: Asked): Promise<boolean> {
  await refuseReadOnly(asked);
  return true;
}
