import { Button } from 'antd';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { lostSession } from '../../api/failures/lost-session.js';
import { useLazySignedInQuery } from '../../api/session.js';
import { portalPath } from '../../shared/addresses/base-path.js';
import { leave } from '../../shared/browser/leave.js';
import { onSessionChanged } from '../../shared/browser/session-news.js';
import { belongTo, forgetAllDrafts, keepDrafts, unloadUnasked } from '../../shared/drafts/drafts.js';
import { DialogFrame } from '../../shared/ui/overlays/dialog-frame.js';
import '../../shared/ui/forms/words/en.js';

/** Interval of the calls that check for a new sign-in, while this page is visible. */
const pauseMs = 3_000;

/**
 * Covers the page until its person is signed in again, in another tab: by password, second factor or provider, as
 * usual. When another person signs in, the page is left with all that it holds.
 */
export function SessionLostDialog() {
  const { t } = useTranslation();
  const [ask] = useLazySignedInQuery();
  const primary = useRef<HTMLButtonElement>(null);
  const opened = useRef<Window | null>(null);

  // Neither seen nor read aloud is what stands behind, and the focus comes back to it.
  const [focused] = useState(() => document.activeElement);
  useLayoutEffect(() => {
    document.body.classList.add('covered');
    return () => {
      document.body.classList.remove('covered');
      // Once the dialog has gone, which keeps the focus until then.
      if (focused instanceof HTMLElement) setTimeout(() => focused.focus({ preventScroll: true }));
    };
  }, [focused]);

  useEffect(() => {
    const look = async () => {
      const { data: user } = await ask();
      if (!user || !lostSession.isLost()) return;
      if (user.id === lostSession.owner()) {
        opened.current?.close();
        lostSession.end();
        return;
      }
      belongTo(user.id);
      unloadUnasked(() => leave(portalPath('/')));
    };
    const lookIfSeen = () => {
      if (document.visibilityState === 'visible') void look();
    };
    const timer = setInterval(lookIfSeen, pauseMs);
    document.addEventListener('visibilitychange', lookIfSeen);
    const unsubscribe = onSessionChanged(() => void look());
    return () => {
      unsubscribe();
      clearInterval(timer);
      document.removeEventListener('visibilitychange', lookIfSeen);
    };
  }, [ask]);

  const signIn = () => {
    // A tab that is opened by script begins with a copy of this one's storage.
    forgetAllDrafts();
    opened.current = window.open(portalPath('/login'), '_blank');
    keepDrafts();
  };
  const discard = () => {
    forgetAllDrafts();
    unloadUnasked(() => leave(portalPath('/login')));
  };

  return (
    <DialogFrame
      open
      opaque
      title={t('lostSession.title')}
      initialFocus={primary}
      actions={
        <>
          <Button onClick={discard}>{t('unsaved.discard')}</Button>
          <Button ref={primary} type="primary" onClick={signIn}>
            {t('lostSession.signIn')}
          </Button>
        </>
      }
    >
      {t('lostSession.text')}
    </DialogFrame>
  );
}
