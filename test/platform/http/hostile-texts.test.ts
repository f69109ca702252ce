/** Texts of clients and administrators are read in proportion to their size. */

import { parsePublicJwk } from '../../../src/contract/rules/clients/jwk.js';
import { readAnnouncement } from '../../../src/launch-context/domain/announcement.js';
import { isUnambiguous } from '../../../src/oidc/engine/shared/unambiguous-jwt.js';

const filled = (piece: string, size: number) => piece.repeat(Math.ceil(size / piece.length));
const texts: Record<string, (size: number) => string> = {
  'empty lines': (size) => filled('\n', size),
  letters: (size) => filled('a', size),
  'lists in lists': (size) => '['.repeat(size / 2) + ']'.repeat(size / 2),
  'objects in objects': (size) => `${filled('{"a":', size)}1${'}'.repeat(Math.ceil(size / 5))}`,
  'equal members': (size) => `{${filled('"kid":"a",', size)}"kid":"a"}`,
  'different members': (size) => `{${Array.from({ length: size / 10 }, (_, index) => `"a${index}":1`).join(',')}}`,
  'a long name of a key': (size) => JSON.stringify({ kty: 'RSA', kid: filled('a ', size), n: 'A', e: 'AQAB' }),
  'a long key': (size) => JSON.stringify({ kty: 'RSA', kid: 'a', n: `${filled('A', size)}!`, e: 'AQAB' }),
  'many items': (size) => `[${filled('{"reference":"A/1"},', size)}{}]`,
  'a long canonical': (size) => JSON.stringify([{ canonical: `https://${filled('a.', size)} ` }]),
};
const readers: Record<string, (text: string) => unknown> = {
  'a public key': parsePublicJwk,
  'a header of a JWT': (text) => isUnambiguous(`${Buffer.from(text).toString('base64url')}.e30.`),
  'the context of a launch': (text) => readAnnouncement({ fhirContext: text }, () => ({ own: [], others: [] })),
};

/** Milliseconds of this process; a refusal is an answer, too. */
function timeOf(read: (text: string) => unknown, text: string): number {
  const begun = process.cpuUsage();
  try {
    read(text);
  } catch (error) {
    expect(error).toMatchObject({ kind: 'invalid' });
  }
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / 1_000;
}

describe.each(Object.entries(texts))('A text of %s', (_, textOf) => {
  it.each(Object.entries(readers))('is read as %s in proportion to its size', (_name, read) => {
    const [small, large] = [textOf(64_000), textOf(4 * 64_000)];
    timeOf(read, small);
    expect(timeOf(read, large)).toBeLessThan(8 * timeOf(read, small) + 150);
  });
});
