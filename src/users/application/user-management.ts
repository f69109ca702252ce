import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import type { ChangeUserRequest, UserList, UserListQuery, UserView } from '../../contract/users.js';
import { Audit, changedMembers } from '../../platform/audit/audit.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import { log } from '../../platform/logging/log.js';
import { Users } from '../domain/user.js';
import { UserViews } from '../domain/user-views.js';
import { AccountRemoval } from './deletion/account-removal.js';
import { managedUserForChange, noSuchUser, viewOfUser } from './managed-user.js';

/** Administrators' use cases for the accounts of others. */
@Injectable()
export class UserManagement {
  constructor(
    private readonly users: Users,
    private readonly views: UserViews,
    private readonly removal: AccountRemoval,
    private readonly audit: Audit,
    private readonly database: Database,
  ) {}

  listUsers(query: UserListQuery): Promise<UserList> {
    return this.views.list(query);
  }

  async getUser(id: string): Promise<UserView> {
    const user = await this.views.find(id);
    if (!user) throw noSuchUser();
    return user;
  }

  /** A user who becomes another person for the FHIR server loses the grants made as the one before. */
  async changeUser(id: string, form: ChangeUserRequest): Promise<UserView> {
    return this.database.repeatableTransaction(async () => {
      const before = await managedUserForChange(this.users, id);
      const user = before.change(form);
      await this.users.change(user, before);
      if (user.fhirUser !== before.fhirUser || user.userType !== before.userType) {
        await this.removal.endAccess(user);
      }
      const detail = changedMembers(viewOfUser(before), viewOfUser(user));
      await this.audit.record({ type: 'user.changed', outcome: 'success', subject: id, detail });
      return viewOfUser(user);
    });
  }

  /** Administrators are not in the list, but have ids like all users. */
  async deleteUser(id: string, actor: string): Promise<void> {
    if (id === actor) throw new Problem('conflict', message('user-is-self'));
    await this.database.repeatableTransaction(async () => {
      await this.removal.remove(await this.removal.lock(id), 'user.deleted');
    });
    log.info({ account: id }, 'an account was deleted');
  }
}
