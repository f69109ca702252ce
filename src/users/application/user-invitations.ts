import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import type { CopiedInvitation, UserView } from '../../contract/users/users.js';
import { Audit, changedMembers } from '../../platform/audit/audit.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import { type Limit, Limits } from '../../platform/limits/limits.js';
import { log } from '../../platform/logging/log.js';
import { User, type UserForm, Users } from '../domain/user.js';
import { LinkMailer } from './link-mailer.js';
import { managedUserForChange, viewOfUser } from './managed-user.js';
import { newUserIdentity } from './new-user-identity.js';

const invitations: Limit = { name: 'invitation', points: 5, seconds: 24 * 3600 };

/** Invitations by administrators: a link by mail or handed over, without which the user cannot sign in. */
@Injectable()
export class UserInvitations {
  constructor(
    private readonly users: Users,
    private readonly links: LinkMailer,
    private readonly limits: Limits,
    private readonly audit: Audit,
    private readonly database: Database,
  ) {}

  /**
   * Creates a patient or practitioner, who gets a link by mail and cannot sign in before choosing a password with it.
   */
  inviteUser(form: UserForm): Promise<UserView> {
    return this.add(User.invite(form, newUserIdentity()));
  }

  /** As {@link inviteUser}, for an account that only acts for patients. */
  inviteRepresentative(form: { fullName: string; email: string; tenant: string | undefined }): Promise<UserView> {
    return this.add(User.inviteRepresentative(form, newUserIdentity()));
  }

  /**
   * Creates an account that only acts for patients, in the caller's transaction, for a user who has proven that the
   * address is theirs: the link goes to them and not by mail.
   */
  async addRepresentative(form: { fullName: string; email: string; tenant: string | undefined }) {
    const user = User.inviteRepresentative(form, newUserIdentity());
    await this.users.add(user);
    const detail = changedMembers({}, viewOfUser(user));
    await this.audit.record({ type: 'user.created', outcome: 'success', subject: user.id, detail });
    const { link } = await this.links.createLink('activation', user, { provesAddress: true });
    return { user, link };
  }

  /** Sends another link to a user who has not used the one before, which ends it. */
  async inviteAgain(id: string): Promise<void> {
    await this.database.transaction(async () => {
      const user = await managedUserForChange(this.users, id);
      if (!user.isInvited) throw new Problem('conflict', message('user-confirmed'));
      await this.limits.takePoint(invitations, id);
      await this.links.send('activation', user);
      await this.audit.record({ type: 'user.invited-again', outcome: 'success', subject: id });
    });
  }

  /**
   * Returns another link to a user who has not used the one before, which ends it: for an administrator who hands it
   * over where no mail server is configured. With one it is refused, since a mail also proves the address.
   */
  async copyLink(id: string): Promise<CopiedInvitation> {
    if (this.links.canDeliver) throw new Problem('conflict', message('invitation-goes-by-mail'));
    return this.database.transaction(async () => {
      const user = await managedUserForChange(this.users, id);
      if (!user.isInvited) throw new Problem('conflict', message('user-confirmed'));
      await this.limits.takePoint(invitations, id);
      const { link, expires } = await this.links.createLink('activation', user, { provesAddress: false });
      await this.audit.record({ type: 'user.invitation-copied', outcome: 'success', subject: id });
      return { link, expires: expires.toISOString() };
    });
  }

  private async add(user: User): Promise<UserView> {
    await this.database.transaction(async () => {
      await this.users.add(user);
      await this.links.send('activation', user);
      const detail = changedMembers({}, viewOfUser(user));
      await this.audit.record({ type: 'user.created', outcome: 'success', subject: user.id, detail });
    });
    log.info({ account: user.id, userType: user.userType }, 'account created');
    return viewOfUser(user);
  }
}
