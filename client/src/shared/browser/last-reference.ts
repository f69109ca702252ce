import type { KeptReference } from './kept-reference.js';

/** What was kept; empty without a launch in this tab. */
export function keptReference(): Partial<KeptReference> {
  try {
    return JSON.parse(sessionStorage.getItem('launch') ?? '[]');
  } catch {
    return [];
  }
}
