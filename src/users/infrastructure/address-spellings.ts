import { domainToUnicode } from 'node:url';
import { addressKey } from '../../contract/rules/users/email.js';

/**
 * The forms in which an account may have this address, in small letters, the typed one first: an internationalized
 * domain is stored as it was typed, in letters or in ASCII (`UTS 46`).
 */
export function addressSpellings(email: string): string[] {
  const key = addressKey(email);
  const at = key.lastIndexOf('@') + 1;
  const readable = key.slice(0, at) + domainToUnicode(key.slice(at));
  return [...new Set([email.toLowerCase(), key, ...(at > 0 && !readable.endsWith('@') ? [readable] : [])])];
}

/** The condition, in SQL, that the column has one of these spellings, by the index of addresses. */
export const hasSpelling = (column: string, spellings: string) =>
  `lower(${column}) = ANY (ARRAY(SELECT lower(one) FROM unnest(${spellings}) AS one))`;
