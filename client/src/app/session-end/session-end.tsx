import { lazy, Suspense, useState } from 'react';
import { useLazySessionQuery, useTimeLeftQuery } from '../../api/session.js';

const SessionEndDialog = lazy(() => import('./session-end-dialog.js').then((m) => ({ default: m.SessionEndDialog })));

/** How often the server is asked while nothing is due: another window may have signed out. */
const longestPauseMs = 5 * 60_000;
/** And while the warning stands: in another window somebody may have gone on. */
const shortPauseMs = 5_000;

/**
 * Warns before the session ends by itself (WCAG 2.2.1). Only the server knows when that is, since other windows use the
 * same session; asking it does not count as using it, and once it has ended the answer leads to the sign-in page.
 */
export function SessionEnd() {
  const [pause, setPause] = useState(longestPauseMs);
  const [known, setKnown] = useState(false);
  const [shown, setShown] = useState(false);
  const { data, fulfilledTimeStamp, refetch } = useTimeLeftQuery(undefined, {
    refetchOnMountOrArgChange: true,
    pollingInterval: pause,
  });
  const [extend] = useLazySessionQuery();
  if (!data || !fulfilledTimeStamp) return null;

  const { secondsLeft, warnAt, extendable } = data;
  const isDue = secondsLeft <= warnAt;
  const wanted = isDue ? shortPauseMs : Math.min(longestPauseMs, (secondsLeft - warnAt) * 1000);
  if (wanted !== pause) setPause(wanted);
  if (!isDue && known) setKnown(false);
  const open = isDue && !known;
  if (open && !shown) setShown(true);
  // From then on it stays, closed, so that the focus goes back to where it was.
  if (!open && !shown) return null;

  const stay = async () => {
    if (!extendable) return setKnown(true);
    await extend();
    await refetch();
  };
  return (
    <Suspense>
      <SessionEndDialog
        open={open}
        endsAt={fulfilledTimeStamp + secondsLeft * 1000}
        extendable={extendable}
        onStay={stay}
      />
    </Suspense>
  );
}
