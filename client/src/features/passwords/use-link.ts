import { useEffect, useState } from 'react';
import { useLocation } from 'react-router-dom';
import { linkOf, type MailedLink } from '../../shared/mailed-link.js';

/**
 * The link that led to this page. It is taken out of the address bar at once, past the router, so that it is neither
 * in the browser's history nor in anything that is sent or looked over from there; only this page still knows it.
 */
export function useLink(): MailedLink | null {
  const { pathname, search } = useLocation();
  const [link] = useState(() => linkOf(search));
  useEffect(() => window.history.replaceState(window.history.state, '', pathname), [pathname]);
  return link;
}
