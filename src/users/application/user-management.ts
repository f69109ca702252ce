import { Injectable } from '@nestjs/common';
import { isUUID } from 'class-validator';
import { message } from '../../contract/messages/message.js';
import type { FoundUser } from '../../contract/palette.js';
import { mostFound } from '../../contract/rules/lists.js';
import { isAddress } from '../../contract/rules/users/email.js';
import type { ChangeUserRequest, UserList, UserListQuery, UserView } from '../../contract/users/users.js';
import { ManagedObjects } from '../../managed/application/managed-objects.js';
import { Config } from '../../platform/config/config.js';
import { fhirBasesOf } from '../../platform/config/fhir-bases.js';
import { readNamedRecord } from '../../platform/config/named-record.js';
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
    private readonly config: Config,
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

  /**
   * The account that a filter of administrators names, by its id, also that of a deleted one, by its email address or
   * its FHIR record; or the id of a service with a management token (`client <client id>`). Returns the id. Throws
   * `invalid` next to `accountId` for any other text, or unless there is exactly one such account.
   */
  async accountIdNamed(typed: string): Promise<string> {
    const text = typed.trim().replace(/^urn:uuid:/i, '');
    if (isUUID(text, 'all')) return text.toLowerCase();
    if (/^client \S/.test(text)) return text;
    const named = text.includes('@') ? undefined : readNamedRecord(text, fhirBasesOf(this.config));
    const fhirUser = typeof named === 'object' && named.type !== undefined ? `${named.type}/${named.id}` : undefined;
    if (fhirUser === undefined && !isAddress(text)) throw filterRefused('filter-person-form');
    const [id, ...others] = await this.views.idsNamed(fhirUser === undefined ? { email: text } : { fhirUser });
    if (id === undefined) throw filterRefused('filter-person-unknown');
    if (others.length > 0) throw filterRefused('filter-person-several');
    return id;
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

  /** Gives an account that only acts for others its own patient record; `note` is the administrator's reason. */
  async linkPatientRecord(id: string, record: { patient: string; note: string }): Promise<void> {
    await this.database.repeatableTransaction(async () => {
      await this.changes.linkPatientRecord(await managedUserForChange(this.users, id), record);
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

function filterRefused(code: 'filter-person-form' | 'filter-person-unknown' | 'filter-person-several'): Problem {
  return Problem.invalid([{ field: 'accountId', messages: [message(code)] }]);
}
