import { mayUse } from '../../../src/oidc/domain/ehr-launches.js';
import type { EhrContext } from '../../../src/oidc/domain/launch.js';

const practitioner = { id: 'account-1', userType: 'Practitioner', fhirUser: 'Practitioner/d1' } as const;
const patient = { id: 'account-2', userType: 'Patient', fhirUser: 'Patient/p1' } as const;
const launch = (context: EhrContext, user?: string) => ({ context, ...(user !== undefined && { user }) });

describe('an EHR launch', () => {
  it.each([
    ['no user', true, undefined],
    ['the id of the user', true, 'account-1'],
    ['the record of the user', true, 'Practitioner/d1'],
    ['the id of another user', false, 'account-2'],
    ['the record of another user', false, 'Practitioner/d2'],
  ])('that names %s may be used: %p', (_, expected, named) => {
    expect(mayUse(launch({ patient: 'p1' }, named), practitioner)).toBe(expected);
  });

  it.each([
    ['the own record', true, { patient: 'p1' }],
    ['the own record with a visit', true, { patient: 'p1', encounter: 'e1' }],
    ['the record of another patient', false, { patient: 'p2' }],
    ['no record', true, { intent: 'order' }],
    ['a visit without a record', false, { encounter: 'e1' }],
    ['a resource without a record', false, { fhirContext: [{ reference: 'Patient/p2' }] }],
    ['a visit and a resource without a record', false, { encounter: 'e1', fhirContext: [] }],
  ])('with %s may be used by a patient: %p', (_, expected, context) => {
    expect(mayUse(launch(context), patient)).toBe(expected);
  });

  it.each([
    ['the record of any patient', false, { patient: 'p1' }],
    ['no record', true, { intent: 'order' }],
    ['a visit without a record', false, { encounter: 'e1' }],
  ])('with %s may be used by a user without a record: %p', (_, expected, context) => {
    const user = { id: 'account-3', userType: 'RelatedPerson', fhirUser: undefined } as const;
    expect(mayUse(launch(context), user)).toBe(expected);
  });

  it('may be used by no patient whose record is unknown', () => {
    expect(mayUse(launch({ patient: 'undefined' }), { ...patient, fhirUser: undefined })).toBe(false);
  });

  it.each([
    ['Practitioner', true],
    ['Admin', false],
    ['Incomplete', false],
  ] as const)('may be used by a user of the type %s: %p', (userType, expected) => {
    expect(mayUse(launch({ patient: 'p1' }), { ...practitioner, userType })).toBe(expected);
  });
});
