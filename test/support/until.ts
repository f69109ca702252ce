import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for an effect of another process, node or timer; fails when it takes too long. */
export async function until(happened: () => boolean | Promise<boolean>, withinMs = 60_000): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!(await happened())) {
    if (Date.now() > deadline) throw new Error(`did not happen within ${withinMs} ms: ${happened}`);
    await sleep(20);
  }
}

/** Waits until the expectation holds, since notifications between nodes take a moment. */
export async function eventually(expectation: () => Promise<void>): Promise<void> {
  let failure: unknown;
  const holds = async () => {
    try {
      await expectation();
      return true;
    } catch (error) {
      failure = error;
      return false;
    }
  };
  await until(holds).catch(() => {
    throw failure;
  });
}
