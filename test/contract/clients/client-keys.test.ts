import type { ClientSecretForm } from '../../../src/contract/clients/clients.js';
import { defaultClientForm } from '../../../src/contract/rules/clients/client-fields.js';
import {
  clientSecretProblems,
  secretEndProblems,
  statesOfSecret,
  withKeysOfSets,
} from '../../../src/contract/rules/clients/client-secrets.js';
import { keysOfSet, parsePublicJwk } from '../../../src/contract/rules/clients/jwk.js';
import { asAnswered, textOf } from '../../support/messages.js';

const ec = { kty: 'EC', kid: 'one', crv: 'P-256', x: 'x'.repeat(43), y: 'y'.repeat(43) };
const rsa = { kty: 'RSA', kid: 'one', n: 'n'.repeat(342), e: 'AQAB' };
const okp = { kty: 'OKP', kid: 'one', crv: 'Ed25519', x: 'x'.repeat(43) };
const wrong = 'Please enter a valid value';
const required = 'Field is required';
const types = 'The key must be of type RSA (at least 2048 bits), EC (P-256, P-384 or P-521) or OKP (Ed25519)';

function parsed(key: unknown) {
  const result = parsePublicJwk(typeof key === 'string' ? key : JSON.stringify(key));
  return 'jwk' in result ? result.jwk : textOf(result.problem);
}

describe('a public key', () => {
  it.each<[string, object]>([
    ['P-256', { ...ec, alg: 'ES256' }],
    ['P-384', { ...ec, crv: 'P-384', x: 'x'.repeat(64), y: 'y'.repeat(64), alg: 'ES384' }],
    ['P-521', { ...ec, crv: 'P-521', x: 'x'.repeat(88), y: 'y'.repeat(88), alg: 'ES512' }],
    ['EC without an algorithm', ec],
    ['the shortest RSA', rsa],
    ['the longest RSA', { ...rsa, n: 'n'.repeat(2731), e: 'A'.repeat(8) }],
    ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'].map((alg): [string, object] => [
      `RSA for ${alg}`,
      { ...rsa, alg },
    ]),
    ['Ed25519', { ...okp, alg: 'EdDSA' }],
    ['Ed25519 by its newer name', { ...okp, alg: 'Ed25519' }],
    ['Ed25519 without an algorithm', okp],
    ['a kid of 200 characters', { ...ec, kid: 'k'.repeat(200) }],
    ['all characters of base64url', { ...ec, x: `Az09-_${'x'.repeat(37)}` }],
  ])('is accepted: %s', (_, key) => {
    expect(parsed(key)).toEqual(key);
  });

  it('is kept without the members that add nothing to a signature check', () => {
    expect(parsed({ ...ec, use: 'sig', key_ops: ['verify'], x5c: ['abc'], alg: 7 })).toEqual(ec);
  });

  it.each([
    ['an empty text', '', required],
    ['spaces', ' \n', required],
    ['no JSON', '{', wrong],
    ['a list', [ec], wrong],
    ['null', 'null', wrong],
    ['a number', '7', wrong],
    ['no kid', { ...ec, kid: undefined }, 'The key needs a "kid" that names it'],
    ['an empty kid', { ...ec, kid: '' }, 'The key needs a "kid" that names it'],
    ['a kid that is a number', { ...ec, kid: 1 }, 'The key needs a "kid" that names it'],
    ['a kid of 201 characters', { ...ec, kid: 'k'.repeat(201) }, wrong],
    ['a key for encryption', { ...ec, use: 'enc' }, wrong],
    ['an algorithm of another curve', { ...ec, alg: 'ES384' }, wrong],
    ['an algorithm of another type', { ...rsa, alg: 'ES256' }, wrong],
    ['an x of another length', { ...okp, x: 'x' }, types],
    ['an x of Ed25519 that is not a text', { ...okp, x: 7 }, types],
    ['a curve that only agrees on keys', { ...okp, crv: 'X25519' }, types],
    ['an algorithm of another curve for Ed25519', { ...okp, alg: 'ES256' }, wrong],
    ['Ed25519 as another type', { ...okp, kty: 'EC' }, types],
    ['a symmetric type without its key', { kty: 'oct', kid: 'one' }, types],
    ['another curve', { ...ec, crv: 'secp256k1' }, types],
    ['no curve', { ...ec, crv: undefined }, types],
    ['a curve from the prototype', { ...ec, crv: 'constructor' }, types],
    ['a curve in a list', { ...ec, crv: ['P-256'] }, types],
    ['a short x', { ...ec, x: 'x'.repeat(42) }, types],
    ['a long y', { ...ec, y: 'y'.repeat(44) }, types],
    ['an x that is not a text', { ...ec, x: 7 }, types],
    ['no y', { ...ec, y: undefined }, types],
    ['another type with the members of EC', { ...ec, kty: 'OKP' }, types],
    ['another alphabet at the start', { ...ec, x: `+${'x'.repeat(42)}` }, types],
    ['another alphabet at the end', { ...ec, y: `${'y'.repeat(42)}/` }, types],
    ['a modulus of 2040 bits', { ...rsa, n: 'n'.repeat(341) }, types],
    ['a modulus that is too long', { ...rsa, n: 'n'.repeat(2732) }, types],
    ['an exponent that is too long', { ...rsa, e: 'A'.repeat(9) }, types],
    ['no modulus', { ...rsa, n: undefined }, types],
    ['no exponent', { ...rsa, e: undefined }, types],
    ['EC with the members of RSA', { ...rsa, kty: 'EC' }, types],
  ])('is refused: %s', (_, key, message) => {
    expect(parsed(key)).toBe(message);
  });

  it.each(['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'])('is refused with the private member %s', (name) => {
    expect(parsed({ ...rsa, [name]: 'x' })).toBe('Please enter the public key only: this one holds private parts');
  });
});

describe('a JWK Set that is given as a key', () => {
  const secretOf = (secret: unknown, more: Partial<ClientSecretForm> = {}): ClientSecretForm => ({
    secretType: 'JWK',
    secret: typeof secret === 'string' ? secret : JSON.stringify(secret),
    secretUrl: null,
    ...more,
  });
  const shared: ClientSecretForm = { secretType: 'SharedSecret', secret: JSON.stringify({ keys: [ec] }) };

  it('becomes one secret for each of its keys, the first in its place', () => {
    const before = { id: 'stored', description: 'ward', expires: '2030-01-01T00:00:00Z' };
    expect(withKeysOfSets([shared, secretOf({ keys: [ec, rsa] }, before), secretOf(okp)])).toEqual([
      shared,
      secretOf(ec, before),
      secretOf(rsa, { ...before, id: null }),
      secretOf(okp),
    ]);
  });

  it('has no keys for encryption', () => {
    expect(keysOfSet(JSON.stringify({ keys: [{ ...rsa, use: 'enc' }, ec, null, 'text'] }))).toEqual([
      JSON.stringify(ec),
    ]);
  });

  it.each([
    ['an empty set', { keys: [] }],
    ['a set with keys for encryption only', { keys: [{ ...rsa, use: 'enc' }] }],
    ['a set of other things', { keys: [null, 7] }],
  ])('stays as it is, and is refused as one: %s', (_, set) => {
    expect(withKeysOfSets([secretOf(set)])).toEqual([secretOf(set)]);
    expect(parsed(set)).toBe('This key set has no key for signatures');
  });

  it.each([
    ['one key', ec],
    ['keys that are no list', { ...ec, keys: 'x' }],
    ['no JSON', '{'],
    ['a list', [ec]],
  ])('is not read into %s', (_, key) => {
    expect(withKeysOfSets([secretOf(key)])).toEqual([secretOf(key)]);
  });

  it('is refused with a private key in it', () => {
    const [, second] = withKeysOfSets([secretOf({ keys: [ec, { ...rsa, d: 'x' }] })]);
    expect(parsed(second?.secret)).toBe('Please enter the public key only: this one holds private parts');
  });

  it('may have more keys than a client has secrets, which is refused', () => {
    const keys = (count: number) => Array.from({ length: count }, (_, index) => ({ ...ec, kid: `key-${index}` }));
    const problems = (count: number) =>
      clientSecretProblems(
        { ...defaultClientForm(), clientSecrets: withKeysOfSets([secretOf({ keys: keys(count) })]) },
        'create',
      ).map(({ field, messages }) => [field, messages.map(textOf)]);
    expect(problems(50)).toEqual([]);
    expect(problems(51)).toEqual([['clientSecrets', ['Please enter at most 50 values']]]);
  });

  it('may give an RSA and an EC key one kid, but not two EC keys', () => {
    const problems = (...keys: object[]) =>
      clientSecretProblems(
        { ...defaultClientForm(), clientSecrets: withKeysOfSets([secretOf({ keys })]) },
        'create',
      ).map(({ field }) => field);
    expect(problems(ec, rsa, okp)).toEqual([]);
    expect(problems(ec, rsa, { ...ec, x: 'a'.repeat(43) })).toEqual(['clientSecrets.2.secret']);
  });
});

describe('the states of a secret', () => {
  const now = new Date('2026-03-01T10:00:00Z');
  const inDays = (days: number, milliseconds = 0) =>
    new Date(now.getTime() + days * 86_400_000 + milliseconds).toISOString();

  it.each([
    ['an end that has come', inDays(0), now.toISOString(), ['expired']],
    ['an end in the past', inDays(-1), now.toISOString(), ['expired']],
    ['an end in a moment', inDays(0, 1), now.toISOString(), ['expiring']],
    ['an end in a day', inDays(1), now.toISOString(), ['expiring']],
    ['an end in 30 days', inDays(30), now.toISOString(), ['expiring']],
    ['an end in more than 30 days', inDays(30, 1), now.toISOString(), []],
    ['an end in 31 days', inDays(31), now.toISOString(), []],
    ['no end', null, now.toISOString(), []],
    ['no end and no use', null, null, ['unused']],
    ['an end in the past and no use', inDays(-1), null, ['expired', 'unused']],
  ])('with %s', (_, expires, lastUsed, states) => {
    expect(statesOfSecret({ expires, lastUsed }, now)).toEqual(states);
  });

  const problems = (expires: string | null, id?: string) =>
    asAnswered(
      secretEndProblems(
        [{ secretType: 'SharedSecret' }, { secretType: 'SharedSecret', expires, ...(id && { id }) }],
        [
          { id: 'other', secretType: 'JWK', expires: inDays(-2) },
          { id: 'one', secretType: 'JWK', expires: inDays(-1) },
        ],
        now,
      ),
    );
  const past = [{ field: 'clientSecrets.1.expires', messages: ['The end must be in the future'] }];

  it.each([
    ['a new one in the past', inDays(-1), undefined, past],
    ['a new one now', inDays(0), undefined, past],
    ['a new one in the future', inDays(0, 1), undefined, []],
    ['none', null, undefined, []],
    ['none of a stored secret', null, 'one', []],
    ['the stored one', inDays(-1), 'one', []],
    ['the stored one in another form', '2026-02-28T12:00:00+02:00', 'one', []],
    ['another one in the past', inDays(-3), 'one', past],
    ['the one of another secret', inDays(-2), 'one', past],
    ['one of an unknown secret', inDays(-1), 'unknown', past],
    ['one that is no time', 'soon', 'one', []],
  ])('an end is chosen in the future: %s', (_, expires, id, expected) => {
    expect(problems(expires, id)).toEqual(expected);
  });
});

describe('the secrets in the form of a client', () => {
  const key = JSON.stringify(ec);
  const url = 'https://app.example/keys';
  const problems = (...clientSecrets: ClientSecretForm[]) =>
    asAnswered(clientSecretProblems({ ...defaultClientForm(), requireClientSecret: true, clientSecrets }, 'create'));
  const at = (index: number, field: string, message: string) => [
    { field: `clientSecrets.${index}.${field}`, messages: [message] },
  ];
  const shared = (secret: string | null, more: Partial<ClientSecretForm> = {}): ClientSecretForm => ({
    secretType: 'SharedSecret',
    secret,
    ...more,
  });
  const ascii = 'Please use only letters, digits and symbols of ASCII: apps cannot send any other';
  const spaces = 'A secret cannot begin or end with a space';

  it.each<[string, ClientSecretForm]>([
    ['a shared secret', shared('correct horse')],
    ['one of 4000 characters', shared('~'.repeat(4000))],
    ['a stored one without its value', shared(null, { id: 'one' })],
    ['a description of 100 characters', shared('x', { description: 'd'.repeat(100) })],
    ['an end', shared('x', { expires: '2026-03-01T10:00:00Z' })],
    ['a key', { secretType: 'JWK', secret: key }],
    ['the address of keys', { secretType: 'JWK', secretUrl: url }],
  ])('may be %s', (_, secret) => {
    expect(problems(secret)).toEqual([]);
  });

  it.each<[string, ClientSecretForm, string, string]>([
    ['no value', shared(null), 'secret', required],
    ['an empty value', shared(''), 'secret', required],
    ['spaces', shared('  '), 'secret', required],
    ['a space before it', shared(' x'), 'secret', spaces],
    ['a space behind it', shared('x '), 'secret', spaces],
    ['4001 characters', shared('x'.repeat(4001)), 'secret', 'Please enter at most 4000 characters'],
    ['a letter of no ASCII at its start', shared('äx'), 'secret', ascii],
    ['a letter of no ASCII at its end', shared('xä'), 'secret', ascii],
    [
      'a value for a stored secret',
      shared('x', { id: 'one' }),
      'secret',
      'A shared secret cannot be changed after saving',
    ],
    ['an address', shared('x', { secretUrl: url }), 'secretUrl', wrong],
    [
      'a long description',
      shared('x', { description: 'd'.repeat(101) }),
      'description',
      'Please enter at most 100 characters',
    ],
    ['an end that is no time', shared('x', { expires: 'soon' }), 'expires', wrong],
    ['a key and an address', { secretType: 'JWK', secret: key, secretUrl: url }, 'secretUrl', wrong],
    ['an address of another scheme', { secretType: 'JWK', secretUrl: 'ftp://app.example' }, 'secretUrl', wrong],
    ['no key', { secretType: 'JWK' }, 'secret', required],
    [
      'a key of 4001 characters',
      { secretType: 'JWK', secret: 'x'.repeat(4001) },
      'secret',
      'Please enter at most 4000 characters',
    ],
    ['a key of 4000 characters that is none', { secretType: 'JWK', secret: 'x'.repeat(4000) }, 'secret', wrong],
  ])('are refused with %s', (_, secret, field, message) => {
    expect(problems(shared('first'), secret)).toEqual(at(1, field, message));
  });

  it('differ in the kid of their keys and in their addresses', () => {
    const duplicate = 'Duplicate values are not allowed';
    const one = { secretType: 'JWK', secret: key } as const;
    const address = { secretType: 'JWK', secretUrl: url } as const;
    expect(problems(one, one)).toEqual(at(1, 'secret', duplicate));
    expect(problems(address, one, address)).toEqual(at(2, 'secretUrl', duplicate));
    expect(problems(shared('x'), shared('x'), one, address)).toEqual([]);
    expect(problems(one, { ...one, secret: JSON.stringify({ ...ec, kid: 'two' }) })).toEqual([]);
    expect(problems(address, { ...address, secretUrl: `${url}2` })).toEqual([]);
    expect(problems({ ...shared(key), secretType: 'SharedSecret' }, shared(key), one)).toEqual([]);
  });
});
