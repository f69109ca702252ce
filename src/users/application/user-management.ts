import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import type { ChangeUserRequest, UserList, UserListQuery, UserView } from '../../contract/users.js';
import { Revocations } from '../../oidc-store/infrastructure/revocations.js';
import { Audit, changedMembers } from '../../platform/audit/audit.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import { type Limit, Limits } from '../../platform/limits/limits.js';
import { log } from '../../platform/logging/log.js';
import { User, type UserForm, Users } from '../domain/user.js';
import { UserViews } from '../domain/user-views.js';
import { LinkMailer } from './link-mailer.js';
import { newUserIdentity } from './new-user-identity.js';
import { userGone } from './user-directory.js';

const invitations: Limit = { name: 'invitation', points: 5, seconds: 24 * 3600 };

/** Administrators' use cases for the accounts of others. */
@Injectable()
export class UserManagement {
  constructor(
    private readonly users: Users,
    private readonly views: UserViews,
    private readonly links: LinkMailer,
    private readonly revocations: Revocations,
    private readonly limits: Limits,
    private readonly audit: Audit,
    private readonly database: Database,
  ) {}

  listUsers(query: UserListQuery): Promise<UserList> {
    return this.views.list(query);
  }

  async getUser(id: string): Promise<UserView> {
    const user = await this.views.find(id);
    if (!user) throw gone();
    return user;
  }

  /**
   * Creates a patient or practitioner, who gets a link by mail and cannot sign in before choosing a password with it.
   */
  async inviteUser(form: UserForm): Promise<UserView> {
    const user = User.invite(form, newUserIdentity());
    await this.database.transaction(async () => {
      await this.users.add(user);
      await this.links.send('activation', user);
      const detail = changedMembers({}, view(user));
      await this.audit.record({ type: 'user.created', outcome: 'success', subject: user.id, detail });
    });
    log.info({ account: user.id, userType: user.userType }, 'an account was created');
    return view(user);
  }

  /** A user who becomes another person for the FHIR server loses the grants made as the one before. */
  async changeUser(id: string, form: ChangeUserRequest): Promise<UserView> {
    return this.database.repeatableTransaction(async () => {
      const before = await this.personForChange(id);
      const user = before.change(form);
      await this.users.change(user, before);
      if (user.fhirUser !== before.fhirUser || user.userType !== before.userType) {
        await this.revocations.revokeAccount(id);
      }
      const detail = changedMembers(view(before), view(user));
      await this.audit.record({ type: 'user.changed', outcome: 'success', subject: id, detail });
      return view(user);
    });
  }

  /**
   * Deletes the account with its sessions, grants, tokens, links and remembered consents. Administrators are not in
   * the list, but have ids like all users; one of them must be left, also when two delete each other at once (security
   * I-06).
   */
  async deleteUser(id: string, actor: string): Promise<void> {
    if (id === actor) throw new Problem('conflict', message('user-is-self'));
    await this.database.repeatableTransaction(async () => {
      const isAdmin = (await this.users.find(id))?.userType === 'Admin';
      // Locked before the account itself, so that all such transactions wait in the same order.
      if (isAdmin && (await this.users.countAdminsForChange()) <= 1) {
        throw new Problem('conflict', message('user-is-last-admin'));
      }
      const user = await this.users.findForChange(id);
      if (!user) throw gone();
      await this.revocations.revokeAccount(id);
      await this.users.remove(user);
      const detail = changedMembers(view(user), {});
      await this.audit.record({ type: 'user.deleted', outcome: 'success', subject: id, detail });
    });
    log.info({ account: id }, 'an account was deleted');
  }

  /** Sends another link to a user who has not used the one before, which ends it. */
  async inviteAgain(id: string): Promise<void> {
    await this.database.transaction(async () => {
      const user = await this.personForChange(id);
      if (user.isExternal || user.emailConfirmed) {
        throw new Problem('conflict', message('user-confirmed'));
      }
      await this.limits.take(invitations, id);
      await this.links.send('activation', user);
      await this.audit.record({ type: 'user.invited-again', outcome: 'success', subject: id });
    });
  }

  private async personForChange(id: string): Promise<User> {
    const user = await this.users.findForChange(id);
    if (!user || user.userType === 'Admin') throw gone();
    return user;
  }
}

function view({ id, fullName, email, emailConfirmed, isExternal, userType, claims, version }: User): UserView {
  return { id, fullName, email, emailConfirmed, isExternal, userType, claims: [...claims], version };
}

function gone(): Problem {
  return new Problem('not-found', userGone);
}
