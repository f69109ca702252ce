import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import type { FoundUser } from '../../contract/palette.js';
import { mostFound } from '../../contract/rules/lists.js';
import type { ChangeUserRequest, UserList, UserListQuery, UserView } from '../../contract/users/users.js';
import { ManagedObjects } from '../../managed/application/managed-objects.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import { log } from '../../platform/logging/log.js';
import { type User, Users } from '../domain/user.js';
import { type UserMatches, UserViews } from '../domain/user-views.js';
import { managedUserForChange, noSuchUser, viewOfUser } from './managed-user.js';
import { UserChanges } from './user-changes.js';

/** Administrators' use cases for the accounts of others. */
@Injectable()
export class UserManagement {
  constructor(
    private readonly users: Users,
    private readonly views: UserViews,
    private readonly changes: UserChanges,
    private readonly managed: ManagedObjects,
    private readonly database: Database,
  ) {}

  listUsers(query: UserListQuery): Promise<UserList> {
    return this.views.list(query);
  }

  findUsers(term: string): Promise<UserMatches> {
    return this.views.search(term, mostFound);
  }

  /** The users of these ids that exist. */
  async namedUsers(ids: readonly string[]): Promise<FoundUser[]> {
    const users = ids.length === 0 ? [] : await this.views.ofIds(ids);
    return users.map(({ id, fullName, email, userType }) => ({ id, fullName, email, userType }));
  }

  async getUser(id: string): Promise<UserView> {
    const user = await this.views.findById(id);
    if (!user) throw noSuchUser();
    return user;
  }

  /** Only the name can be changed by hand if a file manages the user. */
  async changeUser(id: string, form: ChangeUserRequest): Promise<UserView> {
    return this.database.repeatableTransaction(async () => {
      const before = await managedUserForChange(this.users, id);
      const user = await this.changes.change(before, form);
      const isManaged = await this.managed.isManaged('account', id);
      if (isManaged && isOtherPerson(before, user)) await this.managed.refuseManaged('account', id);
      return { ...viewOfUser(user), ...(isManaged && { managed: true as const }) };
    });
  }

  /** Administrators are not in the list, but have ids like all users. */
  async deleteUser(id: string, actor: string): Promise<void> {
    if (id === actor) throw new Problem('conflict', message('user-is-self'));
    await this.database.repeatableTransaction(async () => {
      await this.changes.delete(id);
    });
    log.info({ account: id }, 'account deleted');
  }
}

function isOtherPerson(before: User, { userType, claims }: User): boolean {
  return userType !== before.userType || JSON.stringify(claims) !== JSON.stringify(before.claims);
}
