import { Button } from 'antd';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import type { PendingBulkChange } from '../../../../src/contract/clients/bulk.js';
import { useMarkChangeSeenMutation, usePendingChangesQuery, useStopChangeMutation } from '../../api/bulk-changes.js';
import { useUndoClientsMutation } from '../../api/clients/clients.js';
import { notifyFailure } from '../../api/failures/form-errors.js';
import { t } from '../../shared/i18n/i18n.js';
import { numeral } from '../../shared/i18n/language.js';
import { isTold, isWatched } from '../../shared/list/bulk/watched-changes.js';
import { useIdle } from '../../shared/loading/use-idle.js';
import { Banner } from '../../shared/ui/layout/banner.js';

/** Pauses between two requests: while a change runs, and while none is known. */
const runningMs = 2_000;
const restingMs = 30_000;

/** True while a job carries the change out, or undoes it. */
function isRunning({ undone, progress: { total, done, changed, stopped } }: PendingBulkChange): boolean {
  if (stopped !== null) return false;
  return undone ? changed > 0 : done < total;
}

/**
 * The administrator's changes of many that continue without the page that began them, on any page, and their ends until
 * they are closed.
 */
export function PendingChanges() {
  const idle = useIdle();
  const { data = [], refetch } = usePendingChangesQuery(undefined, {
    skip: !idle,
    pollingInterval: restingMs,
    refetchOnFocus: true,
  });
  const running = data.some(isRunning);
  usePendingChangesQuery(undefined, {
    skip: !running,
    pollingInterval: runningMs,
    skipPollingIfUnfocused: true,
  });
  const [markSeen] = useMarkChangeSeenMutation();
  useEffect(() => {
    for (const change of data) if (isTold(change.id) && !isRunning(change)) void markSeen(change.id);
  }, [data, markSeen]);
  return data
    .filter(({ id }) => !isWatched(id) && !isTold(id))
    .map((change) => <Change key={change.id} change={change} onChanged={refetch} />);
}

function Change({ change, onChanged }: { change: PendingBulkChange; onChanged: () => void }) {
  const { t } = useTranslation();
  const [stop, stopping] = useStopChangeMutation();
  const [markSeen, { isSuccess: isClosed }] = useMarkChangeSeenMutation();
  const [undo, undoing] = useUndoClientsMutation();
  const { id, subject, undone, progress } = change;
  const { stopped, changed, failed } = progress;
  if (isClosed) return null;
  const running = isRunning(change);
  const fail = (error: unknown) => notifyFailure(error);
  return (
    <Banner
      tone={stopped !== null || failed > 0 ? 'warning' : 'info'}
      act={
        running ? (
          !undone && (
            <Button type="link" loading={stopping.isLoading} onClick={() => stop(id).unwrap().then(onChanged, fail)}>
              {t('changes.stop')}
            </Button>
          )
        ) : (
          <>
            {subject === 'clients' && !undone && changed > 0 && (
              <Button type="link" loading={undoing.isLoading} onClick={() => undo(id).unwrap().then(onChanged, fail)}>
                {t('undo.act')}
              </Button>
            )}
            <Button type="link" onClick={() => markSeen(id).unwrap().catch(fail)}>
              {t('common.close')}
            </Button>
          </>
        )
      }
    >
      <span role="status">{textOf(change, running)}</span>
    </Banner>
  );
}

function textOf({ action, undone, progress }: PendingBulkChange, running: boolean): string {
  const { total, done, changed, failed, restored, kept, stopped } = progress;
  const what = t(`changes.${action}`);
  const numbers = { what, number: numeral(done), total: numeral(total) };
  const back = { what, number: numeral(restored), total: numeral(restored + kept + changed) };
  if (running) return undone ? t('changes.undoing', back) : t('changes.running', numbers);
  if (stopped !== null) return t(`changes.${stopped}`, numbers);
  if (undone) return t('changes.undone', back);
  const ended = { what, number: numeral(changed), total: numeral(total), failed: numeral(failed) };
  return failed > 0 ? t('changes.endedSome', ended) : t('changes.ended', ended);
}
