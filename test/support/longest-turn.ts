import { setImmediate as nextTurn } from 'node:timers/promises';

/** The most CPU time of one turn of the event loop of this process while the work runs, in milliseconds. */
export async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let [longest, isDone] = [0, false];
  const watching = (async () => {
    for (let before = process.cpuUsage(); !isDone; before = process.cpuUsage()) {
      await nextTurn();
      const { user, system } = process.cpuUsage(before);
      longest = Math.max(longest, (user + system) / 1_000);
    }
  })();
  try {
    await work();
  } finally {
    isDone = true;
    await watching;
  }
  return longest;
}

/**
 * As {@link longestTurn}, of up to three runs of the work, until one is below the limit: a collection of garbage may
 * come in between, but not each time.
 */
export async function longestTurnBelow(limit: number, work: () => Promise<unknown>): Promise<number> {
  const turns: number[] = [];
  do turns.push(await longestTurn(work));
  while (Math.min(...turns) >= limit && turns.length < 3);
  return Math.min(...turns);
}
