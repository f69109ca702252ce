import { setTimeout as sleep } from 'node:timers/promises';

/** Pause between two portions, for waiting requests. */
const pauseMs = 100;

/**
 * Removes rows in portions, so that no statement delays others for long, but all of them, however many there are: calls
 * `remove` until it returns less than `most`, or the node stops. Returns the number of removed rows.
 */
export async function removeInPortions(
  most: number,
  remove: (most: number) => Promise<number>,
  isStopped: () => boolean = () => false,
): Promise<number> {
  let removed = 0;
  for (let count = most; count >= most && !isStopped(); removed += count) {
    if (removed > 0) await sleep(pauseMs, undefined, { ref: false });
    count = await remove(most);
  }
  return removed;
}
