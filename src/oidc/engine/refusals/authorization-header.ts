import { describedCharacter } from '../../../contract/rules/damage.js';

/**
 * The fault of an Authorization header that should have the id and the secret of a client (RFC 6749 §2.3.1), in a
 * clause without any part of the header; undefined if it can be read.
 */
export function basicFault(header: string): string | undefined {
  const [scheme = '', credentials = '', ...more] = header.split(' ');
  if (scheme.toLowerCase() !== 'basic') {
    const isScheme = /^(bearer|dpop|digest|negotiate|token)$/i.test(scheme);
    return isScheme ? `its scheme is ${scheme}, and not Basic` : 'it does not begin with Basic and a space';
  }
  if (credentials === '') return 'nothing follows Basic';
  if (more.length > 0) return 'it has more than one space';
  if (credentials.includes(':')) return 'the id and the secret follow Basic as they are, and not in base64';
  if (/[-_]/.test(credentials)) return 'it is in base64url (with - or _), and not in base64';
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(credentials)) return 'what follows Basic is not base64';
  const text = Buffer.from(credentials, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon === -1) return 'it has no colon between the id and the secret';
  const parts = [text.slice(0, colon), text.slice(colon + 1)];
  if (!parts.every(isDecodable)) return 'a % in the id or the secret is not encoded as %25';
  const decoded = parts.map((part) => decodeURIComponent(part));
  for (const [index, name] of ['id', 'secret'].entries()) {
    const [strange] = /[^ -~]/u.exec(decoded[index] ?? '') ?? [];
    if (strange !== undefined) return `the ${name} in it has ${describedCharacter(strange)}, which neither may have`;
  }
  return parts[1] === '' ? 'it has no secret after the colon' : undefined;
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
