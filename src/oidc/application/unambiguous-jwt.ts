import { parse } from 'lossless-json';

/** Whether no member of header or claims stands twice with different values: parsers differ in which one they take. */
export function isUnambiguous(jwt: string): boolean {
  try {
    for (const part of jwt.split('.', 2)) parse(Buffer.from(part, 'base64url').toString('utf8'));
    return true;
  } catch {
    return false;
  }
}
