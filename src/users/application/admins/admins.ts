import { Injectable } from '@nestjs/common';
import { Audit } from '../../../platform/audit/audit.js';
import { Database } from '../../../platform/database/database.js';
import { Installation } from '../../domain/installation.js';
import { type User, Users } from '../../domain/user.js';

/** Administrators, and the installation's memory that there has been one. */
@Injectable()
export class Admins {
  constructor(
    private readonly database: Database,
    private readonly installation: Installation,
    private readonly users: Users,
    private readonly audit: Audit,
  ) {}

  /** True once there has been an administrator; from then on `/register` is closed (security J-02). */
  hadAdmin(): Promise<boolean> {
    return this.installation.hadAdmin();
  }

  /** Stores the account if it is the installation's first administrator; of several at once only one is. */
  addFirst(admin: User): Promise<boolean> {
    return this.database.transaction(async () => {
      if (!(await this.installation.claimFirstAdmin(admin.createdAt))) return false;
      await this.users.add(admin);
      await this.recordCreation(admin);
      return true;
    });
  }

  /** Stores an administrator whether or not there is one already. */
  async add(admin: User): Promise<void> {
    await this.database.transaction(async () => {
      await this.installation.claimFirstAdmin(admin.createdAt);
      await this.users.add(admin);
      await this.recordCreation(admin);
    });
  }

  /** Stores that an account has become an administrator's. */
  async promote(admin: User, before: User): Promise<void> {
    await this.database.transaction(async () => {
      await this.installation.claimFirstAdmin(new Date());
      await this.users.change(admin, before);
      await this.recordCreation(admin);
    });
  }

  private async recordCreation({ id }: User): Promise<void> {
    await this.audit.record({ type: 'admin.created', outcome: 'success', subject: id });
  }
}
