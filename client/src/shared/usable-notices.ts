/** The notices with buttons that are shown, the latest last: they must be usable next to a modal dialog, too. */
let shown: readonly number[] = [];
const listeners = new Set<() => void>();

function change(next: readonly number[]): void {
  shown = next;
  for (const listener of listeners) listener();
}

/** Returns how to take it away again. */
export function addUsableNotice(id: number): () => void {
  change([...shown, id]);
  return () => change(shown.filter((one) => one !== id));
}

export const latestUsableNotice = (): number | undefined => shown.at(-1);

/** For `useSyncExternalStore`. */
export function onUsableNotices(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The attribute by which the region of such a notice is found. */
export const usableNotice = { 'data-usable-notice': true } as const;

export const usableNoticeOf = (element: Element | null): Element | null | undefined =>
  element?.closest('[data-usable-notice]');
