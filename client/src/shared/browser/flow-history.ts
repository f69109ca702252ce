import { storageKey } from '../addresses/base-path.js';
import { leave } from './leave.js';

const left = storageKey('left');

/** Remembers in this tab that a page of an authorization is open. */
export function markOpen(): void {
  try {
    sessionStorage.removeItem(left);
  } catch {
    // As below.
  }
}

/** Leaves a page of an authorization whose question was answered. With `keep`, Back leads to it again. */
export function leaveAnswered(returnUrl: string, keep = false): void {
  try {
    sessionStorage.setItem(left, 'true');
  } catch {
    // Without storage Back shows that the request has ended.
  }
  leave(returnUrl, keep);
}

/** True on a page that was reached by Back or Forward after the authorization in this tab was completed. */
export function isPassedAgain(): boolean {
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  try {
    return navigation?.type !== 'navigate' && sessionStorage.getItem(left) !== null;
  } catch {
    return false;
  }
}
