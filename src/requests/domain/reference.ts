import { randomInt } from 'node:crypto';
import { referenceAlphabet } from '../../contract/activity/reference.js';

/** A new reference, such as `P-3T8W-6K`, by which a user and an administrator talk about a request. */
export function newReference(): string {
  const letters = Array.from({ length: 6 }, () => referenceAlphabet.charAt(randomInt(referenceAlphabet.length)));
  return `P-${letters.slice(0, 4).join('')}-${letters.slice(4).join('')}`;
}
