import { setTimeout as sleep } from 'node:timers/promises';

/** What nodes tell each other takes a moment, and may take a second: `expectation` has to hold by then. */
export async function withinASecond(expectation: () => Promise<void>): Promise<void> {
  const until = performance.now() + 1000;
  for (;;) {
    try {
      await expectation();
      return;
    } catch (error) {
      if (performance.now() > until) throw error;
      await sleep(20);
    }
  }
}
