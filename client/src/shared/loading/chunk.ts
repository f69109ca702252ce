/** Time of this tab's last reload for a chunk. */
const store = 'gatehouse.renewed';
const shortestMs = 60_000;

/** A shorter wait is not shown. */
const slowMs = 300;

let slow = 0;
const listeners = new Set<() => void>();

/** True if the user has been waiting for a chunk for long; for `useSyncExternalStore`. */
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
 * Loads a part of the application that is needed now. Since the document was loaded, the server may have been updated
 * to a version with other chunks: then the document is reloaded, too, and shows the same page. At most once in a
 * minute, so that it never loops, and only if the document can be loaded: without a network the current page is better
 * than nothing.
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
    // Without storage the last reload is unknown; the user can still try again.
    return true;
  }
}

const isReachable = () =>
  fetch(window.location.href, { method: 'HEAD', cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  );
