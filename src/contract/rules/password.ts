import type { PasswordSettings } from '../settings.js';
import { lengthOf } from './text.js';

export const passwordsDiffer = 'Please make sure your password match.';
export const passwordNotFulfilled = 'Password requirements not fulfilled.';

export interface PasswordRule {
  text: string;
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
  const rules: [on: boolean, text: string, met: boolean][] = [
    [requiredLength > 0, `At least ${requiredLength} characters`, lengthOf(password) >= requiredLength],
    [requireLowercase, '1 lowercase letter', /\p{Ll}/u.test(password)],
    [requireUppercase, '1 uppercase letter', /\p{Lu}/u.test(password)],
    [requireDigit, '1 number', /\p{Nd}/u.test(password)],
    [requireNonAlphanumeric, '1 symbol', /[^\p{L}\p{N}]/u.test(password)],
  ];
  return rules.filter(([on]) => on).map(([, text, met]) => ({ text, met }));
}

export function fulfilsPasswordRules(password: string, settings: PasswordSettings): boolean {
  // NUL ends a text for many programs.
  return password !== '' && !password.includes('\0') && passwordRules(password, settings).every((rule) => rule.met);
}
