import { isAside, isPage, isPageFor, type Path, stepPages, stepPaths } from '../../../src/contract/rules/pages.js';
import type { SignInLack, UserType } from '../../../src/contract/session.js';
import { homes, isWithin } from '../shared/addresses/areas.js';
import { linkOf, mailedPages } from '../shared/addresses/mailed-link.js';
import {
  deepLink,
  type KnownReturnUrl,
  knownReturnUrl,
  returnUrlOf,
  withReturnUrl,
} from '../shared/addresses/return-url.js';

export interface Situation {
  path: string;
  /** The query, with or without its question mark. */
  search: string;
  origin: string;
  /** Null without a signed-in user. */
  userType: UserType | null;
  /** The lack of an administrator's sign-in that keeps the admin area closed; null for one that is enough. */
  lacks: SignInLack | null;
  /** True if the user has to be told who acts for them, or does no more. */
  hasNews: boolean;
  adminAccountIsConfigured: boolean;
  /** True if this browser has recorded a visit of the welcome page. */
  visited: boolean;
  /** True if a user was signed in with this browser and has not signed out. */
  wasSignedIn: boolean;
}

export type Ruling =
  | { kind: 'stay' }
  | { kind: 'redirect'; to: string }
  /** A full-page navigation to an address that the server answers. */
  | { kind: 'leave'; to: string };

/** A situation with the facts that several rules need. */
interface Facts<Type extends UserType | null> extends Situation {
  userType: Type;
  inAdmin: boolean;
  inUser: boolean;
  /** A page between sign-in and the response to the client, or one that a step of it leads to. */
  isStep: boolean;
  target: KnownReturnUrl | null;
}

/** Returns the ruling if the rule applies. */
type Rule<Type extends UserType | null> = (facts: Facts<Type>) => Ruling | false | null | undefined;

const strongerSignIn: Path = '/admin/stronger-sign-in';
const familyNews: Path = '/user/family-news';
const stay: Ruling = { kind: 'stay' };
const redirect = (to: string): Ruling => ({ kind: 'redirect', to });
const leave = (to: string): Ruling => ({ kind: 'leave', to });

const login = (returnUrl: string | null, ended: boolean) => {
  const query = new URLSearchParams({ ...(ended && { ended: 'true' }), ...(returnUrl && { returnUrl }) });
  return query.size > 0 ? `/login?${query}` : '/login';
};

/** The first rule that applies decides. */
const withoutUser: Rule<null>[] = [
  ({ inAdmin, inUser, path }) => !inAdmin && !inUser && path !== '/' && stay,
  // A user who lost the session during an authorization continues it after signing in, also on a first visit.
  ({ isStep, target, wasSignedIn }) => isStep && target?.onServer && redirect(login(target.to, wasSignedIn)),
  // A session that ended says so (`spec §6`: to the sign-in page).
  ({ inAdmin, inUser, wasSignedIn, adminAccountIsConfigured, path, search }) =>
    (inAdmin || inUser) && wasSignedIn && adminAccountIsConfigured && redirect(login(deepLink(path, search), true)),
  ({ visited, path, search }) => !visited && redirect(withReturnUrl('/welcome', deepLink(path, search))),
  ({ adminAccountIsConfigured, path, search }) =>
    redirect(withReturnUrl(adminAccountIsConfigured ? '/login' : '/register', deepLink(path, search))),
];

const withUser: Rule<UserType>[] = [
  // An authorization may ask a signed-in user to sign in again (prompt=login, max_age): the form must appear.
  ({ path, search }) => path === '/login' && new URLSearchParams(search).get('prompt') === 'login' && stay,
  // A mailed link is for the account that it was sent to, regardless of the signed-in user.
  ({ path, search }) => mailedPages.includes(path) && linkOf(search) && stay,
  ({ lacks, path }) => lacks && path === strongerSignIn && stay,
  ({ lacks, inAdmin, path, search }) =>
    lacks && inAdmin && redirect(withReturnUrl(strongerSignIn, deepLink(path, search))),
  ({ isStep, target }) => !isStep && target?.onServer && leave(target.to),
  ({ isStep, target, path, search }) => !isStep && target && target.to !== path + search && redirect(target.to),
  ({ userType, path }) => userType === 'Admin' && path === strongerSignIn && redirect(homes.Admin),
  // Only requests of trials wait for an administrator.
  ({ userType, inAdmin, target, path }) =>
    userType === 'Admin' && (inAdmin || (target?.onServer && path === stepPages.consent)) && stay,
  ({ hasNews, isStep, inUser, path, search }) =>
    hasNews && !isStep && inUser && redirect(withReturnUrl(familyNews, deepLink(path, search))),
  ({ userType, inUser, path }) =>
    userType !== 'Admin' && userType !== 'Incomplete' && inUser && isPageFor(userType, path) && stay,
  // The 404 page.
  ({ path, inAdmin, inUser }) => path !== '/' && !inAdmin && !inUser && !isPage(path) && stay,
  ({ userType }) => redirect(homes[userType]),
];

/** The routing rules of `spec §2`, all of them: the page for a user who comes to this address. */
export function rule(situation: Situation): Ruling {
  const { path, search, origin, userType } = situation;
  if (path.startsWith('/error/')) return stay;
  const target = knownReturnUrl(returnUrlOf(search), origin);
  const isForUser = userType === null || isPageFor(userType, path);
  const facts = {
    ...situation,
    inAdmin: isWithin('/admin', path),
    inUser: isWithin('/user', path),
    isStep: stepPaths.includes(path) || (isAside(path) && isForUser && target?.onServer === true),
    target,
  };
  return userType === null
    ? firstRuling(withoutUser, { ...facts, userType })
    : firstRuling(withUser, { ...facts, userType });
}

function firstRuling<Type extends UserType | null>(rules: Rule<Type>[], facts: Facts<Type>): Ruling {
  for (const apply of rules) {
    const ruling = apply(facts);
    if (ruling) return ruling;
  }
  return stay;
}
