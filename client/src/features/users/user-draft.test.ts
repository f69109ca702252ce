import { claimsForType, newUser, problemsOf } from './user-draft.js';

describe('another type of user', () => {
  it('resets the fhirUser claim to its prefix', () => {
    const claims = [
      { name: 'ward', value: '4B' },
      { name: 'fhirUser', value: 'Patient/7' },
    ];
    expect(claimsForType(claims, 'Practitioner')).toEqual([
      { name: 'ward', value: '4B' },
      { name: 'fhirUser', value: 'Practitioner/' },
    ]);
  });

  it('brings the fhirUser claim where there was none', () => {
    expect(claimsForType([], 'Patient')).toEqual([{ name: 'fhirUser', value: 'Patient/' }]);
  });
});

it('an empty form lacks a name, an address and a type', () => {
  expect(problemsOf(newUser, undefined).map(({ field }) => field)).toEqual(['email', 'fullName', 'userType']);
});
