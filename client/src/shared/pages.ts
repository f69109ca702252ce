import type { UserType } from '../../../src/contract/session.js';

/**
 * Every page there is. A link is shown only when its page stands here, so adding a page to this list (and its component
 * to the route table, which the compiler then asks for) lights up every link to it.
 */
const pages = [
  '/welcome',
  '/login',
  '/register',
  '/account/activate',
  '/account/error',
  '/password/forgot',
  '/password/reset',
  '/admin/dashboard',
  '/admin/user-management',
  '/admin/account-settings',
  '/admin/client-management',
  '/admin/openid-configuration',
  '/admin/smart-configuration',
  '/user/account-settings',
  '/user/grants',
  '/user/disclaimer',
  '/user/consent',
  '/user/launch-context',
  '/user/two-factor-required',
  '/error/400',
  '/error/404',
  '/error/429',
  '/error/500',
] as const;

export type Page = (typeof pages)[number];

export function isPage(path: string): path is Page {
  return (pages as readonly string[]).includes(path);
}

/** The home page of each account type (`spec §2`). */
export const homes: Record<UserType, string> = {
  Admin: '/admin/dashboard',
  Patient: '/user/grants',
  Practitioner: '/user/grants',
  Incomplete: '/error/404',
};

/** These pages are stations of the way to the return URL and carry it along. */
export const flowPages = ['/user/consent', '/user/disclaimer', '/user/launch-context', '/user/two-factor-required'];

export const isWithin = (area: '/admin' | '/user', path: string): boolean =>
  path === area || path.startsWith(`${area}/`);
