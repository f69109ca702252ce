import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { isServed } from '../../platform/database/migrate.js';
import { log } from '../../platform/logging/log.js';

/** The readiness facts that a load balancer checks before it sends requests here. */
export interface Readiness {
  status: 'ready' | 'unready' | 'stopping';
  database: boolean;
  migrations: boolean;
  /** True if the clocks of this node and the database agree. */
  clock: boolean;
}

/** A load balancer waits no longer than this for an answer. */
const patienceMs = 2_000;
/** Lifetimes are counted by the database's clock and by the node's: beyond this they end too early or too late to matter. */
const mostOffsetSeconds = 60;

@Injectable()
export class Health {
  private isStopping = false;

  constructor(private readonly database: Database) {}

  /** From now on the load balancer shall use other nodes. */
  announceStop(): void {
    this.isStopping = true;
  }

  async readiness(): Promise<Readiness> {
    const database = await soon(this.database.isReachable());
    const [migrations, clock] = database
      ? await Promise.all([soon(isServed(this.database)), soon(this.isOnTime())])
      : [false, false];
    const status = migrations && clock ? 'ready' : 'unready';
    return { status: this.isStopping ? 'stopping' : status, database, migrations, clock };
  }

  private async isOnTime(): Promise<boolean> {
    const offsetSeconds = await this.database.clockOffset();
    const isOnTime = Math.abs(offsetSeconds) <= mostOffsetSeconds;
    if (!isOnTime) log.error({ offsetSeconds }, 'clock of this node differs from the database');
    return isOnTime;
  }
}

/** A database that answers too late, or with an error, is none. */
function soon(answer: Promise<boolean>): Promise<boolean> {
  return Promise.race([answer.catch(() => false), sleep(patienceMs, false, { ref: false })]);
}
