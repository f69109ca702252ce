import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import { isAddress } from '../../contract/rules/users/email.js';
import type { Claim, UserType } from '../../contract/session.js';
import { Cached } from '../../platform/database/cached.js';
import { Notifications } from '../../platform/database/notifications.js';
import { RecordAddresses } from '../domain/record-addresses.js';
import { type User, Users, usersChanged } from '../domain/user.js';
import { KeepLinks } from './deletion/keep-links.js';
import { Passwords } from './passwords/passwords.js';
import { Recoveries } from './recoveries.js';

export type { AddressedAccount } from '../domain/record-addresses.js';
export { RecordAddresses, usersChanged };

/** `spec §8`. */
export const userGone = message('user-gone');

/** An account as other modules see it: without its password. */
export interface UserFacts {
  id: string;
  fullName: string;
  /** Null where another provider gives none. */
  email: string | null;
  userType: UserType;
  claims: readonly Claim[];
  isExternal: boolean;
  /** True if the address is known to be that of the user: for apps, `email_verified`. */
  emailProven: boolean;
  /**
   * False for an account that signs in with passkeys alone, or at another provider, and for one that was never
   * activated.
   */
  hasPassword: boolean;
  /** Changes with the password: a flow begun before must not be finished. */
  securityStamp: string;
  /** The user's own record, `{Type}/{id}`, when there is one that fits the type. */
  fhirUser: string | undefined;
  /** Claims of the external provider beyond name and address, by the names of OpenID Connect Core §5.1. */
  standardClaims: Readonly<Record<string, string>>;
  /** Time of the last change to the user's claims for apps. */
  toldAt: Date;
}

/** The account queries for the other modules. */
@Injectable()
export class UserDirectory {
  private readonly known: Cached<UserFacts>;

  constructor(
    private readonly users: Users,
    private readonly passwords: Passwords,
    private readonly keepLinks: KeepLinks,
    private readonly recoveries: Recoveries,
    notifications: Notifications,
  ) {
    this.known = new Cached(notifications, { channel: usersChanged, load: (id) => this.load(id) });
  }

  /**
   * Returns the account that this password belongs to. Unknown address, wrong password, no password yet and external
   * account look the same to the caller and take the same time (security F-01, F-02); an Incomplete account is
   * revealed only to a caller with its password.
   */
  async authenticate(email: string, password: string): Promise<UserFacts | undefined> {
    const user = isAddress(email.trim()) ? await this.users.findByEmail(email.trim()) : undefined;
    const matches = await this.passwords.matches(password, user?.passwordHash);
    return matches && user ? factsOf(user) : undefined;
  }

  findById(id: string): Promise<UserFacts | undefined> {
    return this.known.get(id);
  }

  /** The account id of an address, for the record of the attempt. */
  async idOf(email: string): Promise<string | undefined> {
    return isAddress(email.trim()) ? (await this.users.findByEmail(email.trim()))?.id : undefined;
  }

  /** The accounts whose own record this is, at a tenant or at none. */
  async withRecord(fhirUser: string, tenant: string | undefined): Promise<UserFacts[]> {
    const tenantsOf = (user: User) => user.claims.filter(({ name }) => name === 'tenant').map(({ value }) => value);
    const isOfTenant = (user: User) =>
      tenant === undefined ? tenantsOf(user).length === 0 : tenantsOf(user).includes(tenant);
    return (await this.users.ofRecord(fhirUser)).filter(isOfTenant).map(factsOf);
  }

  /**
   * True if a proof with this stamp still holds, which stays so until the transaction ends: a sign-in must not be
   * finished with a password that was changed while it was checked.
   */
  async hasSecurityStamp(id: string, securityStamp: string): Promise<boolean> {
    return (await this.users.findForChange(id))?.securityStamp === securityStamp;
  }

  /** The sign-in methods of the user, locked until the transaction ends; undefined if the account is gone. */
  async lockSignInMethods(id: string): Promise<{ hasPassword: boolean } | undefined> {
    const user = await this.users.findForChange(id);
    return user && { hasPassword: user.passwordHash !== null };
  }

  /**
   * The page on which the user keeps the account; undefined unless they have requested its deletion. For a user who has
   * proven who they are, after {@link hasSecurityStamp} in the same transaction.
   */
  keepPage(id: string): Promise<string | undefined> {
    return this.keepLinks.pageFor(id);
  }

  /** True once the user has requested the deletion of the account, unless they have kept it since. */
  async isLocked(id: string): Promise<boolean> {
    return (await this.keepLinks.pageFor(id)) !== undefined;
  }

  /** Ends a recovery that waits, in the caller's transaction: its user has signed in and needs none. */
  async endRecovery(id: string): Promise<void> {
    await this.recoveries.end(id, 'sign-in');
  }

  /** Everybody but administrators. */
  count(): Promise<number> {
    return this.users.count();
  }

  private async load(id: string): Promise<UserFacts | undefined> {
    const user = await this.users.findById(id);
    return user && factsOf(user);
  }
}

/** The account without its credentials. */
export function factsOf(user: User): UserFacts {
  const { id, fullName, email, userType, claims, isExternal, securityStamp, fhirUser } = user;
  const { standardClaims, createdAt, toldAt, passwordHash } = user;
  return {
    ...{ id, fullName, email, userType, claims, isExternal, securityStamp, fhirUser },
    emailProven: user.emailConfirmed && !user.emailUnproven,
    standardClaims,
    hasPassword: passwordHash !== null,
    toldAt: toldAt ?? createdAt,
  };
}
