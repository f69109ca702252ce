import { Injectable } from '@nestjs/common';
import { Audit, changedMembers } from '../../platform/audit/audit.js';
import { Database } from '../../platform/database/database.js';
import { log } from '../../platform/logging/log.js';
import { RecordAddresses } from '../domain/record-addresses.js';
import { type ExternalIdentity, type ExternalProfile, type ExternalRole, User, Users } from '../domain/user.js';
import { Admins } from './admins/admins.js';
import { newUserIdentity } from './new-user-identity.js';
import { factsOf, type UserFacts } from './user-directory.js';

export type { ExternalIdentity, ExternalRole } from '../domain/user.js';

/** A user as another provider has authenticated them. */
export interface ExternalPerson {
  identity: ExternalIdentity;
  /** The profile; `fallbackName` stands in for a missing name. */
  profile: ExternalProfile & { fallbackName: string };
  /** The role for a user who has none yet. */
  role: ExternalRole;
}

/**
 * The accounts of users who sign in at other OpenID providers. They are found by issuer and subject alone: an e-mail
 * address, whichever party says that it is verified, never leads to an existing account (security K-04, K-05).
 */
@Injectable()
export class ExternalUsers {
  constructor(
    private readonly users: Users,
    private readonly admins: Admins,
    private readonly addresses: RecordAddresses,
    private readonly audit: Audit,
    private readonly database: Database,
  ) {}

  findByIdentity(identity: ExternalIdentity): Promise<UserFacts | undefined> {
    return this.database.transaction(async () => {
      const user = await this.users.findByIdentityForChange(identity);
      return user && factsOf(user);
    });
  }

  /**
   * Creates an account at the user's first sign-in; at later ones updates name and address, and may give an Incomplete
   * account its role. Throws a conflict when the address has a local account. An address that a patient and one who
   * acts for the patient would share is left out.
   */
  createOrUpdate({ identity, profile, role }: ExternalPerson): Promise<UserFacts> {
    return this.database.transaction(async () => {
      const before = await this.users.findByIdentityForChange(identity);
      const named = before
        ? before.withProfile(profile).withRole(role)
        : User.fromProvider(identity, profile, role, newUserIdentity());
      const user = (await this.addresses.isFree(named)) ? named : named.withoutAddress();
      if (before) await this.update(before, user);
      else await this.create(user);
      return factsOf(user);
    });
  }

  private async create(user: User): Promise<void> {
    if (user.userType === 'Admin') await this.admins.add(user);
    else await this.users.add(user);
    const detail = { issuer: user.issuer, ...changedMembers({}, recorded(user)) };
    await this.audit.record({ type: 'user.created', outcome: 'success', userId: user.id, subject: user.id, detail });
    log.info({ account: user.id, userType: user.userType }, 'account created at its first sign-in');
  }

  private async update(before: User, user: User): Promise<void> {
    const detail = changedMembers(recorded(before), recorded(user));
    if (Object.keys(detail).length === 0) return;
    if (user.userType === 'Admin' && before.userType !== 'Admin') await this.admins.promote(user, before);
    else await this.users.change(user, before);
    await this.audit.record({ type: 'account.changed', outcome: 'success', userId: user.id, subject: user.id, detail });
  }
}

function recorded({ fullName, email, userType, claims, standardClaims }: User) {
  // PostgreSQL keeps the members of an object in an order of its own.
  return { fullName, email, userType, claims, ...standardClaims };
}
