import { coversSecondFactor, readyDays } from '../../../src/users/domain/account-recovery.js';

it('A recovery of an account has to be finished within seven days after the waiting time', () => {
  expect(readyDays).toBe(7);
});

describe('A recovery that has waited', () => {
  it.each([
    ['waiting-time', 'Patient', true],
    ['waiting-time', 'Practitioner', true],
    ['waiting-time', 'Admin', false],
    ['help-desk', 'Patient', false],
    ['help-desk', 'Admin', false],
  ] as const)('with %s removes the authenticator app of a %s: %s', (way, userType, removed) => {
    expect(coversSecondFactor(way, userType)).toBe(removed);
  });
});
