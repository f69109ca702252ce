import { type Message, message } from '../../messages/message.js';
export const emailRequired = message('email-required');
export const emailInvalid = message('email-invalid');

/** `RFC 5321 §4.5.3.1.3`: a path has 256 octets with its brackets. */
export const maxEmailLength = 254;

/** The message for an address: text, an @ and a dot with text around them (`spec §5`). */
export function emailProblem(text: string): Message | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return emailRequired;
  return isAddress(trimmed) && hasOneSpelling(trimmed) ? undefined : emailInvalid;
}

/** True if no other spelling is the same address to a mail server or a reader (Unicode NFKC, UAX #15). */
function hasOneSpelling(text: string): boolean {
  return text === text.normalize('NFKC');
}

/** True if the text has the form of an address. */
export function isAddress(text: string): boolean {
  const at = text.indexOf('@');
  const domain = text.slice(at + 1);
  return (
    text.length <= maxEmailLength &&
    !/[\s\p{C}<>",;]/u.test(text) &&
    at > 0 &&
    !domain.includes('@') &&
    domain.includes('.') &&
    domain.split('.').every((label) => label !== '')
  );
}
