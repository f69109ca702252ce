import type { KeptReference } from './kept-reference.js';

/** The kept reference; empty without a launch in this tab. */
export function keptReference(): Partial<KeptReference> {
  try {
    return JSON.parse(sessionStorage.getItem('launch') ?? '[]');
  } catch {
    return [];
  }
}
