import { claimsForType, newUser, problemsOf } from './user-draft.js';

describe('changing the type of a user', () => {
  it('resets the fhirUser claim to the prefix of the new type', () => {
    const claims = [
      { name: 'ward', value: '4B' },
      { name: 'fhirUser', value: 'Patient/7' },
    ];
    expect(claimsForType(claims, 'Practitioner')).toEqual([
      { name: 'ward', value: '4B' },
      { name: 'fhirUser', value: 'Practitioner/' },
    ]);
  });

  it('adds the fhirUser claim where it is missing', () => {
    expect(claimsForType([], 'Patient')).toEqual([{ name: 'fhirUser', value: 'Patient/' }]);
  });
});

it('an empty user form reports the missing name, address and type', () => {
  expect(problemsOf(newUser, undefined).map(({ field }) => field)).toEqual(['email', 'fullName', 'userType']);
});
