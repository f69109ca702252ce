import { Injectable } from '@nestjs/common';
import { isUUID } from 'class-validator';
import { message } from '../../contract/messages/message.js';
import type { Claim, UserType } from '../../contract/session.js';
import { Problem } from '../../platform/errors.js';
import { type ExternalIdentity, type User, Users } from '../domain/user.js';
import { UserViews } from '../domain/user-views.js';
import { UserChanges } from './user-changes.js';

/** Larger than any number of users. */
const all = 10_000_000;
const pageLength = 500;
const everything = { searchTerm: '', isExternal: [], usertype: [], hasClaimValue: '' };

/** The name of a user in a file: the address of a local account, the identity at another provider. */
export type UserName = { email: string } | ExternalIdentity;

/** The part of a user that a file manages; name, address and password belong to the user. */
export interface UserRole {
  userType: string;
  claims: Claim[];
}

export interface PlannedUser {
  before: User;
  /** Without it nothing changes. */
  after?: UserRole;
  forms: { before: UserRole; after: UserRole };
}

/** Users as a file describes them: their type and claims. It neither makes nor removes accounts. */
@Injectable()
export class UsersByFile {
  constructor(
    private readonly users: Users,
    private readonly views: UserViews,
    private readonly changes: UserChanges,
  ) {}

  /** Everybody but administrators, local accounts first, by name in the order of its characters. */
  async list(): Promise<{ name: UserName; role: { userType: UserType; claims: readonly Claim[] } }[]> {
    const ids = await this.views.ids(everything, all);
    const users: User[] = [];
    for (let start = 0; start < ids.length; start += pageLength) {
      users.push(...(await this.users.ofIds(ids.slice(start, start + pageLength))));
    }
    return users
      .map((user) => ({ key: keyOf(user), user }))
      .sort((one, other) => (one.key < other.key ? -1 : 1))
      .map(({ user }) => ({ name: nameOf(user), role: { userType: user.userType, claims: user.claims } }));
  }

  /** The stored users of these ids, by id. */
  async load(ids: readonly string[]): Promise<Map<string, { user: User; name: UserName }>> {
    const known = ids.filter((id) => isUUID(id, 'all'));
    return new Map((await this.users.ofIds(known)).map((user) => [user.id, { user, name: nameOf(user) }]));
  }

  async findByName(name: UserName): Promise<User | undefined> {
    const user = await ('email' in name ? this.users.findByEmail(name.email) : this.users.findByIdentity(name));
    return user?.userType === 'Admin' ? undefined : user;
  }

  /** Applies the rules of the form; throws a `Problem` with everything that is wrong. Changes nothing. */
  plan(role: UserRole, before: User): PlannedUser {
    const stored = { userType: before.userType, claims: [...before.claims] };
    // Also a user whose claims do not satisfy the rules any more, as long as they stay as they are.
    if (isSame(role, stored)) return { before, forms: { before: stored, after: stored } };
    const { userType, claims } = before.change({ fullName: before.fullName, ...role });
    const after = { userType, claims: [...claims] };
    return { before, ...(!isSame(after, stored) && { after }), forms: { before: stored, after } };
  }

  /** Stores the change if the user is still as it was planned for; without one, it only locks the user. */
  async change({ before, after }: PlannedUser): Promise<void> {
    const locked = await this.users.findForChange(before.id);
    if (locked?.version !== before.version) throw new Problem('conflict', message('user-changed'));
    if (after) await this.changes.change(locked, { fullName: locked.fullName, ...after });
  }
}

function nameOf({ email, issuer, subject }: User): UserName {
  return issuer !== null && subject !== null ? { issuer, subject } : { email: email ?? '' };
}

/** Local accounts come first: no address begins with this character. */
function keyOf({ email, issuer, subject }: User): string {
  return issuer === null ? (email ?? '').toLowerCase() : `\u{10FFFF}${issuer} ${subject}`;
}

function isSame(one: UserRole, other: UserRole): boolean {
  return one.userType === other.userType && JSON.stringify(one.claims) === JSON.stringify(other.claims);
}
