import { useEffect, useSyncExternalStore } from 'react';

let patient: string | null = null;
const listeners = new Set<() => void>();

/**
 * Acting belongs to one request of an app, not to the session: the page of a request tells for whom the user acts, for
 * as long as it is shown.
 */
export function useTellActingFor(name: string | null): void {
  useEffect(() => {
    if (name === null) return;
    set(name);
    return () => set(null);
  }, [name]);
}

/** Name of the patient for whom the user acts on this page; null for none. */
export function useActingFor(): string | null {
  return useSyncExternalStore(subscribe, () => patient);
}

function set(name: string | null): void {
  patient = name;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
