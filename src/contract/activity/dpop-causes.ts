import type { Cause } from './cause.js';

const refused = { stage: 'token', severity: 'refused', title: 'Token request refused' } as const;

/** DPoP proofs at the token endpoint (RFC 9449 §5). */
export const dpopCauses = {
  'dpop-missing': {
    ...refused,
    text: 'The client must send a DPoP proof; the request has none. {{found}}',
    decidedBy: 'The DPoP proof is missing',
    developer: 'Your request needs a DPoP header (RFC 9449), and has none. {{found}}',
    change: { text: 'Have the app send a proof, or switch off that the client requires it.', field: 'requireDpop' },
  },
  'dpop-of-profile': {
    ...refused,
    text: 'The request has no DPoP proof. The security profile of the client demands one.',
    decidedBy: 'The DPoP proof is missing',
    developer: 'Your client follows FAPI 2.0, and needs a DPoP header (RFC 9449).',
    change: { text: 'Have the app send a proof with each token request and each request for data.' },
  },
  'dpop-of-bound': {
    ...refused,
    text: 'What the app presents is bound to a DPoP key, and the request has no proof by it.',
    decidedBy: 'The DPoP proof is missing',
    developer: 'Your request needs a DPoP proof (RFC 9449) by the key with which the launch began, and has none.',
    change: { text: 'Have the app send a proof by the same key with each request of the launch.' },
  },
  'dpop-type': {
    ...refused,
    text: 'The DPoP proof is not valid: {{reason}}.',
    decidedBy: 'The DPoP proof has another type',
    developer: 'Your DPoP proof is not valid: {{reason}} (RFC 9449 §4.2).',
    change: { text: 'Have the app set the header typ of its proofs to dpop+jwt.' },
  },
  'dpop-unit': {
    ...refused,
    text: 'The DPoP proof is not valid: {{reason}}.',
    decidedBy: 'A time of the DPoP proof is in the wrong unit or form',
    developer: 'Your DPoP proof is not valid: {{reason}}. Send seconds since 1970, as a number.',
    change: { text: 'Have the app send the times of its proofs in seconds since 1970, as numbers.' },
  },
  'dpop-time': {
    ...refused,
    text: 'The DPoP proof is {{seconds}} s {{direction}}; at most {{allowed}} s are accepted.',
    decidedBy: 'The DPoP proof was not created now',
    developer: 'The iat of your DPoP proof is {{seconds}} s {{direction}}; at most {{allowed}} s are accepted.',
    change: {
      text: 'Have the app create a proof for each request. If it does, the clock of its device is {{seconds}} s off.',
    },
  },
  'dpop-target': {
    ...refused,
    text: 'The {{claim}} of the DPoP proof is {{sent}} instead of {{expected}}. The difference: {{difference}}.',
    decidedBy: 'The DPoP proof is for another request',
    developer: 'The {{claim}} of your DPoP proof is {{sent}} instead of {{expected}}. The difference: {{difference}}.',
    change: { text: 'Have the app create the proof for {{expected}}.' },
  },
  'dpop-unreadable': {
    ...refused,
    text: 'The DPoP proof is not valid: {{reason}}.',
    decidedBy: 'The DPoP proof is not valid',
    developer: 'Your DPoP proof is not valid: {{reason}} (RFC 9449 §4.3).',
    change: { text: 'Have the app correct its proof (RFC 9449 §4.2): {{reason}}.' },
  },
  'dpop-replayed': {
    ...refused,
    text: 'The jti of the DPoP proof was used before.',
    decidedBy: 'The DPoP proof was used before',
    developer: 'The jti of your DPoP proof was used before. Create a proof for each request.',
    change: { text: 'Have the app create a proof with a new jti for each request.' },
  },
  'dpop-key': {
    ...refused,
    text: 'The DPoP proof is signed with another key than the {{what}} is bound to.',
    decidedBy: 'The DPoP proof is signed with another key',
    developer: 'The {{what}} is bound to another key than that of your DPoP proof.',
    change: { text: 'Have the app keep its key from the first request on.' },
  },
  // A step of the protocol: it does not change the outcome of the launch.
  'proof-nonce': {
    ...refused,
    severity: 'notice',
    title: 'The app was given a nonce for its DPoP proof',
    text: 'The DPoP proof had no nonce of this portal, or an old one. The answer gave a new one, with which the app repeats the request.',
    decidedBy: 'The DPoP proof needs a nonce',
    developer:
      'Your DPoP proof needs the nonce of the header DPoP-Nonce of the answer. Repeat the request with a new proof, and a new assertion, that has it (RFC 9449 §8).',
    change: {
      text: 'Have the app repeat a request that is refused with use_dpop_nonce, with the nonce of the answer.',
    },
  },
} as const satisfies Record<string, Cause>;
