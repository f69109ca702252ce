import type { UserType } from '../../../src/contract/session.js';
import { linkOf, mailedPages } from '../shared/mailed-link.js';
import { flowPages, homes, isPage, isWithin } from '../shared/pages.js';
import { deepLink, knownReturnUrl, returnUrlOf, withReturnUrl } from '../shared/return-url.js';

export interface Situation {
  path: string;
  /** The query, with or without its question mark. */
  search: string;
  origin: string;
  /** Null without a signed-in user. */
  userType: UserType | null;
  adminAccountIsConfigured: boolean;
  /** True if this browser has recorded a visit of the welcome page. */
  visited: boolean;
}

export type Ruling =
  | { kind: 'stay' }
  | { kind: 'redirect'; to: string }
  /** A full-page navigation to an address that the server answers. */
  | { kind: 'leave'; to: string };

const stay: Ruling = { kind: 'stay' };
const redirect = (to: string): Ruling => ({ kind: 'redirect', to });

/**
 * A link by mail is for the account it was sent to, regardless of the signed-in user; without its parameters it is no
 * link.
 */
const isMailedLink = (path: string, search: string) => mailedPages.includes(path) && linkOf(search) !== null;

/** The home page of a signed-in account of this type (`spec §2`). */
const homeOf = (userType: UserType) => homes[userType];

/** The routing rules of `spec §2`, all of them: the page for a user who comes to this address. */
export function rule(situation: Situation): Ruling {
  const { path, search, origin, userType } = situation;
  if (path.startsWith('/error/')) return stay;
  const inAdmin = isWithin('/admin', path);
  const inUser = isWithin('/user', path);

  if (userType === null) {
    if (!inAdmin && !inUser && path !== '/') return stay;
    // A user who lost the session amid an authorization continues it after signing in, also on a first visit.
    const pending = flowPages.includes(path) ? knownReturnUrl(returnUrlOf(search), origin) : null;
    if (pending?.onServer) return redirect(`/login?${new URLSearchParams({ returnUrl: pending.to })}`);
    const next = situation.visited ? (situation.adminAccountIsConfigured ? '/login' : '/register') : '/welcome';
    return redirect(withReturnUrl(next, deepLink(path, search)));
  }

  // An authorization may ask a signed-in person to sign in again (prompt=login, max_age): the form has to show.
  if (path === '/login' && new URLSearchParams(search).get('prompt') === 'login') return stay;

  if (isMailedLink(path, search)) return stay;

  if (!flowPages.includes(path)) {
    const target = knownReturnUrl(returnUrlOf(search), origin);
    if (target?.onServer) return { kind: 'leave', to: target.to };
    if (target && target.to !== path + search) return redirect(target.to);
  }

  const ownArea = userType === 'Admin' ? inAdmin : userType !== 'Incomplete' && inUser;
  const unknown = !inAdmin && !inUser && path !== '/' && !isPage(path);
  return ownArea || unknown ? stay : redirect(homeOf(userType));
}
