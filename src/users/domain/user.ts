import { fhirUserProblem, nameProblem } from '../../contract/rules/claims.js';
import { emailProblem } from '../../contract/rules/email.js';
import {
  isCreatedUserType,
  maxFullName,
  type UserChange,
  userChangeProblems,
  userFormProblems,
} from '../../contract/rules/user-form.js';
import type { Claim, UserType } from '../../contract/session.js';
import { Problem } from '../../platform/errors.js';

/** What a new account gets from outside of the domain: time and randomness. */
export interface Birth {
  id: string;
  securityStamp: string;
  now: Date;
}

/** What an administrator fills in about a person. */
export interface UserForm {
  fullName: string;
  email: string;
  userType: string;
  claims: Claim[];
}

/** An account. Immutable: what changes it gives another one to store. */
export class User {
  /** The OpenID subject; random, and so never given to anybody else. */
  readonly id: string;
  /** As it was typed; unique without regard to case. */
  readonly email: string;
  readonly fullName: string;
  readonly userType: UserType;
  readonly claims: readonly Claim[];
  /** Null until the person has chosen a password. */
  readonly passwordHash: string | null;
  readonly emailConfirmed: boolean;
  /** Signs in at an external provider and has no password here. */
  readonly isExternal: boolean;
  /** Replaced whenever what was proven at sign-in no longer holds: half-finished sign-ins are bound to it. */
  readonly securityStamp: string;
  readonly createdAt: Date;

  private constructor(state: Omit<User, 'fhirUser' | 'withPassword' | 'rename' | 'change'>) {
    Object.assign(this, state);
  }

  /**
   * An administrator, who is no person of the FHIR server and so has no claims. Without a password it is chosen later, by a
   * link that shows that the address is theirs.
   */
  static createAdmin(admin: { email: string; fullName: string; passwordHash: string | null }, birth: Birth): User {
    const problem = emailProblem(admin.email);
    if (problem) throw Problem.invalid([{ field: 'email', messages: [problem] }]);
    return new User({
      ...born(birth),
      email: admin.email.trim(),
      fullName: admin.fullName.trim(),
      userType: 'Admin',
      claims: [],
      passwordHash: admin.passwordHash,
      emailConfirmed: admin.passwordHash !== null,
    });
  }

  /** A patient or practitioner, who chooses a password later (`spec §5` User form). */
  static invite({ fullName, email, userType, claims }: UserForm, birth: Birth): User {
    const problems = userFormProblems({ fullName, email, userType, claims });
    if (problems.length > 0 || !isCreatedUserType(userType)) throw Problem.invalid(problems);
    return new User({
      ...born(birth),
      email: email.trim(),
      fullName: fullName.trim(),
      userType,
      claims: trimmed(claims),
      passwordHash: null,
      emailConfirmed: false,
    });
  }

  /** The person has chosen a password, which takes having shown that the address is theirs. */
  withPassword(passwordHash: string, securityStamp: string): User {
    return new User({ ...this, passwordHash, securityStamp, emailConfirmed: true });
  }

  rename(fullName: string): User {
    const problem = nameProblem(fullName, maxFullName);
    if (problem) throw Problem.invalid([{ field: 'fullName', messages: [problem] }]);
    return new User({ ...this, fullName: fullName.trim() });
  }

  /** What an administrator decides about somebody who is there (`spec §5` User form). */
  change(form: UserChange): User {
    const problems = userChangeProblems(form, this.userType);
    if (problems.length > 0 || !isCreatedUserType(form.userType)) throw Problem.invalid(problems);
    const { fullName, userType, claims } = form;
    return new User({ ...this, fullName: fullName.trim(), userType, claims: trimmed(claims) });
  }

  /** The person's own record, `{Type}/{id}`; undefined where the stored claim does not fit the type. */
  get fhirUser(): string | undefined {
    const value = this.claims.find(({ name }) => name === 'fhirUser')?.value;
    if (value === undefined || !isCreatedUserType(this.userType)) return undefined;
    return fhirUserProblem(value, this.userType) === undefined ? value : undefined;
  }
}

/** Heard by every node, with the account's id, when it was changed or removed. */
export const accountsChanged = 'gatehouse_accounts';

export abstract class Users {
  /** Throws a conflict when the address has an account. */
  abstract add(user: User): Promise<void>;
  abstract find(id: string): Promise<User | undefined>;
  abstract findByEmail(email: string): Promise<User | undefined>;
  /** Holds the account until the transaction ends: of several changes one comes after the other. */
  abstract findForChange(id: string): Promise<User | undefined>;
  abstract change(user: User): Promise<void>;
  abstract remove(user: User): Promise<void>;
  /** How many administrators there are; none can come or go before the transaction ends. */
  abstract countAdminsForChange(): Promise<number>;
  /** Everybody but administrators. */
  abstract count(): Promise<number>;
}

function born({ id, securityStamp, now }: Birth) {
  return { id, securityStamp, createdAt: now, isExternal: false };
}

function trimmed(claims: readonly Claim[]): Claim[] {
  return claims.map(({ name, value }) => ({ name: name.trim(), value: value.trim() }));
}
