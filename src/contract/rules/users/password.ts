import { type Message, message } from '../../messages/message.js';
import type { PasswordSettings } from '../../settings.js';
import { lengthOf } from '../text.js';

/** How long a link to choose a new password works. */
export const resetLinkMinutes = 60;

export const passwordsDiffer = message('passwords-differ');
export const passwordNotFulfilled = message('password-not-fulfilled');

export interface PasswordRule {
  text: Message;
  met: boolean;
}

/** True if there is a checklist at all: one single case alone does not make one (`spec §5`). */
export function hasPasswordChecklist(settings: PasswordSettings): boolean {
  return (
    settings.requireDigit ||
    (settings.requireLowercase && settings.requireUppercase) ||
    settings.requireNonAlphanumeric ||
    settings.requiredLength > 0
  );
}

/** The rules that are switched on, for the live checklist; letters and digits of every script count. */
export function passwordRules(password: string, settings: PasswordSettings): PasswordRule[] {
  const { requiredLength, requireLowercase, requireUppercase, requireDigit, requireNonAlphanumeric } = settings;
  const rules: [on: boolean, text: Message, met: boolean][] = [
    [requiredLength > 0, message('password-length', { length: requiredLength }), lengthOf(password) >= requiredLength],
    [requireLowercase, message('password-lowercase'), /\p{Ll}/u.test(password)],
    [requireUppercase, message('password-uppercase'), /\p{Lu}/u.test(password)],
    [requireDigit, message('password-digit'), /\p{Nd}/u.test(password)],
    [requireNonAlphanumeric, message('password-symbol'), /[^\p{L}\p{N}]/u.test(password)],
  ];
  return rules.filter(([on]) => on).map(([, text, met]) => ({ text, met }));
}

export function fulfilsPasswordRules(password: string, settings: PasswordSettings): boolean {
  // NUL ends a text for many programs.
  return password !== '' && !password.includes('\0') && passwordRules(password, settings).every((rule) => rule.met);
}
