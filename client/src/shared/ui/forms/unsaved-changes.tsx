import { Button } from 'antd';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useBlocker } from 'react-router-dom';
import { forgetPageChange } from '../../addresses/page-query.js';
import { forgetDraft, isLeavingUnasked } from '../../drafts/drafts.js';
import { useOpenForm } from '../../drafts/use-open-form.js';
import { Dialog } from '../overlays/dialog.js';
import './words/en.js';

export interface UnsavedChanges {
  /** To be rendered somewhere. */
  question: ReactNode;
  /** Does this, after asking if need be. */
  leave: (go: () => void) => void;
  /** Does this without asking: what was typed is saved, or can be saved no more. */
  finish: (go: () => void) => void;
}

/**
 * Asks the user before unsaved input is lost: by closing a form (`leave`), by Back or a link, and by closing the
 * window. `changed` is called at that moment. The input survives a lost session and a failed save as `draft`.
 */
export function useUnsavedChanges(
  changed: () => boolean,
  draft: { name: string; value: () => unknown },
): UnsavedChanges {
  const { t } = useTranslation();
  const [pending, setPending] = useState<(() => void) | null>(null);
  const latest = useRef(changed);
  latest.current = changed;
  const allowed = useRef(false);
  const blocker = useBlocker(() => !allowed.current && !isLeavingUnasked() && latest.current());
  useOpenForm({ ...draft, isChanged: changed });

  useEffect(() => {
    const closing = (event: BeforeUnloadEvent) => {
      if (!isLeavingUnasked() && latest.current()) event.preventDefault();
    };
    window.addEventListener('beforeunload', closing);
    return () => window.removeEventListener('beforeunload', closing);
  }, []);

  const finish = (act: () => void) => {
    forgetDraft(draft.name);
    allowed.current = true;
    act();
    allowed.current = false;
  };
  const leave = (act: () => void) => (changed() ? setPending(() => act) : finish(act));
  const stay = () => {
    setPending(null);
    forgetPageChange();
    blocker.reset?.();
  };
  const discard = () => {
    setPending(null);
    if (pending) finish(pending);
    else forgetDraft(draft.name);
    blocker.proceed?.();
  };
  const question = (
    <Dialog
      open={pending !== null || blocker.state === 'blocked'}
      title={t('unsaved.title')}
      onClose={stay}
      actions={
        <>
          <Button onClick={stay}>{t('unsaved.keep')}</Button>
          <Button type="primary" danger onClick={discard}>
            {t('unsaved.discard')}
          </Button>
        </>
      }
    >
      {t('unsaved.text')}
    </Dialog>
  );
  return { question, leave, finish };
}
