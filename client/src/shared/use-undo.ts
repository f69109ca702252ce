import { type FocusEvent as ReactFocusEvent, type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isTyping } from './browser/is-typing.js';
import { type Notice, notify } from './notices.js';
import { focusPageTitle } from './ui/layout/page-title.js';
import { latestUsableNotice } from './usable-notices.js';

/** Resolves to the text to show afterwards, or to none for the usual one. */
export type Undo = () => Promise<string> | Promise<void>;

/** A change that can be undone, and the time that is left. */
export interface Undoable {
  undo: Undo;
  totalMs: number;
  leftMs: number;
}

/** The time that is left at least after a failed attempt, so that it can be repeated. */
const againMs = 5000;

/** True while the pointer or the focus is in the box; and puts the focus back to where it was before. */
export function useHeld(box: RefObject<HTMLElement | null>) {
  const [held, setHeld] = useState({ pointer: false, focus: false });
  const before = useRef<EventTarget | null>(null);

  useEffect(() => {
    // A dialog takes back the focus that leaves it, by a listener of the window: the notice is usable next to each.
    const keep = (event: FocusEvent) => {
      if (event.target instanceof Node && box.current?.contains(event.target)) event.stopPropagation();
    };
    document.addEventListener('focusin', keep);
    return () => document.removeEventListener('focusin', keep);
  }, [box]);

  const restoreFocus = useCallback(() => {
    if (!box.current?.contains(document.activeElement)) return;
    const { current } = before;
    if (current instanceof HTMLElement && current.isConnected) current.focus();
    else focusPageTitle();
  }, [box]);

  const handlers = {
    onPointerEnter: () => setHeld((now) => ({ ...now, pointer: true })),
    onPointerLeave: () => setHeld((now) => ({ ...now, pointer: false })),
    onFocus: ({ currentTarget, relatedTarget }: ReactFocusEvent<HTMLElement>) => {
      if (!currentTarget.contains(relatedTarget)) before.current = relatedTarget;
      setHeld((now) => ({ ...now, focus: true }));
    },
    onBlur: ({ currentTarget, relatedTarget }: ReactFocusEvent<HTMLElement>) => {
      if (!currentTarget.contains(relatedTarget)) setHeld((now) => ({ ...now, focus: false }));
    },
  };
  return { isHeld: held.pointer || held.focus, restoreFocus, handlers };
}

/** Ends the notice after the time that is left; it passes while `running`. */
export function useTimeLeft(notice: Notice, undoable: Undoable, running: boolean, end: () => void): void {
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
}

/** Undoes the change, which ends the notice; a failed attempt can be repeated. */
export function useUndo(undoable: Undoable, end: () => void) {
  const { t } = useTranslation();
  const [busy, setBusy] = useState(false);
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
  return { busy, undo };
}

/** Ctrl+Z and Cmd+Z undo the latest change, if there are several. */
export function useUndoKey(id: number, busy: boolean, undo: () => Promise<void>): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'z' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey)
        return;
      if (busy || id !== latestUsableNotice() || isTyping(event.target)) return;
      event.preventDefault();
      void undo();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [busy, id, undo]);
}
