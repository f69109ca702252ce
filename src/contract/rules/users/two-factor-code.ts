import { message } from '../../messages/message.js';
export const codeEmpty = message('code-empty');

/** The digits of an authentication code; users copy it with the blank that their app shows in the middle. */
export function normaliseAuthenticationCode(text: string): string | undefined {
  const digits = text.replace(/\s/g, '');
  return /^[0-9]{6}$/.test(digits) ? digits : undefined;
}

/** Crockford's base 32: no letter looks like a digit, and a code with the one typed for the other is accepted. */
export const recoveryAlphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
export const recoveryCodeLength = 12;

/** A recovery code as it is compared: without the hyphen, in capitals. */
export function normaliseRecoveryCode(text: string): string | undefined {
  const code = text.toUpperCase().replace(/[\s-]/g, '').replace(/[IL]/g, '1').replace(/O/g, '0');
  return code.length === recoveryCodeLength && [...code].every((sign) => recoveryAlphabet.includes(sign))
    ? code
    : undefined;
}

/** The code as it is displayed: two groups of six (`spec §9`). */
export function formatRecoveryCode(code: string): string {
  return `${code.slice(0, 6)}-${code.slice(6)}`;
}
