import { storageKey } from './browser/storage.js';

export interface Notice {
  id: number;
  type: 'success' | 'error';
  text: string;
}

type Listener = (notice: Notice) => void;

/** Duration of a notice (`spec §9`), in seconds. */
export const noticeDuration = 3;

/** The key of notices that wait for the next page in the same tab. */
const store = storageKey('notices');

let listener: Listener | null = null;
let recent: { notice: Notice; until: number }[] = [];
let count = 0;

function show(type: Notice['type'], text: string, until: number): void {
  count += 1;
  const notice = { id: count, type, text };
  recent = [...stillDue(), { notice, until }];
  listener?.(notice);
}

const stillDue = () => recent.filter(({ until }) => until > Date.now());

/** Shows a text in the notification bar; callable from outside React, as failed calls do. */
export function notify(type: Notice['type'], text: string): void {
  show(type, text, Date.now() + noticeDuration * 1000);
}

/**
 * The mounted notification bar; there is one at a time. A new one is given what the one before it had not shown for
 * long enough: a notice outlives the page that it was given on.
 */
export function onNotice(next: Listener): () => void {
  listener = next;
  for (const { notice } of stillDue()) next(notice);
  return () => {
    if (listener === next) listener = null;
  };
}

/** Shows the notices of the page before that were not shown for long enough, and leaves such ones to the next page. */
export function carryNoticesOver(): void {
  window.addEventListener('pagehide', () => {
    const due = stillDue();
    if (due.length === 0) return;
    try {
      sessionStorage.setItem(store, JSON.stringify(due));
    } catch {
      // Storage can be forbidden; then a notice ends with its page.
    }
  });
  try {
    const left: typeof recent = JSON.parse(sessionStorage.getItem(store) ?? '[]');
    sessionStorage.removeItem(store);
    for (const { notice, until } of left) if (until > Date.now()) show(notice.type, notice.text, until);
  } catch {
    // See above.
  }
}
