import { commonPasswords } from '../../src/users/domain/common-passwords.js';
import {
  isCommonPassword,
  passwordHoldsEmail,
  passwordHoldsOrganization,
  passwordProblems,
  passwordTooCommon,
} from '../../src/users/domain/password-policy.js';
import { textOf } from '../support/messages.js';

const settings = {
  requiredLength: 12,
  requireDigit: false,
  requireUppercase: false,
  requireLowercase: false,
  requireNonAlphanumeric: false,
};
const about = { settings, email: 'maria.lopez@example.org', organization: 'Saint Anne Hospital' };

describe('the password policy', () => {
  it('accepts a strong password', () => {
    expect(passwordProblems('violet kettle seventeen', about)).toEqual([]);
  });

  it('names each rule that is not met', () => {
    const strict = { ...about, settings: { ...settings, requireDigit: true, requireUppercase: true } };
    expect(passwordProblems('too short', strict).map(textOf)).toEqual([
      'Password requirements not fulfilled.',
      'At least 12 characters',
      '1 uppercase letter',
      '1 number',
    ]);
  });

  it('counts characters, not code units', () => {
    expect(passwordProblems('🚲🌧🧦🫖🎻🪴', { ...about, settings: { ...settings, requiredLength: 7 } })).toHaveLength(2);
  });

  it.each([
    ['a common password', 'correcthorsebatterystaple'],
    ['in another case', 'ManchesterUnited'],
    ['with digits behind it', 'password1234'],
    ['with digits and signs around it', '**Welcome2024!'],
    ['with digits for letters', 'M4nch3st3rUn1t3d'],
    ['two common parts', 'hello1234567890'],
    ['the same twice', 'letmein!letmein!'],
    ['a few characters over and over', 'xyzxyzxyzxyz'],
    ['digits in a row', '123456789012'],
    ['letters in a row', 'abcdefghijklm'],
    ['a walk over the keyboard', 'qwertyuiopasdf'],
    ['a walk back', 'poiuytrewqmnbvcxz'.slice(0, 10).repeat(2)],
  ])('H-12 refuses %s', (_what, password) => {
    expect(passwordProblems(password, about)).toEqual([passwordTooCommon]);
  });

  it('accepts a common word with long digits around it', () => {
    expect(isCommonPassword('dragon-730185529461')).toBe(false);
  });

  it.each(['my-MariaLopez-login', 'maria lopez is me'])(
    'H-12 refuses a password that contains the address: %s',
    (password) => {
      expect(passwordProblems(password, about)).toEqual([passwordHoldsEmail]);
    },
  );

  it('H-12 refuses a password that contains the name of the organisation', () => {
    expect(passwordProblems('go saint-anne hospital', about)).toEqual([passwordHoldsOrganization]);
  });

  it('ignores a very short address', () => {
    expect(passwordProblems('violet joe kettle', { ...about, email: 'joe@example.org' })).toEqual([]);
  });

  it('has more than a thousand common passwords of eight or more characters, in the form of the comparison', () => {
    expect([...commonPasswords].filter((word) => word.length >= 8).length).toBeGreaterThan(1000);
    expect([...commonPasswords].filter((word) => word !== word.normalize('NFKC').toLowerCase())).toEqual([]);
  });

  it('finishes with the longest accepted password', () => {
    expect(isCommonPassword(`a${'1'.repeat(998)}a`)).toBe(false);
  });
});
