import { useEffect, useState } from 'react';
import { useLocation } from 'react-router-dom';

/** What a link by mail carries. */
export interface Link {
  userId: string;
  token: string;
}

/** Null when something of it is missing. */
export function linkOf(search: string): Link | null {
  const query = new URLSearchParams(search);
  const userId = query.get('u');
  const token = query.get('t');
  return userId && token ? { userId, token } : null;
}

/**
 * The link that led to this page. It is taken out of the address bar at once, past the router, so that it is neither
 * in the browser's history nor in anything that is sent or looked over from there; only this page still knows it.
 */
export function useLink(): Link | null {
  const { pathname, search } = useLocation();
  const [link] = useState(() => linkOf(search));
  useEffect(() => window.history.replaceState(window.history.state, '', pathname), [pathname]);
  return link;
}
