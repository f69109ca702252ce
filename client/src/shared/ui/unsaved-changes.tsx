import { Button } from 'antd';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useBlocker } from 'react-router-dom';
import { Dialog } from './dialog.js';

export interface UnsavedChanges {
  /** To be rendered somewhere. */
  question: ReactNode;
  /** Does this, after asking if need be. */
  leave: (go: () => void) => void;
  /** Does this without asking: what was typed is saved, or can be saved no more. */
  finish: (go: () => void) => void;
}

/**
 * Nobody loses what they typed without being asked: not by closing a form (`leave`), not by Back or a link, and not by
 * closing the window. `changed` is asked at that moment.
 */
export function useUnsavedChanges(changed: () => boolean): UnsavedChanges {
  const { t } = useTranslation();
  const [pending, setPending] = useState<(() => void) | null>(null);
  const latest = useRef(changed);
  latest.current = changed;
  const allowed = useRef(false);
  const blocker = useBlocker(() => !allowed.current && latest.current());

  useEffect(() => {
    const closing = (event: BeforeUnloadEvent) => {
      if (latest.current()) event.preventDefault();
    };
    window.addEventListener('beforeunload', closing);
    return () => window.removeEventListener('beforeunload', closing);
  }, []);

  const finish = (act: () => void) => {
    allowed.current = true;
    act();
    allowed.current = false;
  };
  const leave = (act: () => void) => (changed() ? setPending(() => act) : finish(act));
  const stay = () => {
    setPending(null);
    blocker.reset?.();
  };
  const discard = () => {
    setPending(null);
    if (pending) finish(pending);
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
