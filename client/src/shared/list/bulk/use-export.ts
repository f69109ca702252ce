import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { portalPath } from '../../addresses/base-path.js';
import { downloadLines } from '../../browser/download.js';
import { numeral } from '../../i18n/language.js';
import { notify } from '../../notices.js';
import './words/en.js';

/** How far an action for many rows is. */
export interface Running {
  done: number;
  total: number;
}

/**
 * The rows of a selection, as calls name them: by their ids, or by a filter. `expected`: the number that the user saw.
 */
export type BulkRows<Filter> = { ids: string[] } | { filter: Filter; except?: string[]; expected?: number };

/** Downloads the selected rows as a file, and tells how it ended; undefined `cancelExport` while none is under way. */
export function useExport(total: number, setRunning: (running: Running | null) => void) {
  const { t } = useTranslation();
  const download = useRef<AbortController>(null);
  useEffect(() => () => download.current?.abort(), []);

  const exportRows = async <Filter>(path: string, choice: BulkRows<Filter>, name: string) => {
    const { expected: _, ...rows } = { expected: 0, ...choice };
    const abort = new AbortController();
    download.current = abort;
    setRunning({ done: 0, total });
    try {
      const request = new Request(portalPath(path), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(rows),
        signal: abort.signal,
      });
      const onCount = (done: number) => setRunning({ done, total: Math.max(done, total) });
      const count = await downloadLines(request, { headLines: 1, name, onCount });
      notify('success', t('bulk.exported', { count, number: numeral(count) }));
    } catch {
      if (!abort.signal.aborted) notify('error', t('bulk.exportFailed'));
    } finally {
      download.current = null;
      setRunning(null);
    }
  };
  return { exportRows, cancelExport: download.current ? () => download.current?.abort() : undefined };
}
