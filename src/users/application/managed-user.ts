import type { UserView } from '../../contract/users/users.js';
import { Problem } from '../../platform/errors.js';
import type { User, Users } from '../domain/user.js';
import { userGone } from './user-directory.js';

/** Locks an account that administrators manage, which another administrator's is not. */
export async function managedUserForChange(users: Users, id: string): Promise<User> {
  const user = await users.findForChange(id);
  if (!user || user.userType === 'Admin') throw noSuchUser();
  return user;
}

export function viewOfUser(user: User): UserView {
  const { id, fullName, email, emailConfirmed, emailUnproven, isExternal, userType, claims, version } = user;
  const unproven = emailUnproven && { emailUnproven };
  return { id, fullName, email, emailConfirmed, ...unproven, isExternal, userType, claims: [...claims], version };
}

export function noSuchUser(): Problem {
  return new Problem('not-found', userGone);
}
