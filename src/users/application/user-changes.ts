import { Injectable } from '@nestjs/common';
import type { ChangeUserRequest } from '../../contract/users/users.js';
import { Audit, changedMembers } from '../../platform/audit/audit.js';
import { type User, Users } from '../domain/user.js';
import { AccountRemoval } from './deletion/account-removal.js';
import { viewOfUser } from './managed-user.js';

/**
 * Stored changes of users by those who administrate them: each is recorded. All methods run in the caller's
 * transaction.
 */
@Injectable()
export class UserChanges {
  constructor(
    private readonly users: Users,
    private readonly removal: AccountRemoval,
    private readonly audit: Audit,
  ) {}

  change(before: User, form: ChangeUserRequest): Promise<User> {
    return this.store(before, before.change(form));
  }

  /** `note` is the administrator's reason, which the record keeps. */
  linkPatientRecord(before: User, { patient, note }: { patient: string; note: string }): Promise<User> {
    return this.store(before, before.withPatientRecord(patient), { note });
  }

  async delete(id: string): Promise<void> {
    await this.removal.remove(await this.removal.lock(id), 'user.deleted');
  }

  /** A user who becomes another person for the FHIR server loses the grants made as the one before. */
  private async store(before: User, user: User, more: { note?: string } = {}): Promise<User> {
    await this.users.change(user, before);
    if (user.fhirUser !== before.fhirUser || user.userType !== before.userType) {
      await this.removal.endAccess(user);
    }
    const detail = { ...changedMembers(viewOfUser(before), viewOfUser(user)), ...more };
    await this.audit.record({ type: 'user.changed', outcome: 'success', subject: user.id, detail });
    return user;
  }
}
