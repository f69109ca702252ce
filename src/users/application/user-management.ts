import { Injectable } from '@nestjs/common';
import type { UserView } from '../../contract/users.js';
import { log } from '../../platform/logging/log.js';
import { User, type UserForm, Users } from '../domain/user.js';
import { birth } from './birth.js';

/** What administrators do with the accounts of others. */
@Injectable()
export class UserManagement {
  constructor(private readonly users: Users) {}

  /** A new patient or practitioner, who cannot sign in before choosing a password. */
  async inviteUser(form: UserForm): Promise<UserView> {
    const user = User.invite(form, birth());
    await this.users.add(user);
    log.info({ account: user.id, userType: user.userType }, 'an account was created');
    return view(user);
  }
}

function view({ id, fullName, email, emailConfirmed, isExternal, userType, claims }: User): UserView {
  return { id, fullName, email, emailConfirmed, isExternal, userType, claims: [...claims] };
}
