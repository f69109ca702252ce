import { Button } from 'antd';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ImportProgress } from '../../../../../src/contract/users/user-import.js';
import { formErrors, hasPageOfItsOwn } from '../../../api/failures/form-errors.js';
import { useSettings } from '../../../api/settings.js';
import {
  useImportProgressQuery,
  useStopImportMutation,
  useUndoImportMutation,
} from '../../../api/users/user-import.js';
import { numeral } from '../../../shared/i18n/language.js';
import { ErrorList } from '../../../shared/ui/forms/error-list.js';
import { Name } from '../../../shared/ui/text/name.js';
import styles from './import-dialog.module.css';
import './words/en.js';

const pollMs = 1000;
const numbers = (count: number) => ({ count, number: numeral(count) });
/** Nothing of the import is under way. */
const isOver = ({ done, total, isUndone, removable }: ImportProgress) => done === total && !(isUndone && removable > 0);

/** The progress of an import. It can be stopped, and undone when it has ended. */
export function RunningImport({ id, onClose, children }: { id: string; onClose: () => void; children: ReactNode }) {
  const { t } = useTranslation();
  const [pause, setPause] = useState(pollMs);
  const { data, isError } = useImportProgressQuery(id, { pollingInterval: pause });
  const [stop, { isLoading: isStopping }] = useStopImportMutation();
  const [undo, { isLoading: isUndoing }] = useUndoImportMutation();
  const [errors, setErrors] = useState<string[]>([]);
  const [asking, setAsking] = useState(false);
  const over = data !== undefined && isOver(data);
  useEffect(() => setPause(over ? 0 : pollMs), [over]);
  const close = useRef<HTMLButtonElement>(null);
  const question = useRef<HTMLDivElement>(null);
  // The button that had the focus has gone.
  useEffect(() => (asking ? question.current : close.current)?.focus(), [asking]);

  const call = async (change: typeof stop) => {
    setErrors([]);
    const { error } = await change(id);
    setAsking(false);
    close.current?.focus();
    if (error && !hasPageOfItsOwn(error)) setErrors(formErrors(error).form);
  };

  if (asking && data) {
    return (
      <>
        <div ref={question} className={styles.outcome} tabIndex={-1}>
          <p>{t('userImport.undoAsk', numbers(data.removable))}</p>
          <p>{t('userImport.undoKeeps')}</p>
        </div>
        <div className={styles.actions}>
          <Button onClick={() => setAsking(false)}>{t('common.cancel')}</Button>
          <Button danger type="primary" loading={isUndoing} onClick={() => call(undo)}>
            {t('userImport.undoDo', numbers(data.removable))}
          </Button>
        </div>
      </>
    );
  }
  const bar = data && barOf(data);
  return (
    <>
      <div className={styles.outcome} role="status">
        {data && <State progress={data} />}
        {isError && !over && <p>{t('userImport.lost')}</p>}
      </div>
      {bar && <progress className={styles.bar} value={bar.done} max={bar.total} aria-label={t('userImport.title')} />}
      {data && data.kept.length > 0 && <Kept progress={data} />}
      {children}
      <ErrorList errors={errors} />
      <div className={styles.actions}>
        {data && !over && !data.isUndone && (
          <Button loading={isStopping} onClick={() => call(stop)}>
            {t('userImport.stop')}
          </Button>
        )}
        {data && over && data.removable > 0 && (
          <Button danger onClick={() => setAsking(true)}>
            {t('userImport.undo')}
          </Button>
        )}
        <Button ref={close} type="primary" onClick={onClose}>
          {t('common.close')}
        </Button>
      </div>
    </>
  );
}

function barOf({ done, total, stopped, isUndone, removable, removed, stayed }: ImportProgress) {
  const decided = removed + stayed;
  return isUndone
    ? { done: decided, total: Math.max(1, decided + removable) }
    : { done: done - stopped, total: Math.max(1, total) };
}

function State({ progress }: { progress: ImportProgress }) {
  const { t } = useTranslation();
  const { mailWaits } = useSettings();
  const { done, total, created, known, refused, stopped, isUndone, removable, removed, stayed } = progress;
  if (isUndone) {
    const decided = removed + stayed;
    if (removable > 0) {
      return <p>{t('userImport.undoing', { done: numeral(decided), total: numeral(decided + removable) })}</p>;
    }
    return (
      <>
        <p>
          {t('userImport.undone')} {t('userImport.removed', numbers(removed))}
        </p>
        {stayed > 0 && <p>{t('userImport.stayed', numbers(stayed))}</p>}
      </>
    );
  }
  const createdText = mailWaits ? 'userImport.createdByHand' : 'userImport.created';
  if (done < total) return <p>{t('userImport.running', { done: numeral(done), total: numeral(total) })}</p>;
  return (
    <>
      <p>
        {t(stopped > 0 ? 'userImport.stopped' : 'userImport.finished')} {t(createdText, numbers(created))}
      </p>
      {created > 0 && mailWaits && <p>{t('userImport.byHand')}</p>}
      {stopped > 0 && <p>{t('userImport.left', numbers(stopped))}</p>}
      {known > 0 && <p>{t('userImport.knownMeanwhile', numbers(known))}</p>}
      {refused > 0 && <p>{t('userImport.refused', numbers(refused))}</p>}
    </>
  );
}

/** Users whom the undo has kept. */
function Kept({ progress: { kept, stayed } }: { progress: ImportProgress }) {
  const { t } = useTranslation();
  return (
    <section className={styles.wrong} aria-label={t('userImport.keptUsers')}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard */}
      <ul tabIndex={0} aria-label={t('userImport.keptUsers')}>
        {kept.map(({ id, fullName, reason }) => (
          <li key={id}>
            <strong>
              <Name>{fullName}</Name>
            </strong>
            <span>{t(`userImport.keptReasons.${reason}`)}</span>
          </li>
        ))}
      </ul>
      {stayed > kept.length && <p>{t('userImport.moreKept', { number: numeral(stayed - kept.length) })}</p>}
    </section>
  );
}
