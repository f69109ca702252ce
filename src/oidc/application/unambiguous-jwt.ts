import { parse } from 'lossless-json';

/**
 * True if neither header nor claims have a duplicate member with different values: parsers differ in the one they use.
 */
export function isUnambiguous(jwt: string): boolean {
  try {
    for (const part of jwt.split('.', 2)) parse(Buffer.from(part, 'base64url').toString('utf8'));
    return true;
  } catch {
    return false;
  }
}
