/** When this tab was last loaded anew for a chunk. */
const store = 'gatehouse.renewed';
const shortestMs = 60_000;

/** A wait that is shorter is none to be told of. */
const slowMs = 300;

let slow = 0;
const listeners = new Set<() => void>();

/** Whether somebody has been waiting for a chunk for long; for `useSyncExternalStore`. */
export const slowChunks = {
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  are: () => slow > 0,
};

function countSlow(by: 1 | -1): void {
  slow += by;
  for (const listener of listeners) listener();
}

/**
 * A part of the application that is wanted now. Since the document was loaded, another version may have taken the place of
 * its server, which has other chunks: then the document is loaded anew, too, and shows the same page. Once in a minute, so
 * that it never goes in circles, and only if it can be had: without a network what is there is better than nothing.
 */
export async function wantedChunk<T>(load: () => Promise<T>): Promise<T> {
  let isSlow = false;
  const timer = setTimeout(() => {
    isSlow = true;
    countSlow(1);
  }, slowMs);
  try {
    return await load();
  } catch (error) {
    if (!(await isReachable()) || wasRenewed()) throw error;
    window.location.reload();
    return await new Promise<never>(() => {});
  } finally {
    clearTimeout(timer);
    if (isSlow) countSlow(-1);
  }
}

function wasRenewed(): boolean {
  try {
    if (Date.now() - Number(sessionStorage.getItem(store)) < shortestMs) return true;
    sessionStorage.setItem(store, String(Date.now()));
    return false;
  } catch {
    // Without storage nobody knows; the page can still be asked to try again.
    return true;
  }
}

const isReachable = () =>
  fetch(window.location.href, { method: 'HEAD', cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  );
