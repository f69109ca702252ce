import { initials, initialsOfUser } from '../../src/contract/rules/initials.js';

it.each([
  ['Ana Lima', 'AL'],
  ['Dr. Ana Lima', 'AL'],
  ['Prof. Dr. med. Ana Lima', 'AL'],
  ['Mme Zoé Béart', 'ZB'],
  ['Dr.Ana Lima', 'AL'],
  ['Don', 'DO'],
  ['Dr. Lima', 'LI'],
  ['Mr. M. Healwright', 'HE'],
  ['李 小龙', '李小'],
])('the initials of the user %s are without titles: %s', (name, sign) => {
  expect(initialsOfUser(name)).toBe(sign);
});

it('the initials of an app keep what is a title of a user', () => {
  expect(initials('Dr. Diary')).toBe('DD');
});
