import { setTimeout as sleep } from 'node:timers/promises';

/** Longest wait at a shutdown; a system that hangs must not delay it. */
const patienceMs = 6_000;

/** Work that no caller waits for: one of each key at a time, and none that begins after the stop. */
export class BackgroundWork {
  private readonly running = new Map<unknown, Promise<boolean>>();
  private isStopped = false;

  /**
   * Starts the work, unless one of the same key runs or the node stops. `onFailure` gets what it throws, and says
   * whether that is a failure.
   */
  begin(key: unknown, work: () => Promise<unknown>, onFailure: (error: unknown) => boolean): void {
    if (this.isStopped || this.running.has(key)) return;
    const settled = Promise.resolve()
      .then(work)
      .then(
        () => true,
        (error: unknown) => !onFailure(error),
      )
      .finally(() => this.running.delete(key));
    this.running.set(key, settled);
  }

  /** False if the work of this key that runs now fails, or was not begun because the node stops. */
  async settled(key: unknown): Promise<boolean> {
    return (await this.running.get(key)) ?? !this.isStopped;
  }

  /** Resolves when all work has ended, or after six seconds. */
  async stop(): Promise<void> {
    this.isStopped = true;
    const all = Promise.all(this.running.values());
    await Promise.race([all, sleep(patienceMs, undefined, { ref: false })]);
  }
}
