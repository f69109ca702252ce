import { createHash } from 'node:crypto';

function hashOf(text: string, encoding: 'hex' | 'base64url'): string {
  return createHash('sha256').update(text).digest(encoding);
}

/** What apps send as the challenge of a verifier in place of the base64url of its SHA-256, and the words about it. */
export const challengeFaults: [name: string, challenge: (verifier: string) => string, words: RegExp][] = [
  ['the verifier itself', (verifier: string) => verifier, /same text/],
  ['its hash in hexadecimal', (verifier: string) => hashOf(verifier, 'hex'), /in hexadecimal digits/],
  [
    'the base64url of its hash in hexadecimal',
    (verifier: string) => Buffer.from(hashOf(verifier, 'hex')).toString('base64url'),
    /of the hexadecimal digits/,
  ],
  ['its hash, hashed again', (verifier: string) => hashOf(hashOf(verifier, 'base64url'), 'base64url'), /hashed twice/],
  ['its base64url', (verifier: string) => Buffer.from(verifier).toString('base64url'), /without SHA-256/],
  ['another', () => hashOf('other', 'base64url'), /No usual fault/],
];
