import { useEffect, useSyncExternalStore } from 'react';

let told: string | null = null;
const listeners = new Set<() => void>();

/**
 * Acting belongs to one request of an app, not to the session: the page of a request tells in words for whom the
 * user acts, for as long as it is shown.
 */
export function useTellActingFor(words: string | null): void {
  useEffect(() => {
    if (words === null) return;
    set(words);
    return () => set(null);
  }, [words]);
}

/** For whom the user acts on this page, in words; null for none. */
export function useActingFor(): string | null {
  return useSyncExternalStore(subscribe, () => told);
}

function set(words: string | null): void {
  told = words;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
