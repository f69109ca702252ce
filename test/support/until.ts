import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for what another process, node or timer is about to do; fails when it takes too long. */
export async function until(happened: () => boolean | Promise<boolean>, withinMs = 30_000): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!(await happened())) {
    if (Date.now() > deadline) throw new Error(`did not happen within ${withinMs} ms: ${happened}`);
    await sleep(20);
  }
}
