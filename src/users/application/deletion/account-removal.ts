import { Injectable } from '@nestjs/common';
import type { AuditType } from '../../../contract/audit/audit-types.js';
import { message } from '../../../contract/messages/message.js';
import { Revocations } from '../../../oidc-store/infrastructure/revocations.js';
import { Audit, changedMembers } from '../../../platform/audit/audit.js';
import { Problem } from '../../../platform/errors.js';
import { type User, Users } from '../../domain/user.js';
import { LinkMailer } from '../link-mailer.js';
import { noSuchUser, viewOfUser } from '../managed-user.js';

/**
 * The end of an account, whether an administrator or its user decides it. Each method runs in the caller's transaction.
 */
@Injectable()
export class AccountRemoval {
  constructor(
    private readonly users: Users,
    private readonly revocations: Revocations,
    private readonly links: LinkMailer,
    private readonly audit: Audit,
  ) {}

  /**
   * Locks the account that is to end. One administrator must be left who stays, also when several end at once
   * (security I-06).
   */
  async lock(id: string): Promise<User> {
    const isAdmin = (await this.users.findById(id))?.userType === 'Admin';
    // Locked before the account itself, so that all such transactions wait in the same order.
    if (isAdmin && (await this.users.countOtherAdminsForChange(id)) === 0) {
      throw new Problem('conflict', message('user-is-last-admin'));
    }
    const user = await this.users.findForChange(id);
    if (!user) throw noSuchUser();
    return user;
  }

  /** For showing it: only {@link lock} decides. */
  async isLastAdmin(id: string): Promise<boolean> {
    return (await this.users.countOtherAdmins(id)) === 0;
  }

  /** Ends sessions, grants and tokens; the account stays. */
  endAccess({ id }: User): Promise<void> {
    return this.revocations.revokeAccount(id, 'ended-with-account');
  }

  /** Deletes the account with its sessions, grants, tokens, links and remembered consents. */
  async remove(user: User, type: AuditType, actor?: string): Promise<void> {
    await this.endAccess(user);
    await this.links.withdrawAll(user.id);
    await this.users.remove(user);
    const detail = changedMembers(viewOfUser(user), {});
    await this.audit.record({ type, outcome: 'success', userId: actor, subject: user.id, detail });
  }
}
