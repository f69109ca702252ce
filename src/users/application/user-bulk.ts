import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type Applied, BulkChanges } from '../../bulk/application/bulk-changes.js';
import { chosenIds } from '../../bulk/application/chosen-rows.js';
import type { BulkProgress, UserBulkRequest } from '../../contract/clients/bulk.js';
import { Problem } from '../../platform/errors.js';
import { log } from '../../platform/logging/log.js';
import type { SignedInUser } from '../../platform/request/signed-in-user.js';
import { Users } from '../domain/user.js';
import { UserViews } from '../domain/user-views.js';
import { UserInvitations } from './user-invitations.js';

/** Calls of administrators about many users. */
@Injectable()
export class UserBulk implements OnModuleInit {
  constructor(
    private readonly users: Users,
    private readonly views: UserViews,
    private readonly invitations: UserInvitations,
    private readonly bulk: BulkChanges,
  ) {}

  onModuleInit(): void {
    this.bulk.register('users', {
      apply: (target) => this.invite(target),
      restore: async () => ({ outcome: 'kept', reason: 'too-late' }),
    });
    this.bulk.admit(false, async ({ id }) => (await this.users.findById(id))?.userType === 'Admin');
  }

  /** A mail cannot be undone. */
  async change(id: string, request: UserBulkRequest, caller: SignedInUser): Promise<BulkProgress> {
    const progress = await this.bulk.carryOut({ id, caller, subject: 'users', request }, () =>
      chosenIds(request, (filter, most) => this.views.ids(filter, most)),
    );
    const { total, done, changed, failed } = progress;
    if (done === total) log.info({ bulkChange: id, total, changed, failed }, 'bulk invitation of users finished');
    return progress;
  }

  private async invite(target: string): Promise<Applied> {
    const user = await this.users.findForChange(target);
    if (!user || user.userType === 'Admin') return { outcome: 'failed', name: null, reason: 'gone' };
    const name = user.fullName;
    try {
      await this.invitations.inviteAgain(target);
      return { outcome: 'changed', name };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (error.kind === 'conflict') return { outcome: 'failed', name, reason: 'confirmed' };
      if (error.kind === 'throttled') return { outcome: 'failed', name, reason: 'throttled' };
      throw error;
    }
  }
}
