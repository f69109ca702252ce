import type { UserType } from '../../contract/session.js';

/** The caller of a route, once it is admitted. */
export interface SignedInUser {
  id: string;
  userType: UserType;
  /** True if the caller is a service with a management token instead of a user. */
  isService?: boolean;
}
