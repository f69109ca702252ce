import { CheckCircleFilled, CloseOutlined } from '@ant-design/icons';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type ShownNotice, show } from './notices.js';
import styles from './undo-notice.module.css';
import { addUsableNotice, usableNotice } from './usable-notices.js';
import { type Undo, type Undoable, useHeld, useTimeLeft, useUndo, useUndoKey } from './use-undo.js';

/**
 * Says what was done, for some seconds with a button that undoes it. The time stops while the pointer or the focus is
 * on the notice. If `undo` fails, it can be repeated. After a reload of the document the button is gone: what was done
 * stays.
 */
export function notifyWithUndo({ text, undo, seconds = 10 }: { text: string; undo: Undo; seconds?: number }): void {
  const totalMs = seconds * 1000;
  const undoable = { undo, totalMs, leftMs: totalMs };
  show({
    type: 'success',
    text,
    until: Date.now() + totalMs,
    as: (props) => <UndoNotice {...props} undoable={undoable} />,
  });
}

function UndoNotice({ notice, remove, className, undoable }: ShownNotice & { undoable: Undoable }) {
  const { t } = useTranslation();
  const { id } = notice;
  const [passedMs] = useState(undoable.totalMs - undoable.leftMs);
  const box = useRef<HTMLElement>(null);
  const { isHeld, restoreFocus, handlers } = useHeld(box);

  const end = useCallback(() => {
    notice.until = 0;
    // The focused button disappears with the notice.
    restoreFocus();
    remove(id);
  }, [notice, remove, id, restoreFocus]);

  useEffect(() => addUsableNotice(id), [id]);
  const { busy, undo } = useUndo(undoable, end);
  useUndoKey(id, busy, undo);
  const running = !isHeld && !busy;
  useTimeLeft(notice, undoable, running, end);

  return (
    <section
      ref={box}
      {...usableNotice}
      aria-label={t('undo.act')}
      className={`${className} ${styles.notice}`}
      {...handlers}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        // It would close the dialog too.
        event.stopPropagation();
        if (!busy) end();
      }}
    >
      <CheckCircleFilled className={styles.mark} aria-hidden />
      <Announcement text={notice.text} seconds={undoable.totalMs / 1000} />
      <button
        type="button"
        className={styles.undo}
        aria-keyshortcuts="Control+Z Meta+Z"
        aria-disabled={busy}
        onClick={() => !busy && void undo()}
      >
        {t('undo.act')}
      </button>
      <button type="button" className={styles.close} aria-label={t('common.close')} onClick={end}>
        <CloseOutlined aria-hidden />
      </button>
      <span
        className={styles.time}
        style={{
          animationDuration: `${undoable.totalMs}ms`,
          animationDelay: `-${passedMs}ms`,
          animationPlayState: running ? 'running' : 'paused',
        }}
      />
    </section>
  );
}

function Announcement({ text, seconds }: { text: string; seconds: number }) {
  const { t } = useTranslation();
  const [added, setAdded] = useState(false);
  // A live region announces what changes in it after it was added to the document.
  useEffect(() => setAdded(true), []);
  return (
    <span role="status">
      {added && (
        <>
          <span>{text}</span>
          <span className="visually-hidden"> {t('undo.hint', { seconds })}</span>
        </>
      )}
    </span>
  );
}
