import { useRef } from 'react';
import { isGone } from './failures/form-errors.js';

/** The version of the stored record that a form began with. A change to an older version is refused. */
export interface StoredVersion<View> {
  current: () => number;
  /** Reads the record after a conflict, and continues from its version. */
  reload: () => Promise<View | undefined>;
  /** Continues from the version that is shown. */
  restart: () => void;
}

/** `kept`: version of a draft that was entered before its page was left. */
export function useStoredVersion<View extends { version: number }>(
  shown: View,
  kept: number | undefined,
  read: () => Promise<{ data?: View | undefined; error?: unknown }>,
  onGone: () => void,
): StoredVersion<View> {
  const version = useRef(kept ?? shown.version);
  return {
    current: () => version.current,
    reload: async () => {
      const { data, error } = await read();
      if (isGone(error)) onGone();
      if (data) version.current = data.version;
      return data;
    },
    restart: () => {
      version.current = shown.version;
    },
  };
}
