import { asUnavailable } from './database.js';

interface Waiting<T, R> {
  item: T;
  resolve: (result: R) => void;
  reject: (error: unknown) => void;
}

/**
 * Does one piece of work at a time, for everybody who has asked while the one before was under way: under load many share
 * a statement and its commit, and whoever comes alone waits for nobody. `work` answers its items in their order; an item
 * that makes it fail spoils it for no other, but when the database is away that is so for all.
 */
export class GroupCommit<T, R> {
  private waiting: Waiting<T, R>[] = [];
  private isBusy = false;

  constructor(
    private readonly work: (items: T[]) => Promise<R[]>,
    private readonly mostAtOnce = 200,
  ) {}

  submit(item: T): Promise<R> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      if (!this.isBusy) void this.drain();
    });
  }

  private async drain(): Promise<void> {
    this.isBusy = true;
    while (this.waiting.length > 0) await this.runBatch(this.waiting.splice(0, this.mostAtOnce));
    this.isBusy = false;
  }

  private async runBatch(those: Waiting<T, R>[]): Promise<void> {
    try {
      const results = await this.work(those.map(({ item }) => item));
      for (const [index, { resolve }] of those.entries()) resolve(results[index] as R);
    } catch (error) {
      if (asUnavailable(error)) {
        // Whoever came meanwhile has waited for the same database; waiting for it twice is too long.
        for (const { reject } of [...those, ...this.waiting.splice(0)]) reject(error);
      } else if (those.length > 1) {
        for (const one of those) await this.runBatch([one]);
      } else {
        for (const { reject } of those) reject(error);
      }
    }
  }
}
