import { isLong } from '../runs.js';
import { type Forgery, flag } from './passkey-device.js';

/** The sentences of refusals. */
const notAccepted = 'This passkey was not accepted. Please try again, or use your password.';
export const challengeOver = 'This took too long, or it was begun in another browser. Please try again.';
export const unknownPasskey =
  'This portal does not know this passkey; it may have been removed. Please use another one, or your password.';

const encoded = (text: string) => Buffer.from(text).toString('base64url');
const longId = Buffer.alloc(1024, 1).toString('base64url');
const certificate = new Uint8Array(Buffer.from('3000', 'hex'));

/** What any answer can have that is wrong (WebAuthn Level 3 §7.1 and §7.2), with the sentence of the refusal. */
const forgedInAny: [string, Forgery, string][] = [
  ['another origin', { origin: 'https://evil.example' }, notAccepted],
  ['the origin of another port', { origin: 'http://localhost:1' }, notAccepted],
  ['an origin with a path', { origin: 'http://localhost/' }, notAccepted],
  ['no origin', { origin: 'null' }, notAccepted],
  ['another relying party', { rpId: 'evil.example' }, notAccepted],
  ['a page within one of another origin', { clientData: { crossOrigin: true } }, notAccepted],
  ['a page within a named one', { clientData: { crossOrigin: true, topOrigin: 'https://evil.example' } }, notAccepted],
  ['a page around it that cannot be', { clientData: { topOrigin: 'https://evil.example' } }, notAccepted],
  ['an unknown token binding', { clientData: { tokenBinding: { status: 'bound' } } }, notAccepted],
  ['a token binding that is a text', { clientData: { tokenBinding: 'present' } }, notAccepted],
  ['a challenge of its own', { challenge: encoded('own') }, challengeOver],
  ['a challenge of three parts', { challenge: encoded('a.9999999999.b') }, challengeOver],
  ['an empty challenge', { challenge: '' }, challengeOver],
  ['a challenge that is a number', { clientData: { challenge: 5 } }, notAccepted],
  ['the type of something else', { type: 'payment.get' }, notAccepted],
  ['no verification of the user', { flags: flag.userPresent }, notAccepted],
  ['no presence of the user', { flags: flag.userVerified }, notAccepted],
  ['a copy of a key that cannot have one', { flags: 1 | 4 | flag.backedUp }, notAccepted],
  ['the flag of extensions without any', { flags: 1 | 4 | flag.extended }, notAccepted],
  ['bytes after the data of the authenticator', { trailing: Buffer.from([0]) }, notAccepted],
  ['client data that is no JSON', { response: { clientDataJSON: encoded('{') } }, notAccepted],
  ['client data that is null', { response: { clientDataJSON: encoded('null') } }, notAccepted],
  ['client data that is a number', { response: { clientDataJSON: 5 } }, notAccepted],
  ['another raw id', { message: { rawId: 'AAAA' } }, notAccepted],
  ['another type of credential', { message: { type: 'password' } }, notAccepted],
  ['a credential id that is too long', { id: longId }, notAccepted],
  ['an empty credential id', { id: '' }, notAccepted],
  ['a credential id that is not base64url', { id: 'a+b/' }, notAccepted],
];

/** Answers to a registration that are wrong in one thing (WebAuthn Level 3 §7.1). */
export const forgedRegistrations: [string, Forgery, string][] = [
  ...forgedInAny,
  ['the type of a sign-in', { type: 'webauthn.get' }, notAccepted],
  ['an algorithm that was not asked for', { algorithm: -35 }, notAccepted],
  ['a weak algorithm', { algorithm: -65535 }, notAccepted],
  ['no algorithm', { algorithm: null }, notAccepted],
  ['another credential id inside', { attestedId: encoded('x'.repeat(32)) }, notAccepted],
  ['a credential id inside that is too long', { attestedId: longId }, notAccepted],
  ['an empty credential id inside', { attestedId: '' }, notAccepted],
  ['an attestation that is no CBOR', { response: { attestationObject: 'AAAA' } }, notAccepted],
  ['an attestation that is a number', { response: { attestationObject: 5 } }, notAccepted],
  ['a statement where there is none', { attestation: ['none', new Map([['alg', -7]])] }, notAccepted],
  ['a statement that is a list', { attestation: ['packed', [] as never] }, notAccepted],
  ['an unknown attestation', { attestation: ['own', new Map()] }, notAccepted],
  [
    'a wrong statement about itself',
    {
      attestation: [
        'packed',
        new Map<string, unknown>([
          ['alg', -7],
          ['sig', new Uint8Array(70)],
        ]),
      ],
    },
    notAccepted,
  ],
  // Their certificates would be read, and their issuers asked over the network.
  ...['packed', 'fido-u2f', 'tpm', 'apple', 'android-key', 'android-safetynet'].map(
    (format): [string, Forgery, string] => [
      `the attestation ${format} of a maker`,
      { attestation: [format, new Map([['x5c', [certificate]]])] },
      notAccepted,
    ],
  ),
];

/** Answers to a sign-in, or another proof, that are wrong in one thing (WebAuthn Level 3 §7.2). */
export const forgedAnswers: [string, Forgery, string][] = [
  ...forgedInAny,
  ['the type of a registration', { type: 'webauthn.create' }, notAccepted],
  ['a key that has become one of several devices', { flags: 1 | 4 | flag.backupEligible }, notAccepted],
  ['a signature of nothing', { signature: Buffer.alloc(70, 1) }, notAccepted],
  ['no signature', { signature: Buffer.alloc(0) }, notAccepted],
  ['a signature that is a number', { response: { signature: 5 } }, notAccepted],
  ['data of the authenticator that is too short', { response: { authenticatorData: 'AAAA' } }, notAccepted],
  ['data of the authenticator that is not base64url', { response: { authenticatorData: '!' } }, notAccepted],
  ['an unknown credential', { id: Buffer.alloc(32, 9).toString('base64url') }, unknownPasskey],
  ['another user', { userHandle: encoded('00000000-0000-4000-8000-000000000000') }, unknownPasskey],
];

/**
 * Every third one for the proof with this number, all of them in the long run: all proofs are verified by the same
 * function. A sign-in is tried with all of them.
 */
export const someForgedAnswers = (number: number) =>
  forgedAnswers.filter((_, index) => isLong || index % 3 === number % 3);

const named = { id: 'AAAA', rawId: 'AAAA', type: 'public-key' };

/** Bodies that are no answer of an authenticator. */
const malformed: [string, unknown][] = [
  ['no object', 'text'],
  ['null', null],
  ['a list', [named]],
  ['empty', {}],
  ['without a response', named],
  ['with a response that is null', { ...named, response: null }],
  ['with an id that is a number', { ...named, id: 1, response: {} }],
  ['not base64url', { id: '!!!!', rawId: '!!!!', type: 'public-key', response: {} }],
];
export const malformedRegistrations: [string, unknown][] = [
  ...malformed,
  ['of other types', { ...named, response: { attestationObject: 1, clientDataJSON: {} } }],
  ['no CBOR', { ...named, response: { attestationObject: 'AAAA', clientDataJSON: 'AAAA' } }],
];
export const malformedAnswers: [string, unknown][] = [
  ...malformed,
  ['of other types', { ...named, rawId: [], response: { clientDataJSON: {}, authenticatorData: 5 } }],
];
