import { CheckCircleFilled, CloseOutlined } from '@ant-design/icons';
import { type FocusEvent as ReactFocusEvent, useCallback, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isTyping } from './browser/is-typing.js';
import { notify, type ShownNotice, show } from './notices.js';
import { focusPageTitle } from './ui/layout/page-title.js';
import styles from './undo-notice.module.css';
import { addUsableNotice, latestUsableNotice, usableNotice } from './usable-notices.js';

/** Resolves to the text to show afterwards, or to none for the usual one. */
type Undo = () => Promise<string> | Promise<void>;

/** A change that can be undone, and the time that is left. */
interface Undoable {
  undo: Undo;
  totalMs: number;
  leftMs: number;
}

/** The time that is left at least after a failed attempt, so that it can be repeated. */
const againMs = 5000;

/**
 * Says what was done, for some seconds with a button that undoes it. The time stops while the pointer or the focus is on
 * the notice. If `undo` fails, it can be repeated. After a reload of the document the button is gone: what was done stays.
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
  const [announced, setAnnounced] = useState(false);
  const [held, setHeld] = useState({ pointer: false, focus: false });
  const [busy, setBusy] = useState(false);
  const [passedMs] = useState(undoable.totalMs - undoable.leftMs);
  const box = useRef<HTMLElement>(null);
  const before = useRef<EventTarget | null>(null);
  const { id } = notice;
  const running = !held.pointer && !held.focus && !busy;

  const end = useCallback(() => {
    notice.until = 0;
    // The focused button disappears with the notice.
    if (box.current?.contains(document.activeElement)) {
      const { current } = before;
      if (current instanceof HTMLElement && current.isConnected) current.focus();
      else focusPageTitle();
    }
    remove(id);
  }, [notice, remove, id]);

  useEffect(() => {
    // A live region announces what changes in it after it was added to the document.
    setAnnounced(true);
    return addUsableNotice(id);
  }, [id]);

  useEffect(() => {
    // A dialog takes back the focus that leaves it, by a listener of the window: the notice is usable beside each.
    const keep = (event: FocusEvent) => {
      if (event.target instanceof Node && box.current?.contains(event.target)) event.stopPropagation();
    };
    document.addEventListener('focusin', keep);
    return () => document.removeEventListener('focusin', keep);
  }, []);

  useEffect(() => {
    if (!running) return undefined;
    const start = Date.now();
    notice.until = start + undoable.leftMs;
    const timer = setTimeout(end, undoable.leftMs);
    return () => {
      clearTimeout(timer);
      undoable.leftMs = Math.max(0, undoable.leftMs - (Date.now() - start));
      // Another area's bar takes the notice over while its time stands still.
      if (notice.until > 0) notice.until = Number.MAX_SAFE_INTEGER;
    };
  }, [running, notice, undoable, end]);

  const undo = useCallback(async () => {
    setBusy(true);
    try {
      const done = await undoable.undo();
      end();
      notify('success', done ?? t('undo.done'));
    } catch {
      undoable.leftMs = Math.max(undoable.leftMs, againMs);
      setBusy(false);
      notify('error', t('undo.failed'));
    }
  }, [undoable, end, t]);

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'z' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey)
        return;
      // The latest one, if there are several.
      if (busy || id !== latestUsableNotice() || isTyping(event.target)) return;
      event.preventDefault();
      void undo();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [busy, id, undo]);

  return (
    <section
      ref={box}
      {...usableNotice}
      aria-label={t('undo.act')}
      className={`${className} ${styles.notice}`}
      onPointerEnter={() => setHeld((now) => ({ ...now, pointer: true }))}
      onPointerLeave={() => setHeld((now) => ({ ...now, pointer: false }))}
      onFocus={({ currentTarget, relatedTarget }: ReactFocusEvent<HTMLElement>) => {
        if (!currentTarget.contains(relatedTarget)) before.current = relatedTarget;
        setHeld((now) => ({ ...now, focus: true }));
      }}
      onBlur={({ currentTarget, relatedTarget }: ReactFocusEvent<HTMLElement>) => {
        if (!currentTarget.contains(relatedTarget)) setHeld((now) => ({ ...now, focus: false }));
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        // It would close the dialog too.
        event.stopPropagation();
        if (!busy) end();
      }}
    >
      <CheckCircleFilled className={styles.mark} aria-hidden />
      <span role="status">
        {announced && (
          <>
            <span>{notice.text}</span>
            <span className="visually-hidden"> {t('undo.hint', { seconds: undoable.totalMs / 1000 })}</span>
          </>
        )}
      </span>
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
