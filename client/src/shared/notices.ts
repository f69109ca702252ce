import type { ComponentType } from 'react';
import { storageKey } from './addresses/base-path.js';

export interface Notice {
  id: number;
  type: 'success' | 'error';
  text: string;
  /** The end of its time, in milliseconds since 1970. */
  until: number;
  /** Shows a notice that has more than a text (`undo-notice.tsx`). */
  as?: ComponentType<ShownNotice>;
}

export interface ShownNotice {
  notice: Notice;
  remove: (id: number) => void;
  className: string | undefined;
}

type Listener = (notice: Notice) => void;

/** Duration of a notice (`spec §9`), in seconds. */
export const noticeDuration = 3;

/** The key of notices that wait for the next page in the same tab. */
const store = storageKey('notices');

let listener: Listener | null = null;
let recent: Notice[] = [];
let count = 0;

/** Shows a notice; the one returned is shown again on another page until its time is over. */
export function show(given: Omit<Notice, 'id'>): Notice {
  const notice = { ...given, id: ++count };
  recent = [...stillDue(), notice];
  listener?.(notice);
  return notice;
}

const stillDue = () => recent.filter(({ until }) => until > Date.now());

/** Shows a text in the notification bar; callable from outside React, as failed calls do. */
export function notify(type: Notice['type'], text: string): void {
  show({ type, text, until: Date.now() + noticeDuration * 1000 });
}

/**
 * The mounted notification bar; there is one at a time. A new one is given what the one before it had not shown for
 * long enough: a notice outlives the page that it was given on.
 */
export function onNotice(next: Listener): () => void {
  listener = next;
  stillDue().forEach(next);
  return () => {
    if (listener === next) listener = null;
  };
}

/** Shows the notices of the page before that were not shown for long enough, and leaves such ones to the next page. */
export function carryNoticesOver(): void {
  window.addEventListener('pagehide', () => {
    const due = stillDue().filter((notice) => !notice.as);
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
    for (const notice of left) if (notice.until > Date.now()) show(notice);
  } catch {
    // See above.
  }
}
