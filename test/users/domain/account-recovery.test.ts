import { readyDays } from '../../../src/users/domain/account-recovery.js';

it('A recovery of an account has to be finished within seven days after the waiting time', () => {
  expect(readyDays).toBe(7);
});
