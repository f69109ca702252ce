import { duplicateMember, isNestedTooDeeply } from '../../../platform/values/json.js';

/** True if neither header nor claims have a duplicate member: parsers differ in the one they use. */
export function isUnambiguous(jwt: string): boolean {
  return jwt.split('.', 2).every((part) => {
    const text = Buffer.from(part, 'base64url').toString('utf8');
    try {
      const value: unknown = JSON.parse(text);
      return hasOnlyItsMembers(text, value) || (!isNestedTooDeeply(value) && duplicateMember(text) === undefined);
    } catch {
      return false;
    }
  });
}

/**
 * True if the text has no quotes but those of the members that were read from it: a second member of a name would have
 * more. Says nothing about objects in objects and texts with escapes, which other code reads member by member.
 */
function hasOnlyItsMembers(text: string, value: unknown): boolean {
  if (typeof value !== 'object' || value === null || text.includes('\\')) return false;
  let quotes = 0;
  for (const member of Object.values(value)) {
    if (typeof member === 'object' && member !== null) return false;
    quotes += typeof member === 'string' ? 4 : 2;
  }
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) quotes -= 1;
  return quotes === 0;
}
