import { lockFocus } from '@rc-component/util';
import { type RefObject, useEffect, useId, useReducer, useState, useSyncExternalStore } from 'react';
import { latestUsableNotice, onUsableNotices, usableNoticeOf } from '../../usable-notices.js';

/**
 * Says to assistive technology whether the rest of the page can be used while this dialog is open, and keeps the focus
 * in one that is modal. Ant Design denies the rest of the page for all; a screen reader then does not find a notice
 * with buttons, which stands outside of each dialog.
 */
export function useModal(inside: RefObject<HTMLElement | null>, { open, modal }: { open: boolean; modal: boolean }) {
  const isAlone = useSyncExternalStore(onUsableNotices, latestUsableNotice) === undefined;
  const id = useId();
  const [dialog, setDialog] = useState<HTMLElement | null>(null);
  const [, lookAgain] = useReducer((count: number) => count + 1, 0);
  // After each change, since Ant Design renders its panel again.
  useEffect(() => {
    const rendered = (open && dialogOf(inside)) || null;
    rendered?.setAttribute('aria-modal', String(modal && isAlone));
    setDialog(rendered);
    if (!open || rendered) return undefined;
    // Ant Design renders its panel later than its parent, which does not learn of it.
    const frame = requestAnimationFrame(lookAgain);
    return () => cancelAnimationFrame(frame);
  });
  // Ant Design looks for the panel twice, and keeps no focus in one that is rendered later than that.
  useEffect(() => (dialog && modal ? lockFocus(dialog, id) : undefined), [dialog, modal, id]);
  useEffect(() => {
    // From the last control Ant Design goes to the first one without scrolling to it.
    const show = ({ target }: FocusEvent) => {
      if (!(target instanceof HTMLElement) || !target.matches(':focus-visible')) return;
      const dialog = dialogOf(inside);
      if (dialog !== target && dialog?.contains(target)) target.scrollIntoView({ block: 'nearest' });
    };
    if (open) document.addEventListener('focusin', show);
    return () => document.removeEventListener('focusin', show);
  }, [open, inside]);
  useReachedNotice(inside, open);
}

/**
 * Leaves the focus on a notice that the user has reached next to an open dialog, until their next key or click. Ant
 * Design takes the focus when the dialog gets its panel and again at the end of its animation: the next key would then
 * be another button's.
 */
function useReachedNotice(inside: RefObject<HTMLElement | null>, open: boolean): void {
  useEffect(() => {
    if (!open) return undefined;
    let reached: HTMLElement | undefined;
    const follow = (event: FocusEvent) => {
      const { target } = event;
      if (!(target instanceof HTMLElement)) return;
      if (usableNoticeOf(target)) reached = target;
      else if (reached?.isConnected && dialogOf(inside)?.contains(target)) {
        // The lock of Ant Design would take it back.
        event.stopPropagation();
        reached.focus();
      }
    };
    const release = () => {
      reached = undefined;
    };
    document.addEventListener('focusin', follow, true);
    for (const act of acts) document.addEventListener(act, release, true);
    return () => {
      document.removeEventListener('focusin', follow, true);
      for (const act of acts) document.removeEventListener(act, release, true);
    };
  }, [open, inside]);
}

const acts = ['keydown', 'pointerdown', 'click'];

const dialogOf = (inside: RefObject<HTMLElement | null>) => inside.current?.closest<HTMLElement>('[role="dialog"]');
