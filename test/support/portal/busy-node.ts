import { Database } from '../../../src/platform/database/database.js';
import { until } from '../until.js';
import type { TestPortal } from './portal.js';

/** The first node of a portal, whose requests wait while all of its connections to the database are in use. */
export class BusyNode {
  constructor(private readonly portal: TestPortal) {}

  private get database(): Database {
    return this.portal.apps[0]?.get(Database, { strict: false }) as Database;
  }

  /** Resolves when a request waits. */
  isWaitedFor(): Promise<void> {
    return until(() => this.database.connections.waiting > 0);
  }

  /** Runs the work while the node is busy. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    let release = () => {};
    const isOver = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { most } = this.database.connections;
    const holders = Array.from({ length: most }, () =>
      this.database.transaction(async () => {
        await this.database.query('SELECT 1');
        await isOver;
      }),
    );
    await until(() => this.database.connections.used >= most);
    try {
      return await work();
    } finally {
      release();
      await Promise.all(holders);
    }
  }
}
