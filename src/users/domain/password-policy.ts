import { type Message, message } from '../../contract/messages/message.js';
import { lengthOf } from '../../contract/rules/text.js';
import { fulfilsPasswordRules, passwordNotFulfilled, passwordRules } from '../../contract/rules/users/password.js';
import type { PasswordSettings } from '../../contract/settings.js';
import { commonPasswords } from './common-passwords.js';

export const passwordTooCommon = message('password-too-common');
export const passwordUnchanged = message('password-unchanged');
export const passwordHoldsEmail = message('password-holds-email');
export const passwordHoldsOrganization = message('password-holds-organization');

/** Shorter names turn up in words by chance. */
const shortestName = 4;
/** Words that addresses of a role have, as `info@` and `reception@`; they turn up in long passwords by chance. */
const addressWords = new Set(
  `info contact office admin mail post hello team service care test demo user patient doctor nurse clinic hospital health
  home help support reception practice family house garden`.split(/\s+/),
);
/** Longest decoration that users put around a common word to satisfy a rule. */
const longestDecoration = 6;
const shortestWalk = 4;
const rows = [
  '0123456789',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiopasdfghjklzxcvbnm',
  'qwertzuiopasdfghjklyxcvbnm',
  'azertyuiopqsdfghjklmwxcvbn',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p',
  '1q2w3e4r5t6y7u8i9o0p',
];
const walks = rows.flatMap((row) => [row, [...row].reverse().join('')]);
const letterFor: Record<string, string> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
};

/** Problems of a password, in the words that stand at its field (`spec §5`, `design §4` passwords). */
export function passwordProblems(
  password: string,
  about: { settings: PasswordSettings; email: string; organization: string | undefined },
): Message[] {
  const { settings, email, organization } = about;
  if (!fulfilsPasswordRules(password, settings)) {
    const unmet = passwordRules(password, settings).filter((rule) => !rule.met);
    return [passwordNotFulfilled, ...unmet.map((rule) => rule.text)];
  }
  const problems: [boolean, Message][] = [
    [isCommonPassword(password), passwordTooCommon],
    [containsName(password, email.slice(0, Math.max(0, email.lastIndexOf('@')))), passwordHoldsEmail],
    [containsName(password, organization ?? ''), passwordHoldsOrganization],
  ];
  return problems.flatMap(([applies, text]) => (applies ? [text] : []));
}

/**
 * True if a guesser would try it early: a common password, one with digits and punctuation around it or for its
 * letters, the same thing twice or over and over, or a walk over the keyboard.
 */
export function isCommonPassword(password: string): boolean {
  const text = password.normalize('NFKC').toLowerCase();
  const half = text.slice(0, text.length / 2);
  return isGuessed(text) || isDecorated(text) || (text !== '' && text === half + half && isCommonPassword(half));
}

function isDecorated(text: string): boolean {
  const [, before = '', core = '', after = ''] = /^([^\p{L}]*)(.*?)([^\p{L}]*)$/su.exec(text) ?? [];
  return (
    core !== text &&
    isGuessed(core) &&
    [before, after].every((part) => lengthOf(part) <= longestDecoration || isGuessed(part))
  );
}

/** Checks the text as it is, and with letters for the digits and signs that stand for them. */
function isGuessed(text: string): boolean {
  const spelled = text.replace(/[013457@$!]/g, (sign) => letterFor[sign] ?? sign);
  return [text, spelled].some(
    (word) =>
      commonPasswords.has(word) ||
      /^(.{1,4})\1{2,}$/su.test(word) ||
      (word.length >= shortestWalk && walks.some((row) => isWalk(word, row))),
  );
}

/** True if each character is followed by the next one of the row, and the last one of the row by its first. */
function isWalk(word: string, row: string): boolean {
  const start = row.indexOf(word.charAt(0));
  return [...word].every((character, index) => character === row[(start + index) % row.length]);
}

/**
 * Compared by letters and digits alone, so that a hyphen, a space or an ß for ss makes no difference. A
 * common word of an address counts only with little around it.
 */
function containsName(password: string, name: string): boolean {
  const [inside, part] = [withoutSeparators(password), withoutSeparators(name)];
  if (lengthOf(part) < shortestName || !inside.includes(part)) return false;
  return !addressWords.has(part.toLowerCase()) || lengthOf(inside.replace(part, '')) <= longestDecoration;
}

function withoutSeparators(text: string): string {
  return text
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}
