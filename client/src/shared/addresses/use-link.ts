import { useEffect, useState } from 'react';
import { useLocation } from 'react-router-dom';
import { forgetLink, keepLink, keptLink, linkOf, type MailedLink } from './mailed-link.js';

/**
 * The link that led to this page. It is taken out of the address bar at once, past the router, so that it is neither in
 * the browser's history nor in anything that is sent or looked over from there; only this tab still knows it, until it
 * is used up.
 */
export function useLink(): { link: MailedLink | null; forget: () => void } {
  const { pathname, search } = useLocation();
  const [link] = useState(() => linkOf(search) ?? linkOf(keptLink(pathname)));
  useEffect(() => {
    if (link) keepLink(pathname, link);
    window.history.replaceState(window.history.state, '', pathname);
  }, [pathname, link]);
  return { link, forget: () => forgetLink(pathname) };
}
