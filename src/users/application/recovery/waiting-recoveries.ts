import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Users } from '../../domain/user.js';
import { type Link, linkEnded, PresentedLinks } from '../passwords/presented-links.js';
import type { RequestLink } from '../request-links.js';
import { RecoveryWaits } from './recovery-waits.js';

/** Recoveries as their users see them: by a mailed link one begins, by another one it ends. */
@Injectable()
export class WaitingRecoveries {
  constructor(
    private readonly presented: PresentedLinks,
    private readonly users: Users,
    private readonly waits: RecoveryWaits,
    private readonly database: Database,
  ) {}

  /** Begins the waiting time, whose end it returns. The link stays valid: its answer may be lost, or a code be found after all. */
  async begin(link: Link): Promise<Date> {
    const { id } = await this.presented.holder('password-reset', link);
    return this.database.transaction(async () => {
      const user = await this.users.findForChange(id);
      if (!user) throw linkEnded();
      return this.waits.begin(user);
    });
  }

  /** The end of the waiting time; undefined for a recovery that has ended. */
  async check(link: RequestLink): Promise<Date | undefined> {
    return (await this.waits.ofLink(link))?.readyAt;
  }

  endByLink(link: RequestLink): Promise<void> {
    return this.database.transaction(() => this.waits.endByLink(link));
  }

  /** By a signed-in user, who needs none. */
  async endOwn(accountId: string): Promise<void> {
    await this.database.transaction(() => this.waits.end(accountId, 'account-settings'));
  }

  /** The end of the waiting time of the account's recovery, if there is one. */
  async ofAccount(accountId: string): Promise<Date | undefined> {
    return (await this.waits.find(accountId))?.readyAt;
  }
}
