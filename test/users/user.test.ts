import { randomUUID } from 'node:crypto';
import type { ProblemItem } from '../../src/contract/problem.js';
import { Problem } from '../../src/platform/errors.js';
import {
  type ExternalProfile,
  type NewUserIdentity,
  User,
  type UserForm,
  usersChanged,
} from '../../src/users/domain/user.js';

const birth: NewUserIdentity = { id: randomUUID(), securityStamp: 'first', now: new Date('2025-03-01T10:00:00Z') };
const patient: UserForm = {
  fullName: 'Maria Lopez',
  email: 'maria@example.org',
  userType: 'Patient',
  claims: [{ name: 'fhirUser', value: 'Patient/17' }],
};

function problemsOf(form: Partial<UserForm>): ProblemItem[] {
  try {
    User.invite({ ...patient, ...form }, birth);
  } catch (error) {
    if (error instanceof Problem) return error.body().errors;
    throw error;
  }
  return [];
}

describe('a user account', () => {
  it('that was invited has no password and an unconfirmed address', () => {
    expect(User.invite(patient, birth)).toMatchObject({
      ...patient,
      id: birth.id,
      createdAt: birth.now,
      passwordHash: null,
      emailConfirmed: false,
      isExternal: false,
    });
  });

  it('is stored with trimmed texts', () => {
    const form = {
      ...patient,
      fullName: ' Maria ',
      email: ' m@example.org ',
      claims: [{ name: ' fhirUser', value: 'Patient/17 ' }],
    };
    expect(User.invite(form, birth)).toMatchObject({
      fullName: 'Maria',
      email: 'm@example.org',
      claims: patient.claims,
    });
  });

  it('gets its password, a confirmed address and a new security stamp together', () => {
    const invited = User.invite(patient, birth);
    expect(invited.withPassword('hash', 'second')).toMatchObject({
      passwordHash: 'hash',
      securityStamp: 'second',
      emailConfirmed: true,
    });
    expect(invited).toMatchObject({ passwordHash: null, securityStamp: 'first', emailConfirmed: false });
  });

  it('gives its password up with a new security stamp, which takes the same proof', () => {
    const user = User.invite(patient, birth);
    const proven = { provesAddress: true };
    expect(user.withPassword('hash', 'second').withoutPassword('third', proven)).toMatchObject({
      passwordHash: null,
      securityStamp: 'third',
      emailConfirmed: true,
      version: 1,
    });
    expect(user.withoutPassword('second', proven).emailConfirmed).toBe(true);
  });

  describe.each<[what: string, choose: (user: User, provesAddress: boolean) => User]>([
    ['a password', (user, provesAddress) => user.withPassword('hash', 'next', { provesAddress })],
    ['a passkey', (user, provesAddress) => user.withoutPassword('next', { provesAddress })],
  ])('that gets %s', (_what, choose) => {
    const invited = User.invite(patient, birth);

    it('has an unproven address after a link that an administrator has handed over, until a mail proves it', () => {
      expect(invited.emailUnproven).toBe(false);
      const handedOver = choose(invited, false);
      expect(handedOver).toMatchObject({ emailConfirmed: true, emailUnproven: true });
      expect(choose(handedOver, false).emailUnproven).toBe(true);
      expect(choose(handedOver, true).emailUnproven).toBe(false);
    });

    it('keeps an address that was proven once', () => {
      const mailed = choose(invited, true);
      expect(mailed).toMatchObject({ emailConfirmed: true, emailUnproven: false });
      expect(choose(mailed, false).emailUnproven).toBe(false);
    });

    it('is invited no more', () => {
      expect([invited, choose(invited, true), choose(invited, false)].map(({ isInvited }) => isInvited)).toEqual([
        true,
        false,
        false,
      ]);
    });
  });

  it('has the reference of its FHIR record', () => {
    expect(User.invite(patient, birth).fhirUser).toBe('Patient/17');
    expect(User.invite(patient, birth).withPassword('hash', 'second').fhirUser).toBe('Patient/17');
  });

  it('of an administrator has no FHIR record', () => {
    const admin = User.createAdmin(
      { email: 'admin@example.org', fullName: 'Administrator', passwordHash: 'hash' },
      birth,
    );
    expect(admin).toMatchObject({ userType: 'Admin', claims: [], fhirUser: undefined, emailConfirmed: true });
  });

  it.each<[string, Partial<UserForm>, ProblemItem]>([
    ['no name', { fullName: ' ' }, { field: 'fullName', messages: ['Field is required'] }],
    ['no address', { email: '' }, { field: 'email', messages: ['The Email field is required.'] }],
    [
      'half an address',
      { email: 'maria@' },
      { field: 'email', messages: ['The Email field is not a valid e-mail address'] },
    ],
    [
      'I-04 another type',
      { userType: 'Admin' },
      { field: 'userType', messages: ['The user type must be Patient or Practitioner.'] },
    ],
    ['no fhirUser', { claims: [] }, { field: 'claims', messages: ['The fhirUser claim is mandatory'] }],
    [
      'I-09 a record of another kind',
      { claims: [{ name: 'fhirUser', value: 'Practitioner/1' }] },
      { field: 'claims.0.value', messages: ["The 'fhirUser' claim must point to resource matching Patient type."] },
    ],
    [
      'I-09 a path in the id',
      { claims: [{ name: 'fhirUser', value: 'Patient/../Practitioner/1' }] },
      { field: 'claims.0.value', messages: ["Provide the 'Patient' id in the fhirUser claim."] },
    ],
  ])('is refused with %s', (_what, form, problem) => {
    expect(problemsOf(form)).toEqual([problem]);
  });
});

function refusalOf(act: () => unknown): Problem {
  try {
    act();
  } catch (error) {
    return error as Problem;
  }
  throw new Error('was accepted');
}

const admin = { email: ' admin@example.org ', fullName: ' Ada Admin ', passwordHash: 'hash' };

describe('an administrator', () => {
  it('is stored with trimmed address and name, as version 1', () => {
    expect(User.createAdmin(admin, birth)).toMatchObject({
      email: 'admin@example.org',
      fullName: 'Ada Admin',
      version: 1,
      isExternal: false,
      issuer: null,
      subject: null,
      standardClaims: {},
      toldAt: null,
    });
  });

  it('who is invited has no password and an unconfirmed address', () => {
    expect(User.createAdmin({ ...admin, passwordHash: null }, birth)).toMatchObject({
      passwordHash: null,
      emailConfirmed: false,
    });
  });

  it('is refused with an incomplete address', () => {
    const problem = refusalOf(() => User.createAdmin({ ...admin, email: 'admin@' }, birth));
    expect([problem.kind, problem.body().errors]).toEqual([
      'invalid',
      [{ field: 'email', messages: ['The Email field is not a valid e-mail address'] }],
    ]);
  });
});

describe('a change of an account', () => {
  const user = User.invite(patient, birth);
  const form = { fullName: 'Maria Lopez', userType: 'Patient', claims: patient.claims };

  it('by an administrator is the next version, with trimmed texts', () => {
    const claims = [{ name: ' fhirUser', value: 'Patient/3 ' }];
    const changed = user.change({ fullName: ' M. Lopez ', userType: 'Patient', claims });
    expect(changed).toEqual({
      ...user,
      version: 2,
      fullName: 'M. Lopez',
      claims: [{ name: 'fhirUser', value: 'Patient/3' }],
    });
    expect(changed).toBeInstanceOf(User);
    expect(user).toMatchObject({ version: 1, fullName: 'Maria Lopez' });
  });

  it.each([
    ['the name', { fullName: 'Other' }],
    ['the claims', { claims: [{ name: 'fhirUser', value: 'Patient/18' }] }],
  ])('of %s alone is a next version, too', (_, change) => {
    expect(user.change({ ...form, ...change }).version).toBe(2);
  });

  it('without a difference keeps the version', () => {
    expect(user.change(form).version).toBe(1);
    expect(user.withPassword('hash', 'second').version).toBe(1);
  });

  it('to an older version is a conflict with both values', () => {
    const current = user.change({ ...form, fullName: 'Maria L.' });
    const problem = refusalOf(() => current.change({ ...form, fullName: ' Maria M. ', version: 1 }));
    expect([problem.kind, problem.message]).toEqual([
      'conflict',
      'The user was changed in the meantime. Please refresh the page and try again.',
    ]);
    expect(problem.options.conflict).toEqual({
      version: 2,
      differences: [{ field: 'fullName', stored: 'Maria L.', sent: 'Maria M.' }],
    });
    for (const version of [2, null, undefined]) expect(current.change({ ...form, version }).version).toBe(3);
  });

  it('to an older version is a conflict about the type as well, while the user is incomplete', () => {
    const waiting: User = Object.assign(Object.create(User.prototype), { ...user, userType: 'Incomplete', version: 2 });
    const problem = refusalOf(() => waiting.change({ ...form, version: 1 }));
    expect(problem.options.conflict?.differences).toEqual([
      { field: 'userType', stored: 'Incomplete', sent: 'Patient' },
    ]);
    expect(waiting.change({ ...form, version: 2 })).toMatchObject({ userType: 'Patient', version: 3 });
  });

  it.each([
    ['no name', { fullName: ' ' }, 'fullName'],
    ['another type', { userType: 'Practitioner', claims: [{ name: 'fhirUser', value: 'Practitioner/3' }] }, 'userType'],
    ['a type that is given to no invited user', { userType: 'Admin' }, 'userType'],
    ['no fhirUser', { claims: [] }, 'claims'],
  ])('is refused with %s', (_, change, field) => {
    const problem = refusalOf(() => user.change({ ...form, ...change }));
    expect([problem.kind, problem.body().errors.map((item) => item.field)]).toEqual(['invalid', [field]]);
  });

  it('of the user’s own name is the next version, trimmed', () => {
    expect(user.rename(' Maria L. ')).toMatchObject({ fullName: 'Maria L.', version: 2 });
    expect(user.rename('Maria Lopez').version).toBe(1);
    expect(refusalOf(() => user.rename(' ')).body().errors).toEqual([
      { field: 'fullName', messages: ['Field is required'] },
    ]);
    expect(() => user.rename('a'.repeat(1000))).toThrow();
  });

  it('is announced to every node on a channel whose name stays the same between versions', () => {
    expect(usersChanged).toBe('gatehouse_accounts');
  });
});

describe('the account of a user of an identity provider', () => {
  const identity = { issuer: 'https://idp.example', subject: 'sub-1' };
  const profile: ExternalProfile = {
    fullName: ' Maria Lopez ',
    email: ' maria@example.org ',
    standardClaims: { locale: 'es' },
  };
  const role = { userType: 'Patient' as const, claims: [{ name: ' fhirUser', value: 'Patient/17 ' }] };
  const incomplete = { userType: 'Incomplete' as const, claims: [] };
  const create = (given: Partial<ExternalProfile> = {}, as: Parameters<User['withRole']>[0] = role) =>
    User.fromProvider(identity, { ...profile, ...given, fallbackName: 'User 1' }, as, birth);

  it('has the identity, the profile and the role, and no password', () => {
    expect(create()).toMatchObject({
      ...identity,
      isExternal: true,
      fullName: 'Maria Lopez',
      email: 'maria@example.org',
      emailConfirmed: true,
      userType: 'Patient',
      claims: [{ name: 'fhirUser', value: 'Patient/17' }],
      standardClaims: { locale: 'es' },
      passwordHash: null,
      version: 1,
    });
    expect(create({ email: undefined }).isInvited).toBe(false);
  });

  it.each([
    ['no name', { fullName: undefined }, { fullName: 'maria@example.org' }],
    ['a name that is too long', { fullName: 'a'.repeat(1000) }, { fullName: 'maria@example.org' }],
    ['no address', { email: undefined }, { email: null, emailConfirmed: false, fullName: 'Maria Lopez' }],
    ['half an address', { email: 'maria@' }, { email: null, emailConfirmed: false }],
    ['neither', { fullName: ' ', email: '' }, { fullName: 'User 1', email: null }],
  ])('is created from a profile with %s', (_, given, expected) => {
    expect(create(given)).toMatchObject(expected);
  });

  it('keeps claims that a later profile leaves out, and accepts its other claims', () => {
    const user = create();
    const nothing = { fullName: undefined, email: undefined, standardClaims: {} };
    expect(user.withProfile(nothing)).toEqual(user);
    expect(
      user.withProfile({ fullName: 'M. Lopez', email: 'new@example.org', standardClaims: { zoneinfo: 'UTC' } }),
    ).toEqual({
      ...user,
      version: 2,
      fullName: 'M. Lopez',
      email: 'new@example.org',
      standardClaims: { locale: 'es', zoneinfo: 'UTC' },
    });
    expect(create({ email: undefined }).withProfile(nothing).emailConfirmed).toBe(false);
    expect(create({ email: undefined }).withProfile(profile)).toMatchObject({ emailConfirmed: true, version: 2 });
  });

  it('that is incomplete gets its role once', () => {
    const waiting = create({}, incomplete);
    expect([waiting.userType, waiting.fhirUser]).toEqual(['Incomplete', undefined]);
    const complete = waiting.withRole(role);
    expect(complete).toMatchObject({ userType: 'Patient', fhirUser: 'Patient/17', version: 2 });
    expect(complete.withRole({ userType: 'Practitioner', claims: [] })).toBe(complete);
    const claims = [{ name: 'fhirUser', value: 'Practitioner/3' }];
    expect(waiting.change({ fullName: 'M. Lopez', userType: 'Practitioner', claims })).toMatchObject({
      userType: 'Practitioner',
      claims,
      version: 2,
    });
  });
});

describe('the language of a user', () => {
  const localeOf = (locale: string | undefined, ...claims: { name: string; value: string }[]) =>
    Object.assign(Object.create(User.prototype) as User, {
      ...User.invite(patient, birth),
      claims: [...patient.claims, ...claims],
      standardClaims: { ...(locale !== undefined && { locale }) },
    }).locale;

  it('is that of the identity provider before the claim of an administrator, and else unknown', () => {
    expect(localeOf('de', { name: 'locale', value: 'fr' })).toBe('de');
    expect(localeOf(undefined, { name: 'unit', value: 'x' }, { name: 'locale', value: 'fr' })).toBe('fr');
    expect(localeOf(undefined)).toBeUndefined();
    const several = ['fr', 'it'].map((value) => ({ name: 'locale', value }));
    expect(localeOf(undefined, ...several)).toBe('fr');
  });

  it('is a language tag, also where it was named with underscores', () => {
    expect(localeOf('zh_Hant_TW')).toBe('zh-Hant-TW');
  });
});

describe('the record of an account', () => {
  const withClaims = (claims: { name: string; value: string }[]): User =>
    Object.assign(Object.create(User.prototype), { ...User.invite(patient, birth), claims });

  it('is undefined where the stored claim is missing or of another type', () => {
    expect(withClaims([]).fhirUser).toBeUndefined();
    expect(withClaims([{ name: 'fhirUser', value: 'Practitioner/1' }]).fhirUser).toBeUndefined();
    expect(withClaims([{ name: 'unit', value: 'Patient/1' }]).fhirUser).toBeUndefined();
  });

  it('is the first claim of several', () => {
    const two = ['Patient/1', 'Patient/2'].map((value) => ({ name: 'fhirUser', value }));
    expect(withClaims(two).fhirUser).toBe('Patient/1');
  });
});
