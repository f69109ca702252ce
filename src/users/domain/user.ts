import { message } from '../../contract/messages/message.js';
import { fhirUserProblem, nameProblem } from '../../contract/rules/users/claims.js';
import { emailProblem } from '../../contract/rules/users/email.js';
import {
  isCreatedUserType,
  maxFullName,
  type UserChange,
  userChangeProblems,
  userFormProblems,
} from '../../contract/rules/users/user-form.js';
import { differences } from '../../contract/rules/version-conflict.js';
import type { Claim, UserType } from '../../contract/session.js';
import { Problem } from '../../platform/errors.js';

export const userChangedMeanwhile = message('user-changed');

/** The inputs of a new account from outside of the domain: time and randomness. */
export interface NewUserIdentity {
  id: string;
  securityStamp: string;
  now: Date;
}

/** The fields of a user that an administrator fills in. */
export interface UserForm {
  fullName: string;
  email: string;
  userType: string;
  claims: Claim[];
}

/** A user's identity at another OpenID provider: both together, and nothing else (security K-04). */
export interface ExternalIdentity {
  issuer: string;
  subject: string;
}

/** The other provider's profile of a user; an invalid address or name counts as missing. */
export interface ExternalProfile {
  fullName: string | undefined;
  email: string | undefined;
  /** Further claims, by the names of OpenID Connect Core §5.1. */
  standardClaims: Readonly<Record<string, string>>;
}

/** A user's role here, as it follows from the other provider's claims; Incomplete until it does. */
export interface ExternalRole {
  userType: UserType;
  claims: readonly Claim[];
}

type Derived =
  | 'fhirUser'
  | 'locale'
  | 'isInvited'
  | 'withPassword'
  | 'withoutPassword'
  | 'rename'
  | 'change'
  | 'withPatientRecord'
  | 'withProfile'
  | 'withoutAddress'
  | 'withRole';

/** The members of an account that administrators see and decide. */
const seenMembers = ['fullName', 'email', 'userType', 'claims'] as const;

/** An account. Immutable: what changes it gives another one to store. */
export class User {
  /** The OpenID subject; random, and so never given to another user. */
  readonly id: string;
  /**
   * The address as typed; unique among local accounts without regard to case. Null where another provider gives none.
   */
  readonly email: string | null;
  readonly fullName: string;
  readonly userType: UserType;
  readonly claims: readonly Claim[];
  /** Null until the user has chosen a password, and for a user who signs in with passkeys alone. */
  readonly passwordHash: string | null;
  /** The user has chosen a password or a passkey with a link to this address. */
  readonly emailConfirmed: boolean;
  /** An administrator has handed that link over, and no mail to the address has proven since that it is theirs. */
  readonly emailUnproven: boolean;
  /** Signs in at an external provider and has no password here. */
  readonly isExternal: boolean;
  /** The provider's issuer, and the user's subject there; null for a local account. */
  readonly issuer: string | null;
  readonly subject: string | null;
  /** Replaced whenever what was proven at sign-in no longer holds: half-finished sign-ins are bound to it. */
  readonly securityStamp: string;
  readonly createdAt: Date;
  /**
   * Counts the changes of administrators' fields, so that of two administrators who change the same user one gets a
   * conflict.
   */
  readonly version: number;
  /** Claims of the external provider beyond name and address, by the names of OpenID Connect Core §5.1. */
  readonly standardClaims: Readonly<Record<string, string>>;
  /** Time of the last change to the user's claims for apps; kept by the database, null until then. */
  readonly toldAt: Date | null;

  private constructor(state: Omit<User, Derived>) {
    Object.assign(this, state);
  }

  /**
   * Creates an administrator, who is not a person of the FHIR server and so has no claims. Without a password it is
   * chosen later, by a link that proves that the address is theirs.
   */
  static createAdmin(
    admin: { email: string; fullName: string; passwordHash: string | null },
    birth: NewUserIdentity,
  ): User {
    const problem = emailProblem(admin.email);
    if (problem) throw Problem.invalid([{ field: 'email', messages: [problem] }]);
    return new User({
      ...newAccountFields(birth),
      email: admin.email.trim(),
      fullName: admin.fullName.trim(),
      userType: 'Admin',
      claims: [],
      passwordHash: admin.passwordHash,
      emailConfirmed: admin.passwordHash !== null,
    });
  }

  /** Creates a patient or practitioner, who chooses a password later (`spec §5` User form). */
  static invite({ fullName, email, userType, claims }: UserForm, birth: NewUserIdentity): User {
    const problems = userFormProblems({ fullName, email, userType, claims });
    if (problems.length > 0 || !isCreatedUserType(userType)) throw Problem.invalid(problems);
    return new User({
      ...newAccountFields(birth),
      email: email.trim(),
      fullName: fullName.trim(),
      userType,
      claims: trimmed(claims),
      passwordHash: null,
      emailConfirmed: false,
    });
  }

  /** Creates an account that only acts for patients; it has no record of its own on the FHIR server. */
  static inviteRepresentative(
    { fullName, email, tenant }: { fullName: string; email: string; tenant: string | undefined },
    birth: NewUserIdentity,
  ): User {
    const problems = [
      { field: 'email', problem: emailProblem(email) },
      { field: 'fullName', problem: nameProblem(fullName, maxFullName) },
    ].flatMap(({ field, problem }) => (problem ? [{ field, messages: [problem] }] : []));
    if (problems.length > 0) throw Problem.invalid(problems);
    return new User({
      ...newAccountFields(birth),
      email: email.trim(),
      fullName: fullName.trim(),
      userType: 'RelatedPerson',
      claims: tenant === undefined ? [] : [{ name: 'tenant', value: tenant }],
      passwordHash: null,
      emailConfirmed: false,
    });
  }

  /** Creates a user of another provider, which has no password here and needs none. */
  static fromProvider(
    { issuer, subject }: ExternalIdentity,
    profile: ExternalProfile & { fallbackName: string },
    role: ExternalRole,
    birth: NewUserIdentity,
  ): User {
    const { fullName, email } = usable(profile);
    return new User({
      ...newAccountFields(birth),
      isExternal: true,
      issuer,
      subject,
      fullName: fullName ?? email ?? profile.fallbackName,
      email: email ?? null,
      emailConfirmed: email !== undefined,
      userType: role.userType,
      claims: trimmed(role.claims),
      standardClaims: profile.standardClaims,
      passwordHash: null,
    });
  }

  /** Applies the provider's current profile; values that it left out stay. */
  withProfile(profile: ExternalProfile): User {
    const { fullName = this.fullName, email = this.email } = usable(profile);
    const standardClaims = { ...this.standardClaims, ...profile.standardClaims };
    return this.withChanges({ fullName, email, emailConfirmed: email !== null, standardClaims });
  }

  /** Without the address that the provider gives. */
  withoutAddress(): User {
    return this.withChanges({ email: null, emailConfirmed: false });
  }

  /** An account that was Incomplete gets its place; no other changes it (`spec §4`). */
  withRole({ userType, claims }: ExternalRole): User {
    return this.userType === 'Incomplete' ? this.withChanges({ userType, claims: trimmed(claims) }) : this;
  }

  /** Sets the password that the user has chosen. `provesAddress`: by a link that came by mail. */
  withPassword(passwordHash: string, securityStamp: string, { provesAddress } = { provesAddress: true }): User {
    return this.withChanges({ passwordHash, securityStamp, ...this.confirmed(provesAddress) });
  }

  /** Gives the password up, for a user who signs in with passkeys. `provesAddress`: by a link that came by mail. */
  withoutPassword(securityStamp: string, { provesAddress }: { provesAddress: boolean }): User {
    return this.withChanges({ passwordHash: null, securityStamp, ...this.confirmed(provesAddress) });
  }

  /** An address that was proven once stays so. */
  private confirmed(provesAddress: boolean) {
    return { emailConfirmed: true, emailUnproven: !provesAddress && (this.emailUnproven || !this.emailConfirmed) };
  }

  rename(fullName: string): User {
    const problem = nameProblem(fullName, maxFullName);
    if (problem) throw Problem.invalid([{ field: 'fullName', messages: [problem] }]);
    return this.withChanges({ fullName: fullName.trim() });
  }

  /** True until the user has accepted the invitation, with which the password or the passkey is chosen. */
  get isInvited(): boolean {
    return !this.isExternal && this.passwordHash === null && !this.emailConfirmed;
  }

  /** The language of the user (a tag of RFC 5646), where the provider or an administrator has named it. */
  get locale(): string | undefined {
    const known = this.standardClaims.locale ?? this.claims.find(({ name }) => name === 'locale')?.value;
    return known?.replaceAll('_', '-');
  }

  /**
   * Applies an administrator's change to a user (`spec §5` User form). Refuses a change that was made to an older
   * version.
   */
  change(form: UserChange & { version?: number | null | undefined }): User {
    if (form.version !== undefined && form.version !== null && form.version !== this.version) {
      const conflict = { version: this.version, differences: differences(changeOf(this), changeOf(form)) };
      throw new Problem('conflict', userChangedMeanwhile, { conflict });
    }
    // An account that only acts for patients keeps its type and its claims (decision 0132).
    if (this.userType === 'RelatedPerson') return this.rename(form.fullName);
    const problems = userChangeProblems(form, this.userType);
    if (problems.length > 0 || !isCreatedUserType(form.userType)) throw Problem.invalid(problems);
    return this.withChanges({ ...changeOf(form), userType: form.userType });
  }

  /**
   * The account of a patient with this record, made of one that only acts for others. Throws `conflict` for any other.
   */
  withPatientRecord(patient: string): User {
    if (this.userType !== 'RelatedPerson') throw new Problem('conflict', message('user-has-record'));
    const others = this.claims.filter(({ name }) => name !== 'fhirUser');
    const fhirUser = `Patient/${patient}`;
    const problem = fhirUserProblem(fhirUser, 'Patient');
    if (problem) throw Problem.invalid([{ field: 'patient', messages: [problem] }]);
    return this.withChanges({ userType: 'Patient', claims: [{ name: 'fhirUser', value: fhirUser }, ...others] });
  }

  /**
   * The next state; a sign-in that changes nothing an administrator sees must not conflict with an administrator's
   * edit.
   */
  private withChanges(change: Partial<Omit<User, Derived>>): User {
    const isSeen = seenMembers.some(
      (member) => member in change && JSON.stringify(change[member]) !== JSON.stringify(this[member]),
    );
    return new User({ ...this, ...change, version: this.version + (isSeen ? 1 : 0) });
  }

  /** The user's own record, `{Type}/{id}`; undefined where the stored claim does not fit the type. */
  get fhirUser(): string | undefined {
    const value = this.claims.find(({ name }) => name === 'fhirUser')?.value;
    if (value === undefined || !isCreatedUserType(this.userType)) return undefined;
    return fhirUserProblem(value, this.userType) === undefined ? value : undefined;
  }
}

/** Heard by every node, with the account's id, when it was changed or removed. */
export const usersChanged = 'gatehouse_accounts';

export abstract class Users {
  /** Throws a conflict when the address has an account; one that belongs to another provider's has it, too. */
  abstract add(user: User): Promise<void>;
  abstract findById(id: string): Promise<User | undefined>;
  /** The local account with this address. */
  abstract findByEmail(email: string): Promise<User | undefined>;
  /** Accounts with this `fhirUser`; those of several tenants may have the same one. */
  abstract ofRecord(fhirUser: string): Promise<User[]>;
  /** The account of a user of another provider. */
  abstract findByIdentity(identity: ExternalIdentity): Promise<User | undefined>;
  /** The users of these ids that exist. */
  abstract ofIds(ids: readonly string[]): Promise<User[]>;
  /**
   * Holds the identity until the transaction ends, also one that has no account yet: of several sign-ins at once one
   * makes it.
   */
  abstract findByIdentityForChange(identity: ExternalIdentity): Promise<User | undefined>;
  /** Holds the account until the transaction ends: of several changes one comes after the other. */
  abstract findForChange(id: string): Promise<User | undefined>;
  /**
   * Throws a conflict when the account is external and the address has a local one, or is no longer what it was changed
   * from.
   */
  abstract change(user: User, before: User): Promise<void>;
  abstract remove(user: User): Promise<void>;
  /** The number of other administrators whose deletion is not requested. */
  abstract countOtherAdmins(id: string): Promise<number>;
  /** The same, which cannot become less before the transaction ends. */
  abstract countOtherAdminsForChange(id: string): Promise<number>;
  /** Everybody but administrators. */
  abstract count(): Promise<number>;
}

const untold = { standardClaims: {}, toldAt: null, emailUnproven: false };

function newAccountFields({ id, securityStamp, now }: NewUserIdentity) {
  return { id, securityStamp, createdAt: now, version: 1, isExternal: false, issuer: null, subject: null, ...untold };
}

function changeOf({ fullName, userType, claims }: UserChange) {
  return { fullName: fullName.trim(), userType, claims: trimmed(claims) };
}

function usable({ fullName, email }: ExternalProfile): Omit<ExternalProfile, 'standardClaims'> {
  const name = fullName?.trim() ?? '';
  const address = email?.trim() ?? '';
  return {
    fullName: nameProblem(name, maxFullName) === undefined ? name : undefined,
    email: emailProblem(address) === undefined ? address : undefined,
  };
}

function trimmed(claims: readonly Claim[]): Claim[] {
  return claims.map(({ name, value }) => ({ name: name.trim(), value: value.trim() }));
}
