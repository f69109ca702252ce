import { Injectable } from '@nestjs/common';
import { message } from '../../../contract/messages/message.js';
import { Audit } from '../../../platform/audit/audit.js';
import { Database } from '../../../platform/database/database.js';
import { Problem } from '../../../platform/errors.js';
import type { LinkPurpose } from '../../domain/account-link.js';
import { User, Users } from '../../domain/user.js';
import { LinkMailer } from '../link-mailer.js';
import { newUserIdentity } from '../new-user-identity.js';
import { Admins } from './admins.js';

export interface Invitation {
  done: 'invited' | 'invited-again' | 'reset';
  /** Present when it was to be shown rather than sent. */
  link?: string;
}

/**
 * Further administrators of an installation, and the recovery of one who cannot sign in: by the operator of the
 * portal, since no administrator may be able to make another unseen, and there may be none left who could.
 */
@Injectable()
export class AdminInvitations {
  constructor(
    private readonly users: Users,
    private readonly admins: Admins,
    private readonly links: LinkMailer,
    private readonly audit: Audit,
    private readonly database: Database,
  ) {}

  /** Throws `conflict` when the address belongs to a user who is not an administrator. */
  async invite(email: string, { print }: { print: boolean }): Promise<Invitation> {
    if (!print && !this.links.canDeliver) {
      throw new Problem('unavailable', message('invitation-needs-mail-server'));
    }
    return this.database.transaction(async () => {
      const found = await this.users.findByEmail(email.trim());
      const known = found && (await this.users.findForChange(found.id));
      if (!known) {
        const admin = User.createAdmin({ email, fullName: 'Administrator', passwordHash: null }, newUserIdentity());
        await this.admins.add(admin);
        return { done: 'invited', ...(await this.handOver('activation', admin, print)) };
      }
      if (known.userType !== 'Admin') {
        throw new Problem('conflict', message('invitation-of-other-user'));
      }
      // One without a password may have a passkey, and then has proven the address.
      const again = known.passwordHash === null && !known.emailConfirmed;
      const type = again ? 'user.invited-again' : 'password.reset-requested';
      await this.audit.record({ type, outcome: 'success', subject: known.id, detail: { by: 'command', print } });
      const given = await this.handOver(again ? 'activation' : 'password-reset', known, print);
      return { done: again ? 'invited-again' : 'reset', ...given };
    });
  }

  private async handOver(purpose: LinkPurpose, admin: User, print: boolean): Promise<{ link?: string }> {
    if (print) return { link: (await this.links.createLink(purpose, admin, { provesAddress: false })).link };
    await this.links.send(purpose, admin);
    return {};
  }
}
