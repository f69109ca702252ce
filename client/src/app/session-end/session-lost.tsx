import { lazy, Suspense, useEffect, useSyncExternalStore } from 'react';
import { lostSession } from '../../api/failures/lost-session.js';
import { useLazySessionQuery } from '../../api/session.js';
import { onSessionChanged } from '../../shared/browser/session-news.js';
import { hasChangedForm } from '../../shared/drafts/drafts.js';

const SessionLostDialog = lazy(() =>
  import('./session-lost-dialog.js').then((m) => ({ default: m.SessionLostDialog })),
);

export const useLostSession = () => useSyncExternalStore(lostSession.subscribe, lostSession.isLost);

/**
 * Asks to sign in again when the session of a page with unsaved changes has ended, also when another tab has ended it.
 */
export function SessionLost() {
  const [ask] = useLazySessionQuery();
  useEffect(
    () =>
      onSessionChanged(() => {
        if (hasChangedForm() && !lostSession.isLost()) void ask();
      }),
    [ask],
  );
  return useLostSession() ? (
    <Suspense>
      <SessionLostDialog />
    </Suspense>
  ) : null;
}
