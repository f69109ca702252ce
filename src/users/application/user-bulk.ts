import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type Applied, BulkChanges } from '../../bulk/application/bulk-changes.js';
import { chosenIds, csvOf } from '../../bulk/application/chosen-rows.js';
import type { BulkProgress, UserBulkRequest, UserChoice } from '../../contract/clients/bulk.js';
import type { UserView } from '../../contract/users/users.js';
import { Audit } from '../../platform/audit/audit.js';
import { Problem } from '../../platform/errors.js';
import { log } from '../../platform/logging/log.js';
import type { SignedInUser } from '../../platform/request/signed-in-user.js';
import { Users } from '../domain/user.js';
import { UserViews } from '../domain/user-views.js';
import { UserInvitations } from './user-invitations.js';

const columns: Record<string, (user: UserView) => unknown> = {
  name: ({ fullName }) => fullName,
  email: ({ email }) => email,
  type: ({ userType }) => userType,
  sign_in: ({ isExternal }) => (isExternal ? 'external' : 'local'),
  email_confirmed: ({ emailConfirmed }) => emailConfirmed,
  fhir_user: ({ claims }) => claims.find(({ name }) => name === 'fhirUser')?.value,
  id: ({ id }) => id,
};

/** Calls of administrators about many users. */
@Injectable()
export class UserBulk implements OnModuleInit {
  constructor(
    private readonly users: Users,
    private readonly views: UserViews,
    private readonly invitations: UserInvitations,
    private readonly bulk: BulkChanges,
    private readonly audit: Audit,
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

  /**
   * The chosen users as a CSV file. The ids are read, and the export is recorded, when the promise resolves; the rows
   * are read a page at a time.
   */
  async export(choice: UserChoice): Promise<AsyncIterable<string>> {
    const ids = await chosenIds(choice, (filter, most) => this.views.ids(filter, most));
    await this.audit.record({
      type: 'list.exported',
      outcome: 'success',
      detail: { list: 'users', count: ids.length },
    });
    return csvOf(columns, ids, (page) => this.views.ofIds(page));
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
