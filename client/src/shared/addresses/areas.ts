import type { Path } from '../../../../src/contract/rules/pages.js';
import type { UserType } from '../../../../src/contract/session.js';

/** The home page of each user type (`spec §2`). */
export const homes: Record<UserType, Path> = {
  Admin: '/admin/dashboard',
  Patient: '/user/grants',
  Practitioner: '/user/grants',
  RelatedPerson: '/user/grants',
  Incomplete: '/error/404',
};

export const isWithin = (area: '/admin' | '/user', path: string): boolean =>
  path === area || path.startsWith(`${area}/`);
