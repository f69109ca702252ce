import { randomUUID } from 'node:crypto';
import type { ProblemItem } from '../../src/contract/problem.js';
import { Problem } from '../../src/platform/errors.js';
import { type NewUserIdentity, User, type UserForm } from '../../src/users/domain/user.js';

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
