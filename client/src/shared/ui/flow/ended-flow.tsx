import { useEffect, useState } from 'react';
import { Navigate, useLocation } from 'react-router-dom';
import { endedPage } from '../../addresses/return-url.js';
import { isPassedAgain } from '../../browser/flow-history.js';
import { leave } from '../../browser/leave.js';
import { LoadingOverlay } from '../placeholders/loading-overlay.js';

/** Longer than the browser takes for the page before this one. */
const longestMs = 3_000;

/**
 * In place of the page of a request that has ended: says so. Back from the app passes it by, for the way to the app is
 * behind the user.
 */
export function EndedFlow({ returnUrl }: { returnUrl: string | null }) {
  const { key } = useLocation();
  const [passes, setPasses] = useState(isPassedAgain);
  useEffect(() => {
    if (!passes) return;
    if (key) window.history.back();
    // There may be no page before this one.
    const timer = setTimeout(() => setPasses(false), longestMs);
    return () => clearTimeout(timer);
  }, [key, passes]);
  return passes ? <LoadingOverlay /> : <Navigate to={endedPage(returnUrl)} replace />;
}

/** In place of a page that the request is not at: the server knows the right one. */
export function Leave({ to }: { to: string }) {
  useEffect(() => leave(to), [to]);
  return <LoadingOverlay />;
}
