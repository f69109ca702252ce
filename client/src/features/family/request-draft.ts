import { storageKey } from '../../shared/addresses/base-path.js';
import { draftOwner } from '../../shared/drafts/drafts.js';

/** What was typed and is not sent yet; files are not in it. */
export interface RequestDraft {
  relation?: string;
  patientName?: string;
  birthDate?: string;
  recordNumber?: string;
  statement?: string;
}

const store = storageKey('request-draft');
const keptMs = 24 * 3_600_000;

/** The draft of this user on this device; one that is older than a day is removed. */
export function keptRequestDraft(): RequestDraft | undefined {
  try {
    const {
      owner,
      at = 0,
      value,
    } = JSON.parse(localStorage.getItem(store) ?? '{}') as {
      owner?: string;
      at?: number;
      value?: RequestDraft;
    };
    if (owner !== undefined && owner === draftOwner() && Date.now() - at < keptMs) return value;
    localStorage.removeItem(store);
  } catch {
    // Storage can be forbidden, or have been written by another program.
  }
  return undefined;
}

export function keepRequestDraft(value: RequestDraft): void {
  const owner = draftOwner();
  if (owner === null) return;
  try {
    localStorage.setItem(store, JSON.stringify({ owner, at: Date.now(), value }));
  } catch {
    // See above.
  }
}

export function forgetRequestDraft(): void {
  try {
    localStorage.removeItem(store);
  } catch {
    // See above.
  }
}
