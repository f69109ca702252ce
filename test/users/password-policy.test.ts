import { commonPasswords } from '../../src/users/domain/common-passwords.js';
import {
  isCommonPassword,
  passwordHoldsEmail,
  passwordHoldsOrganization,
  passwordProblems,
  passwordTooCommon,
  passwordUnchanged,
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

  it('H-12 refuses a password that contains the name of the organization', () => {
    expect(passwordProblems('go saint-anne hospital', about)).toEqual([passwordHoldsOrganization]);
  });

  it('ignores a very short address', () => {
    expect(passwordProblems('violet joe kettle', { ...about, email: 'joe@example.org' })).toEqual([]);
  });

  it('may hold a common word of an address within a longer one', () => {
    const problems = (email: string, password: string) => passwordProblems(password, { ...about, email });
    expect(problems('garden@example.org', 'kettle garden violet')).toEqual([]);
    expect(problems('info@example.org', 'information-kettle-9')).toEqual([]);
    expect(problems('garden@example.org', 'Garden-2026!')).toContainEqual(passwordHoldsEmail);
    expect(problems('maria.lopez@example.org', 'kettle maria.lopez violet')).toContainEqual(passwordHoldsEmail);
  });

  it('has more than a thousand common passwords of eight or more characters, in the form of the comparison', () => {
    expect([...commonPasswords].filter((word) => word.length >= 8).length).toBeGreaterThan(1000);
    expect([...commonPasswords].filter((word) => word !== word.normalize('NFKC').toLowerCase())).toEqual([]);
  });

  it('finishes with the longest accepted password', () => {
    expect(isCommonPassword(`a${'1'.repeat(998)}a`)).toBe(false);
  });

  it.each([
    ['digits from 0', '0123456789'],
    ['digits from 1', '34567890'],
    ['a row of an English keyboard', 'asdfghjkl'],
    ['a row of a German keyboard', 'qwertz'],
    ['a row of a French keyboard', 'azertyuiop'],
    ['a walk down and up', '1qaz2wsx3edc'],
    ['a walk to and fro', '1q2w3e4r5t6y'],
    ['a walk of four', 'ghjk'],
    ['a walk round its end', 'vwxyzabc'],
    ['a walk round its end twice', `x${'yzabcdefghijklmnopqrstuvwx'}yza`],
    ['a walk back round its end', 'cbazyx'],
    ['a walk over all digits four times', `7890123${'4567890123'.repeat(3)}456`],
    ['a walk back over all digits four times', `7654321${'0987654321'.repeat(3)}098`],
    ['a text of four over and over', 'wxklwxklwxkl'],
    ['one character with line breaks in it', '\n\n\n\n'],
    ['a word in full width', 'ｌｅｔｍｅｉｎ'],
    ['a word with six signs before and behind it', '!!!+++letmein+++!!!'],
    ['a word between repetitions', '1111111111letmein2222222222'],
    ['a word before a line break', 'letmein\n'],
    ['repeated lines behind a digit', '1a\nba\nba\nb'],
    ['o as 0', 'footb0ll'.replace('b0', 'ba').replaceAll('o', '0')],
    ['i as 1', 'm1chael'],
    ['e as 3', 'ch3ls3a'],
    ['a as 4', 'mich4el'],
    ['s as 5', 'chel5ea'],
    ['t as 7', 'foo7ball'],
    ['a as @', 'mich@el'],
    ['s as $', 'chel$ea'],
    ['i as !', 'm!chael'],
  ])('H-12 finds a common password in %s', (_, password) => {
    expect(isCommonPassword(password)).toBe(true);
  });

  it.each([
    ['nothing', ''],
    ['a walk of three in a word', 'ghj'],
    ['a walk with another character in it', '0123456a89'],
    ['a walk with another character before it', 'ä123456789'],
    ['a text of five three times', 'vwklmvwklmvwklm'],
    ['repetition with something behind it', 'xyzxyzxyzkettle'],
    ['repetition with something before it', 'kettlexyzxyzxyz'],
    ['a word with seven signs behind it', 'letmein+#-+#-+'],
    ['a word with seven signs before it', '+#-+#-+letmein'],
    ['a word with letters before it', 'kettle letmein'],
  ])('accepts %s as not common', (_, password) => {
    expect(isCommonPassword(password)).toBe(false);
  });

  it('H-12 compares with the part before the last @ of an address, from four characters on', () => {
    const problems = (email: string, password: string) => passwordProblems(password, { ...about, email });
    expect(problems('jörg@example.org', 'violet JÖRG kettle')).toEqual([passwordHoldsEmail]);
    expect(problems('"a@bc"@example.org', 'violet a-bc kettle')).toEqual([]);
    expect(problems('"a@bcd"@example.org', 'violet a-bcd kettle')).toEqual([passwordHoldsEmail]);
    expect(problems('violet', 'violet joe kettle')).toEqual([]);
    expect(problems('strasse@example.org', 'violet Straße kettle')).toEqual([passwordHoldsEmail]);
    expect(problems('straße@example.org', 'violet strasse kettle')).toEqual([passwordHoldsEmail]);
    expect(problems('ｍａｒｉａ@example.org', 'violet maria kettle')).toEqual([passwordHoldsEmail]);
  });

  it('compares with no organization where none is configured', () => {
    expect(passwordProblems('violet mutated kettle', { ...about, organization: undefined })).toEqual([]);
  });

  it('names the rules that are not met, and no others', () => {
    const strict = { ...about, settings: { ...settings, requireDigit: true, requireLowercase: true } };
    expect(passwordProblems('violet kettle nine', strict).map(textOf)).toEqual([
      'Password requirements not fulfilled.',
      '1 number',
    ]);
  });

  it('has a message for each refusal', () => {
    expect([passwordTooCommon, passwordHoldsEmail, passwordHoldsOrganization, passwordUnchanged].map(textOf)).toEqual([
      'This password is too common. Please choose one that is harder to guess.',
      'The password must not contain your e-mail address.',
      'The password must not contain the name of the organization.',
      'The new password must differ from the one before.',
    ]);
  });
});
