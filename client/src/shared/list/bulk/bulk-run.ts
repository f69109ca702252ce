import type { BulkProgress } from '../../../../../src/contract/clients/bulk.js';

/** Pauses after lost answers, in milliseconds; then the call is given up. */
const pauses = [500, 1000, 2000, 4000];

/** Repeats a call until it has done all. A lost answer does no harm: the server knows the call by its id. */
export async function repeatUntil(
  isDone: (progress: BulkProgress) => boolean,
  call: () => Promise<BulkProgress>,
  onProgress: (progress: BulkProgress) => void = () => {},
): Promise<BulkProgress> {
  for (let lost = 0; ; ) {
    try {
      const progress = await call();
      lost = 0;
      onProgress(progress);
      if (isDone(progress)) return progress;
    } catch (error) {
      const pause = pauses[lost];
      if (!isLost(error) || pause === undefined) throw error;
      lost += 1;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}

/** True if the answer did not arrive. */
function isLost(error: unknown): boolean {
  const { status } = (error ?? {}) as { status?: unknown };
  return status === 'FETCH_ERROR' || status === 'PARSING_ERROR' || status === 502 || status === 504;
}
