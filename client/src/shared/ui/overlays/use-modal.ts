import { lockFocus } from '@rc-component/util';
import { type RefObject, useEffect, useId, useState, useSyncExternalStore } from 'react';
import { latestUsableNotice, onUsableNotices } from '../../usable-notices.js';

/**
 * Says to assistive technology whether the rest of the page can be used while this dialog is open, and keeps the focus in one
 * that is modal. Ant Design denies the rest of the page for all; a screen reader then does not find a notice with buttons, which
 * stands outside of each dialog.
 */
export function useModal(inside: RefObject<HTMLElement | null>, { open, modal }: { open: boolean; modal: boolean }) {
  const isAlone = useSyncExternalStore(onUsableNotices, latestUsableNotice) === undefined;
  const id = useId();
  const [dialog, setDialog] = useState<HTMLElement | null>(null);
  // After each change, since Ant Design renders its panel again.
  useEffect(() => {
    const rendered = (open && dialogOf(inside)) || null;
    rendered?.setAttribute('aria-modal', String(modal && isAlone));
    setDialog(rendered);
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
}

const dialogOf = (inside: RefObject<HTMLElement | null>) => inside.current?.closest<HTMLElement>('[role="dialog"]');
