import { asUnavailable } from './database.js';

interface Waiting<T, R> {
  item: T;
  resolve: (result: R) => void;
  reject: (error: unknown) => void;
}

/**
 * Group commit: runs one batch at a time; items that arrive while a batch runs form the next one. Under load many items
 * share one statement and its commit; a single item is run at once, or at the end of the turn of the event loop where
 * `start` is `setImmediate`. `work` returns the results in the order of its items. An item that makes a batch fail does
 * not fail the others; a database that is unavailable fails all of them.
 */
export class GroupCommit<T, R> {
  private waiting: Waiting<T, R>[] = [];
  private isBusy = false;

  constructor(
    private readonly work: (items: T[]) => Promise<R[]>,
    private readonly mostAtOnce = 200,
    private readonly start: (run: () => void) => void = (run) => run(),
  ) {}

  submit(item: T): Promise<R> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      if (this.isBusy) return;
      this.isBusy = true;
      this.start(() => void this.drain());
    });
  }

  private async drain(): Promise<void> {
    while (this.waiting.length > 0) await this.runBatch(this.waiting.splice(0, this.mostAtOnce));
    this.isBusy = false;
  }

  private async runBatch(those: Waiting<T, R>[]): Promise<void> {
    try {
      const results = await this.work(those.map(({ item }) => item));
      for (const [index, { resolve }] of those.entries()) resolve(results[index] as R);
    } catch (error) {
      if (asUnavailable(error)) {
        // Items that arrived meanwhile have waited for the same database; a second wait would take too long.
        for (const { reject } of [...those, ...this.waiting.splice(0)]) reject(error);
      } else if (those.length > 1) {
        for (const one of those) await this.runBatch([one]);
      } else {
        for (const { reject } of those) reject(error);
      }
    }
  }
}
