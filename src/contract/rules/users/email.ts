import { type Message, message } from '../../messages/message.js';
export const emailRequired = message('email-required');
export const emailInvalid = message('email-invalid');

/** `RFC 5321 §4.5.3.1.3`: a path has 256 octets with its brackets. */
export const maxEmailLength = 254;

/** `RFC 5321 §4.1.2` (Dot-string), `RFC 6531 §3.3`: the part before the @. */
const localPart = /^[\w!#$%&'*+/=?^`{|}~\u0080-\u{10ffff}-]+(\.[\w!#$%&'*+/=?^`{|}~\u0080-\u{10ffff}-]+)*$/u;
const domainCharacters = /^[\p{L}\p{M}\p{N}._-]+$/u;

/**
 * The message for an address: text, an @ and a dot with text around them (`spec §5`), to which a mail server delivers.
 */
export function emailProblem(text: string): Message | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return emailRequired;
  return isAddress(trimmed) && hasOneSpelling(trimmed) && isDeliverable(trimmed) ? undefined : emailInvalid;
}

/** True if no other spelling is the same address to a mail server or a reader (Unicode NFKC, UAX #15). */
function hasOneSpelling(text: string): boolean {
  return text === text.normalize('NFKC');
}

function isDeliverable(text: string): boolean {
  const [local = '', domain = ''] = text.split('@');
  return localPart.test(local) && domainCharacters.test(domain) && asciiDomain(domain) !== undefined;
}

/**
 * The address for comparisons: in small letters, and with the domain in ASCII, which is one form for all spellings of
 * an internationalized domain (`UTS 46`, `RFC 5891 §4.4`).
 */
export function addressKey(text: string): string {
  const address = text.trim().toLowerCase();
  const at = address.lastIndexOf('@');
  const domain = address.slice(at + 1);
  return at < 0 || !domainCharacters.test(domain)
    ? address
    : address.slice(0, at + 1) + (asciiDomain(domain) ?? domain);
}

/** Undefined for a domain that no DNS has. One in ASCII stays as it is: `URL` takes `1.2` for 1.0.0.2. */
function asciiDomain(domain: string): string | undefined {
  if (!/[\u0080-\u{10ffff}]|(^|\.)[xX][nN]--/u.test(domain)) return domain;
  try {
    return new URL(`http://${domain}`).hostname;
  } catch {
    return undefined;
  }
}

/** True if the text has the form of an address, as an account of an earlier release may have it. */
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
