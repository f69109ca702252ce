import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { useLazySessionQuery, useTimeLeftQuery } from '../../api/session.js';
import { useLostSession } from './session-lost.js';

const SessionEndDialog = lazy(() => import('./session-end-dialog.js').then((m) => ({ default: m.SessionEndDialog })));

/** Longest interval between session calls: the user may have signed out in another window. */
const longestPauseMs = 5 * 60_000;
/** Interval while the warning stands: the user may have extended the session in another window. */
const shortPauseMs = 5_000;

/** Typing counts as using the session; the server hears of it at most this often. */
const typingPauseMs = 30_000;

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
  const lost = useLostSession();
  useTyping(async () => {
    if (lost) return;
    await extend();
    await refetch();
  });
  if (!data || !fulfilledTimeStamp) return null;

  const { secondsLeft, warnAt, extendable } = data;
  const isDue = secondsLeft <= warnAt;
  const wanted = isDue ? shortPauseMs : Math.min(longestPauseMs, (secondsLeft - warnAt) * 1000);
  if (wanted !== pause) setPause(wanted);
  if (!isDue && known) setKnown(false);
  const open = isDue && !known && !lost;
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

/** Calls back when something is typed, some time after the page was opened or it was called last. */
function useTyping(onTyping: () => void): void {
  const latest = useRef(onTyping);
  latest.current = onTyping;
  useEffect(() => {
    let reportedAt = Date.now();
    const typed = () => {
      if (Date.now() - reportedAt < typingPauseMs) return;
      reportedAt = Date.now();
      latest.current();
    };
    document.addEventListener('input', typed);
    return () => document.removeEventListener('input', typed);
  }, []);
}
