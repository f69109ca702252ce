import { message } from '../../contract/messages/message.js';
import { Problem } from '../errors.js';

/** Runs a limited number of tasks at once, queues a limited number and refuses the rest immediately. */
export class BoundedQueue {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly limits: { running: number; waiting: number }) {}

  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.waitForTurn();
    try {
      return await work();
    } finally {
      this.startNext();
    }
  }

  private async waitForTurn(): Promise<void> {
    if (this.running < this.limits.running) {
      this.running++;
      return;
    }
    if (this.waiting.length >= this.limits.waiting) {
      throw new Problem('unavailable', message('service-busy'), {
        retryAfterSeconds: 2,
      });
    }
    await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  /** Hands the slot directly to the task that has waited longest, so that no other task can take it in between. */
  private startNext(): void {
    const resume = this.waiting.shift();
    if (resume) resume();
    else this.running--;
  }
}
