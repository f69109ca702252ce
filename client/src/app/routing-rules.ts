import type { UserType } from '../../../src/contract/session.js';
import { linkOf, mailedPages } from '../shared/mailed-link.js';
import { isPage } from '../shared/pages.js';
import { knownReturnUrl, returnUrlOf } from '../shared/return-url.js';

export interface Situation {
  path: string;
  /** The query, with or without its question mark. */
  search: string;
  origin: string;
  /** Null when nobody is signed in. */
  userType: UserType | null;
  adminAccountIsConfigured: boolean;
  /** Whether this browser has recorded a visit of the welcome page. */
  visited: boolean;
}

export type Ruling =
  | { kind: 'stay' }
  | { kind: 'redirect'; to: string }
  /** A full-page navigation to an address that the server answers. */
  | { kind: 'leave'; to: string };

const stay: Ruling = { kind: 'stay' };
const redirect = (to: string): Ruling => ({ kind: 'redirect', to });

const homes: Record<UserType, string> = {
  Admin: '/admin/dashboard',
  Patient: '/user/grants',
  Practitioner: '/user/grants',
  Incomplete: '/error/404',
};

/** A link by mail is for the account it was sent to, whoever is signed in here; without what it carries it is nothing. */
const isMailedLink = (path: string, search: string) => mailedPages.includes(path) && linkOf(search) !== null;

/** These pages are stations of the way to the return URL and carry it along. */
const flowPages = ['/user/consent', '/user/disclaimer', '/user/launch-context', '/user/two-factor-required'];

const within = (area: '/admin' | '/user', path: string) => path === area || path.startsWith(`${area}/`);

/** Where a signed-in account of this type belongs (`spec §2`). */
export const homeOf = (userType: UserType) => homes[userType];

/** The routing rules of `spec §2`, all of them: what happens to somebody who comes to this address. */
export function rule(situation: Situation): Ruling {
  const { path, search, origin, userType } = situation;
  if (path.startsWith('/error/')) return stay;
  const inAdmin = within('/admin', path);
  const inUser = within('/user', path);

  if (userType === null) {
    if (!inAdmin && !inUser && path !== '/') return stay;
    // Whoever lost the session amid an authorization goes on with it after signing in, also on a first visit.
    const pending = flowPages.includes(path) ? knownReturnUrl(returnUrlOf(search), origin) : null;
    if (pending?.onServer) return redirect(`/login?${new URLSearchParams({ returnUrl: pending.to })}`);
    if (!situation.visited) return redirect('/welcome');
    return redirect(situation.adminAccountIsConfigured ? '/login' : '/register');
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
