import type { Cause } from './cause.js';

const refused = { stage: 'request', severity: 'refused', title: 'Signed request refused' } as const;

/** Request objects (RFC 9101). */
export const requestObjectCauses = {
  'object-required': {
    ...refused,
    text: 'The request is not signed, and this client must sign it.',
    decidedBy: 'The client must sign its requests',
    developer: 'Your client must send its authorization request as a signed request object (RFC 9101).',
    change: {
      text: 'Have the app sign its requests, or turn off Require signed requests.',
      field: 'requireSignedRequestObject',
    },
  },
  'object-unexpected': {
    ...refused,
    text: 'The request is signed, and this client is not registered for that.',
    decidedBy: 'The client is not registered for signed requests',
    developer: 'Your client is not registered for signed request objects. Send plain parameters.',
    change: {
      text: 'Turn on Require signed requests, or have the app send plain parameters.',
      field: 'requireSignedRequestObject',
    },
  },
  'object-unreadable': {
    ...refused,
    text: 'The request object is not a readable JWT: {{reason}}.',
    decidedBy: 'The signed request cannot be read',
    developer: 'Your request object is not a readable JWT: {{reason}}.',
    change: { text: 'Have the app send a compact JWS (RFC 9101 §4).' },
  },
  'object-type': {
    ...refused,
    text: 'The request object has the typ {{sent}}; it must be oauth-authz-req+jwt, JWT or left out.',
    decidedBy: 'The signed request has the wrong type',
    developer:
      'Your request object has the typ {{sent}}. It must be oauth-authz-req+jwt (RFC 9101 §10.8), JWT or left out.',
    change: { text: 'Have the app set the header typ to oauth-authz-req+jwt.' },
  },
  'object-algorithm': {
    ...refused,
    text: 'The request object is signed with {{sent}}. Accepted: {{accepted}}.',
    decidedBy: 'The signed request uses another algorithm',
    developer: 'Your request object is signed with {{sent}}. Accepted are {{accepted}}.',
    change: { text: 'Have the app sign with one of {{accepted}}.' },
  },
  'object-signature': {
    ...refused,
    text: 'No registered key verifies the signature. The header names the key {{kid}} and {{algorithm}}.',
    decidedBy: 'The signature does not fit a registered key',
    developer: 'No registered key verifies your request object. Its header names the key {{kid}} and {{algorithm}}.',
    change: { text: 'Register the key {{kid}} under Client secrets, or correct its key set.', field: 'clientSecrets' },
  },
  'object-client': {
    ...refused,
    text: 'The client_id or iss of the request object is not the client of the request.',
    decidedBy: 'The signed request is of another client',
    developer: 'The client_id and iss of your request object must be your client ID.',
    change: { text: 'Have the app set client_id and iss of the request object to its own client ID.' },
  },
  'object-audience': {
    ...refused,
    text: 'The aud of the request object is {{sent}} instead of {{issuer}}. The difference: {{difference}}.',
    decidedBy: 'The signed request is for another server',
    developer:
      'The aud of your request object is {{sent}} instead of {{issuer}}. The difference: {{difference}}. The FHIR base is named by resource.',
    change: { text: 'Have the app set aud of the request object to {{issuer}}, and resource to the FHIR base.' },
  },
  'object-expired': {
    ...refused,
    text: 'The request object expired {{seconds}} s ago.',
    decidedBy: 'The signed request has expired',
    developer: 'Your request object expired {{seconds}} s ago.',
    change: { text: 'Have the app sign each request right before it is sent, and set its clock.' },
  },
  'object-early': {
    ...refused,
    text: 'The request object is valid only in {{seconds}} s.',
    decidedBy: 'The signed request is from the future',
    developer: 'Your request object is valid only in {{seconds}} s.',
    change: { text: 'Set the clock of the app: nbf is in the future.' },
  },
  'object-lifetime': {
    ...refused,
    text: 'The lifetime of the request object is not accepted: {{reason}}.',
    decidedBy: 'The signed request has no or too long a lifetime',
    developer: 'The lifetime of your request object is not accepted: {{reason}}.',
    change: { text: 'Have the app set nbf to now and exp to at most an hour later.' },
  },
  'object-content': {
    ...refused,
    text: 'The content of the request object is not accepted: {{reason}}.',
    decidedBy: 'The signed request has content that is not accepted',
    developer: 'The content of your request object is not accepted: {{reason}}.',
    change: { text: 'Have the app correct the claims of the request object.' },
  },
  'object-used': {
    ...refused,
    text: 'A request object with this jti was used before.',
    decidedBy: 'The signed request was used before',
    developer: 'A request object with this jti was used before. Sign each request with a new jti.',
    change: { text: 'Have the app sign each request with a new jti.' },
  },
} as const satisfies Record<string, Cause>;
