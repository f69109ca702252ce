import type { FormInstance } from 'antd';
import { useEffect, useState } from 'react';
import { storageKey } from '../../shared/addresses/base-path.js';
import { draftOwner } from '../../shared/drafts/drafts.js';

/** Entries that are not sent yet; without files. */
export interface RequestDraft {
  relation?: string;
  patientName?: string;
  birthDate?: string;
  recordNumber?: string;
  statement?: string;
  /** True if files were added, which no device keeps. */
  hasFiles?: boolean;
}

const store = storageKey('request-draft');
const keptMs = 24 * 3_600_000;

/** The draft of this user on this device; one that is older than a day is removed. */
function keptRequestDraft(): RequestDraft | undefined {
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

function keepRequestDraft(value: RequestDraft): void {
  const owner = draftOwner();
  if (owner === null) return;
  try {
    localStorage.setItem(store, JSON.stringify({ owner, at: Date.now(), value }));
  } catch {
    // See above.
  }
}

/** The first values of the form, kept while it is filled in; `files` is the number of rows that it has now. */
export function useRequestDraft(form: FormInstance, files: number) {
  const [{ hasFiles = false, ...kept }] = useState(() => keptRequestDraft() ?? {});
  const keep = () => {
    const { isTrue: _, ...typed } = form.getFieldsValue();
    keepRequestDraft({ ...typed, hasFiles: hasFiles || files > 0 });
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new row is kept with the fields as they are then
  useEffect(() => {
    if (files > 0) keep();
  }, [files]);
  return { kept, keep, missesFiles: hasFiles && files === 0 };
}

export function forgetRequestDraft(): void {
  try {
    localStorage.removeItem(store);
  } catch {
    // See above.
  }
}
