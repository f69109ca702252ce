import { mostOpened } from '../../../../src/contract/rules/lists.js';
import { storageKey } from '../addresses/base-path.js';
import { draftOwner } from '../drafts/drafts.js';

/**
 * The clients and users that the administrator has opened last. The browser keeps their ids only, since several persons
 * may use it: names are asked for when they are shown. Signing out removes them, and so does another administrator.
 */
const store = storageKey('opened');

export interface OpenedRow {
  as: 'client' | 'user';
  id: string;
}

interface Kept {
  /** The administrator's account. */
  owner: string;
  rows: OpenedRow[];
}

/** The last one first. */
export function openedRows(): OpenedRow[] {
  try {
    const { owner, rows }: Partial<Kept> = JSON.parse(localStorage.getItem(store) ?? '{}');
    return owner === draftOwner() && Array.isArray(rows) ? rows.slice(0, mostOpened) : [];
  } catch {
    // Storage can be forbidden, or have been written by another program.
    return [];
  }
}

export function rememberOpened(as: OpenedRow['as'], id: string): void {
  const owner = draftOwner();
  if (owner === null) return;
  const others = openedRows().filter((row) => row.id !== id);
  try {
    localStorage.setItem(store, JSON.stringify({ owner, rows: [{ as, id }, ...others].slice(0, mostOpened) }));
  } catch {
    // See above.
  }
}

export function forgetOpened(): void {
  try {
    localStorage.removeItem(store);
  } catch {
    // See above.
  }
}
