import type { TFunction } from 'i18next';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { BulkProgress } from '../../../../../src/contract/clients/bulk.js';
import { isolateName } from '../../i18n/isolate-name.js';
import { numeral, plainList } from '../../i18n/language.js';
import { notify } from '../../notices.js';
import { notifyWithUndo } from '../../undo-notice.js';
import type { BulkPlace } from './bulk-bar.js';
import { repeatUntil } from './bulk-run.js';
import { type BulkRows, type Running, useExport } from './use-export.js';
import { watchChange } from './watched-changes.js';
import './words/en.js';

export interface BulkOutcome {
  done: BulkProgress;
  /** The notice after it, if all or only some were changed. */
  text: (numbers: { count: number; number: string; total: string }, all: boolean) => string;
  /** Absent if it cannot be undone. */
  undo?: (() => Promise<BulkProgress>) | undefined;
}

/** More names than these are counted. */
const namedAtMost = 3;

/** The rows of the selection, as calls name them. */
export function chosen<Row, Filter>(
  { selection: { all, ids, count }, more }: BulkPlace<Row>,
  filter: Filter,
): BulkRows<Filter> {
  if (!all) return { ids };
  return { filter, ...(ids.length > 0 && { except: ids }), ...(!more && { expected: count }) };
}

/** Carries out an action for the selection of a list, and tells how it ended. */
export function useBulk<Row>(place: BulkPlace<Row>) {
  const { t } = useTranslation();
  const [running, setRunning] = useState<Running | null>(null);
  const [result, setResult] = useState<{ of: string; progress: BulkProgress } | null>(null);
  const { exportRows, cancelExport } = useExport(place.selection.count, setRunning);
  const { selection } = place;
  // The frame of the area shows it where the list does not any more.
  const leave = useRef(() => {});
  useEffect(() => () => leave.current(), []);
  const of = `${selection.all} ${selection.ids.join()}`;

  /** `failure` returns the text for a call that was refused, or none if another place shows it. */
  const run = async (
    call: () => Promise<BulkProgress>,
    failure: (error: unknown) => string | null,
    { id, ...outcome }: Omit<BulkOutcome, 'done'> & { id: string },
  ) => {
    const watch = watchChange(id);
    leave.current = watch.leave;
    let last: BulkProgress | undefined;
    setRunning({ done: 0, total: 0 });
    setResult(null);
    try {
      const isDone = ({ done, total, stopped }: BulkProgress) => done === total || stopped !== null;
      const done = await repeatUntil(isDone, call, (progress) => {
        last = progress;
        setRunning(progress);
      });
      setResult({ of, progress: done });
      if (done.stopped === null) {
        watch.told();
        tell({ done, ...outcome });
      }
    } catch (error) {
      const text =
        last && last.done > 0
          ? t('bulk.stopped', { done: numeral(last.done), total: numeral(last.total) })
          : failure(error);
      if (text !== null) notify('error', text);
    } finally {
      watch.leave();
      setRunning(null);
    }
  };

  const tell = ({ done, text, undo }: BulkOutcome) => {
    const { changed, failed } = done;
    const all = failed === 0;
    const shown = text(
      { count: changed, number: numeral(changed), total: numeral(all ? changed : changed + failed) },
      all,
    );
    if (!undo || changed === 0) return notify(changed === 0 && failed > 0 ? 'error' : 'success', shown);
    notifyWithUndo({
      text: shown,
      undo: async () => {
        const undone = await repeatUntil(({ changed: left }) => left === 0, undo);
        const text = undoneText(undone, t);
        return undone.withoutAccess > 0 ? `${text} ${t('bulk.undoneLate')}` : text;
      },
    });
  };

  return {
    run,
    exportRows,
    bar: {
      running,
      result: result?.of === of ? result.progress : null,
      onCancel: cancelExport,
    },
  };
}

/** Names those that were not restored, if it was too late for some. */
function undoneText({ restored, kept, failures }: BulkProgress, t: TFunction): string {
  const numbers = { number: numeral(restored), total: numeral(restored + kept) };
  if (kept === 0) return t('bulk.undone', { ...numbers, count: restored });
  const late = failures.filter(({ reason }) => reason === 'too-late');
  if (late.length === 0) return t('bulk.undoneSome', numbers);
  const left = failures.filter(({ reason }) => reason === 'too-late' || reason === 'changed-since');
  const names = left.slice(0, namedAtMost).map(({ id, name }) => isolateName(name ?? id));
  const more = kept - names.length;
  return t(more > 0 ? 'bulk.undoneExceptMore' : 'bulk.undoneExcept', {
    ...numbers,
    names: plainList(names),
    more: numeral(more),
  });
}
