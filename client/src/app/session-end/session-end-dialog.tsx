import { Button } from 'antd';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { signOut } from '../../shared/browser/sign-out.js';
import { Dialog } from '../../shared/ui/overlays/dialog.js';
import { clock, spokenAt } from './countdown.js';
import styles from './session-end.module.css';
import './words/en.js';

/** The time that is left, and the way to have more of it. */
export function SessionEndDialog({
  open,
  endsAt,
  extendable,
  onStay,
}: {
  open: boolean;
  /** Milliseconds since 1970. */
  endsAt: number;
  extendable: boolean;
  onStay: () => Promise<void>;
}) {
  const { t } = useTranslation();
  const left = useSecondsUntil(endsAt, open);
  const [busy, setBusy] = useState(false);
  const primary = useRef<HTMLButtonElement>(null);
  const announcedSeconds = spokenAt(left);
  const inWords =
    announcedSeconds % 60 === 0
      ? t('sessionEnd.minutes', { count: announcedSeconds / 60 })
      : t('sessionEnd.seconds', { count: announcedSeconds });

  const stay = async () => {
    setBusy(true);
    await onStay();
    setBusy(false);
  };

  return (
    <Dialog
      open={open}
      title={t(extendable ? 'sessionEnd.title' : 'sessionEnd.lastTitle')}
      onClose={stay}
      initialFocus={primary}
      actions={
        <>
          <Button onClick={() => signOut()}>{t('sessionEnd.signOut')}</Button>
          <Button ref={primary} type="primary" loading={busy} onClick={stay}>
            {t(extendable ? 'sessionEnd.stay' : 'common.ok')}
          </Button>
        </>
      }
    >
      <p>{t(extendable ? 'sessionEnd.text' : 'sessionEnd.lastText')}</p>
      <p className={styles.clock} aria-hidden="true">
        {clock(left)}
      </p>
      {/* Now and then, not every second. */}
      <p className="visually-hidden" role="status">
        {t('sessionEnd.announcement', { time: inWords })}
      </p>
    </Dialog>
  );
}

function useSecondsUntil(end: number, counting: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!counting) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [counting]);
  return Math.max(0, Math.ceil((end - now) / 1000));
}
