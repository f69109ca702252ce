import { Problem } from '../errors.js';

/** Lets so many pieces of work run at once, so many more wait, and refuses the rest at once. */
export class BoundedQueue {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly limits: { running: number; waiting: number }) {}

  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.turn();
    try {
      return await work();
    } finally {
      this.next();
    }
  }

  private async turn(): Promise<void> {
    if (this.running < this.limits.running) {
      this.running++;
      return;
    }
    if (this.waiting.length >= this.limits.waiting) {
      throw new Problem('unavailable', 'The service is busy. Please try again in a few seconds.', {
        retryAfterSeconds: 2,
      });
    }
    await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  /** The place goes to whoever has waited longest, without being free in between. */
  private next(): void {
    const resume = this.waiting.shift();
    if (resume) resume();
    else this.running--;
  }
}
