import { type Forgery, flag } from './passkey-device.js';

/** Answers to a registration that are wrong in one thing (WebAuthn Level 3 §7.1). */
export const forgedRegistrations: [string, Forgery][] = [
  ['another origin', { origin: 'https://evil.example' }],
  ['another relying party', { rpId: 'evil.example' }],
  ['the type of a sign-in', { type: 'webauthn.get' }],
  ['no verification of the user', { flags: flag.userPresent }],
  ['no presence of the user', { flags: flag.userVerified }],
  ['an algorithm that was not asked for', { algorithm: -35 }],
  ['a challenge of its own', { challenge: Buffer.from('own').toString('base64url') }],
  ['a credential id that is too long', { id: Buffer.alloc(1024, 1).toString('base64url') }],
];

/** Answers to a sign-in, or another proof, that are wrong in one thing (WebAuthn Level 3 §7.2). */
export const forgedAnswers: [string, Forgery][] = [
  ['another origin', { origin: 'https://evil.example' }],
  ['another relying party', { rpId: 'evil.example' }],
  ['the type of a registration', { type: 'webauthn.create' }],
  ['no verification of the user', { flags: flag.userPresent }],
  ['no presence of the user', { flags: flag.userVerified }],
  ['a challenge of its own', { challenge: Buffer.from('own').toString('base64url') }],
  ['a signature of nothing', { signature: Buffer.alloc(70, 1) }],
  ['an unknown credential', { id: Buffer.alloc(32, 9).toString('base64url') }],
  ['a credential id that is too long', { id: Buffer.alloc(1024, 1).toString('base64url') }],
];

/** Bodies that are no answer of a registration. */
export const malformedRegistrations: [string, unknown][] = [
  ['no object', 'text'],
  ['empty', {}],
  ['without a response', { id: 'AAAA', rawId: 'AAAA', type: 'public-key' }],
  ['of other types', { id: 'AAAA', rawId: 'AAAA', type: 'public-key', response: { attestationObject: 1 } }],
  [
    'no CBOR',
    { id: 'AAAA', rawId: 'AAAA', type: 'public-key', response: { attestationObject: 'AAAA', clientDataJSON: 'AAAA' } },
  ],
];
