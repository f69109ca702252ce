/** Changes of many whose progress and end a list in this tab shows by itself, by their ids. */
const watched = new Set<string>();
/** Those of them whose end it has told. */
const told = new Set<string>();

/** The list shows the change until it calls what is returned, or until it has told the end. */
export function watchChange(id: string): { told: () => void; leave: () => void } {
  watched.add(id);
  return {
    told: () => void told.add(id),
    leave: () => void watched.delete(id),
  };
}

export const isWatched = (id: string) => watched.has(id);
export const isTold = (id: string) => told.has(id);
