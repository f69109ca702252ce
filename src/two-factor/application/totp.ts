import speakeasy from 'speakeasy';
import { normaliseAuthenticationCode } from '../../contract/rules/users/two-factor-code.js';

/** RFC 6238 with what every authenticator app understands: SHA-1, six digits, 30 seconds. */
const stepSeconds = 30;
/** Steps before and after the present one whose code is good as well (RFC 6238 §5.2). */
const window = 1;
/** 160 bits, as RFC 4226 §4 recommends. */
export const keyBytes = 20;

/** The time step that a code belongs to; undefined when it is none of those that are good now. */
export function stepOf(code: string, base32Key: string, now: Date): number | undefined {
  const token = normaliseAuthenticationCode(code);
  if (token === undefined) return undefined;
  const time = Math.floor(now.getTime() / 1000);
  const match = speakeasy.totp.verifyDelta({ secret: base32Key, encoding: 'base32', token, time, window });
  return match ? Math.floor(time / stepSeconds) + match.delta : undefined;
}

/** The content of the QR code; the authenticator shows issuer and account. */
export function authenticatorUri(base32Key: string, issuer: string, account: string): string {
  // A colon would end the issuer's name too early.
  const name = issuer.replaceAll(':', ' ');
  const label = `${encodeURIComponent(name)}:${encodeURIComponent(account)}`;
  return speakeasy.otpauthURL({ secret: base32Key, encoding: 'base32', label, issuer: name });
}

/** RFC 4648 §6; the length of a key leaves no rest to pad. */
export function base32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{5}/g) ?? [])
    .map((five) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[Number.parseInt(five, 2)])
    .join('');
}
