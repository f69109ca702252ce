import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { isMigrated } from '../../platform/database/migrate.js';

/** What a load balancer wants to know before it sends people here. */
export interface Readiness {
  status: 'ready' | 'unready';
  database: boolean;
  migrations: boolean;
}

/** A load balancer waits no longer than this for an answer. */
const patienceMs = 2_000;

@Injectable()
export class Health {
  constructor(private readonly database: Database) {}

  async readiness(): Promise<Readiness> {
    const database = await soon(this.database.isReachable());
    const migrations = database && (await soon(isMigrated(this.database)));
    return { status: migrations ? 'ready' : 'unready', database, migrations };
  }
}

/** A database that answers too late, or with an error, is none. */
function soon(answer: Promise<boolean>): Promise<boolean> {
  return Promise.race([answer.catch(() => false), sleep(patienceMs, false, { ref: false })]);
}
