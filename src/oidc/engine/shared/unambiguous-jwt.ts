import { duplicateMember } from '../../../platform/duplicate-member.js';
import { isNestedTooDeeply } from '../../../platform/nesting.js';

/** True if neither header nor claims have a duplicate member: parsers differ in the one they use. */
export function isUnambiguous(jwt: string): boolean {
  return jwt.split('.', 2).every((part) => {
    const text = Buffer.from(part, 'base64url').toString('utf8');
    try {
      return !isNestedTooDeeply(JSON.parse(text)) && duplicateMember(text) === undefined;
    } catch {
      return false;
    }
  });
}
