import type { Cause } from './cause.js';

const refused = { stage: 'token', severity: 'refused', title: 'Client assertion refused' } as const;

/** Faults of client assertions (RFC 7523 §3, SMART 2.2 client-confidential-asymmetric). */
export const assertionCauses = {
  'assertion-unreadable': {
    ...refused,
    text: 'The client assertion is not usable: {{reason}}.',
    decidedBy: 'The client assertion cannot be read',
    developer: 'Your client_assertion is not usable: {{reason}}.',
    change: { text: 'Have the app correct its client_assertion (RFC 7523 §3): {{reason}}.' },
  },
  'assertion-type': {
    ...refused,
    text: 'The client_assertion_type is {{sent}}; it must be {{expected}}.',
    decidedBy: 'The type of the client assertion is missing or another one',
    developer: 'Your client_assertion_type is {{sent}}; it must be {{expected}}.',
    change: { text: 'Have the app send client_assertion_type={{expected}}.' },
  },
  'assertion-misplaced': {
    ...refused,
    text: 'A JWT is in the Authorization header, where only the id and secret of a client are read.',
    decidedBy: 'A JWT was sent in the Authorization header',
    developer:
      'Your request has a JWT in its Authorization header. Send a client assertion as client_assertion, with client_assertion_type, in the body (RFC 7523 §2.2).',
    change: { text: 'Have the app send its client assertion as client_assertion in the body.' },
  },
  'assertion-jti-form': {
    ...refused,
    text: 'The jti of the client assertion is {{sent}}. It must be a text.',
    decidedBy: 'The jti of the client assertion is not a text',
    developer: 'The jti of your client_assertion is {{sent}}. It must be a text (RFC 7519 §4.1.7).',
    change: { text: 'Have the app send a text as jti, such as a UUID, and another one in each assertion.' },
  },
  'assertion-key-unknown': {
    ...refused,
    text: 'The key id (kid) is {{kid}}; the registered keys are {{known}}.',
    decidedBy: 'No registered key has the key id of the client assertion',
    developer: 'Your client_assertion names the key {{kid}}; registered are {{known}}.',
    change: {
      text: 'Register the key {{kid}}, or have the app sign with a registered one: {{known}}.',
      field: 'clientSecrets',
    },
  },
  'assertion-key-not-published': {
    ...refused,
    text: 'The key id (kid) is {{kid}}. The key set at {{host}} was read at {{at}} and has {{read}}. Passed over: {{passed}}. The copy is kept until {{until}}.',
    decidedBy: 'The key set of the client does not have the key',
    developer:
      'Your client_assertion names the key {{kid}}. Your key set at {{host}} was read at {{at}} and has {{read}}. Passed over: {{passed}}. Our copy is kept until {{until}}.',
    change: {
      text: 'Publish the key {{kid}} at {{host}}, or have the app sign with a key of the set. A missing key is looked for once a minute.',
      field: 'clientSecrets',
    },
  },
  'assertion-key-passed-over': {
    ...refused,
    text: 'The key {{kid}} is in the key set at {{host}}, which was read at {{at}}, and was passed over: {{reason}}. The copy is kept until {{until}}.',
    decidedBy: 'The published key cannot be used',
    developer:
      'The key {{kid}} of your key set at {{host}}, read at {{at}}, was passed over: {{reason}}. Our copy is kept until {{until}}.',
    change: { text: 'Have the developer correct the key {{kid}} at {{host}}: {{reason}}.' },
  },
  'assertion-key-misnamed': {
    ...refused,
    text: 'The key id (kid) is {{kid}}. The signature was made with the key {{right}}, which is {{from}}.',
    decidedBy: 'The key id of the client assertion names another key than that of the signature',
    developer: 'Your client_assertion names the key {{kid}} and is signed with the key {{right}}, which is {{from}}.',
    change: { text: 'Have the app put the kid {{right}} into the header.' },
  },
  'assertion-key-twice': {
    ...refused,
    text: 'The signature was made with none of the keys that have the key id (kid) {{kid}}: {{keys}}.',
    decidedBy: 'Several keys have the key id of the client assertion, and none made its signature',
    developer:
      'Several of your keys have the kid {{kid}}, and none of them made the signature of your client_assertion: {{keys}}.',
    change: {
      text: 'Register the public key that belongs to the key of the app, under a kid of its own.',
      field: 'clientSecrets',
    },
  },
  'assertion-key-missing': {
    ...refused,
    text: 'The header of the client assertion names no key. {{found}}',
    decidedBy: 'The client assertion has no key id',
    developer: 'The header of your client_assertion has no kid. {{found}}',
    change: { text: 'Have the app put the kid of its key into the header.' },
  },
  'assertion-key-expired': {
    ...refused,
    text: 'The key {{kid}} (‘{{secret}}’) expired on {{expired}}. Valid keys: {{known}}.',
    decidedBy: 'The key of the client has expired',
    developer: 'The key {{kid}} expired on {{expired}}. Please register a new one.',
    change: { text: 'Register a new key, or extend ‘{{secret}}’.', field: 'clientSecrets' },
  },
  'assertion-key-set-unreachable': {
    ...refused,
    text: 'The keys at {{host}} could not be read: {{reason}}. Other keys of the client: {{known}}.',
    decidedBy: 'The key set of the client cannot be read',
    developer: 'Your key set at {{host}} could not be read from here: {{reason}}.',
    change: {
      text: 'Make the key set at {{host}} readable from this server, or correct its address.',
      field: 'clientSecrets',
    },
  },
  'assertion-algorithm': {
    ...refused,
    text: 'The algorithm is {{used}}; supported are {{supported}}.',
    decidedBy: 'The algorithm of the client assertion is not supported',
    developer: 'Your client_assertion is signed with {{used}}; supported are {{supported}}.',
    change: { text: 'Have the app sign with one of {{supported}}.' },
  },
  'assertion-key-unfit': {
    ...refused,
    text: 'The algorithm is {{used}}. The registered key {{kid}} is {{key}}.',
    decidedBy: 'The key does not fit the algorithm of the client assertion',
    developer: 'Your client_assertion is signed with {{used}}. Your key {{kid}} is {{key}}.',
    change: {
      text: 'Have the app sign with the algorithm of its key, or register its key for {{used}} as well.',
      field: 'clientSecrets',
    },
  },
  'assertion-signature': {
    ...refused,
    text: 'The signature was not made with the key {{kid}}, which is {{from}}.',
    decidedBy: 'The signature of the client assertion is wrong',
    developer: 'The signature of your client_assertion does not fit the key {{kid}}, which is {{from}}.',
    change: {
      text: 'Register, as {{kid}}, the public key that belongs to the key of the app.',
      field: 'clientSecrets',
    },
  },
  'assertion-audience': {
    ...refused,
    text: 'The aud is {{sent}} instead of {{expected}}. The difference: {{difference}}.',
    decidedBy: 'The client assertion is for another audience',
    developer: 'The aud of your client_assertion is {{sent}} instead of {{expected}}. The difference: {{difference}}.',
    change: { text: 'Have the app use {{expected}} as audience.' },
  },
  'assertion-issuer': {
    ...refused,
    text: 'The iss is {{iss}} and the sub {{sub}}; both must be the client_id {{clientId}}.',
    decidedBy: 'The client assertion is of another issuer or subject',
    developer: 'The iss of your client_assertion is {{iss}} and the sub {{sub}}; both must be {{clientId}}.',
    change: { text: 'Have the app use its client_id as iss and sub.' },
  },
  'assertion-expired': {
    ...refused,
    text: 'The client assertion expired {{seconds}} s ago.',
    decidedBy: 'The client assertion has expired',
    developer: 'Your client_assertion expired {{seconds}} s ago by our clock.',
    change: {
      text: 'Have the app create an assertion for each request. If it does, the clock of its server is at least {{seconds}} s behind.',
    },
  },
  'assertion-from-future': {
    ...refused,
    text: 'The client assertion is {{seconds}} s in the future.',
    decidedBy: 'The client assertion is from the future',
    developer: 'Your client_assertion is {{seconds}} s in the future by our clock.',
    change: { text: 'Set the clock of the app’s server: by the assertion it is {{seconds}} s ahead.' },
  },
  'assertion-time': {
    ...refused,
    text: 'The {{claim}} is {{sent}}: {{fault}}. It must be in seconds since 1970.',
    decidedBy: 'A time of the client assertion is in the wrong unit or form',
    developer: 'The {{claim}} of your client_assertion is {{sent}}: {{fault}}. Send seconds since 1970, as a number.',
    change: { text: 'Have the app send {{claim}} in seconds since 1970, as a number.' },
  },
  'assertion-header': {
    ...refused,
    text: 'The header of the client assertion has {{member}}: {{reason}}.',
    decidedBy: 'The header of the client assertion is not accepted',
    developer: 'The header of your client_assertion has {{member}}: {{reason}}.',
    change: { text: 'Have the app leave {{member}} out of the header.' },
  },
  'assertion-lifetime': {
    ...refused,
    text: 'The client assertion is valid for {{seconds}} s more; {{allowed}} s are permitted.',
    decidedBy: 'The client assertion lives too long',
    developer: 'Your client_assertion is valid for {{seconds}} s more; {{allowed}} s are permitted.',
    change: { text: 'Have the app set exp at most {{allowed}} s ahead.' },
  },
  'assertion-claim-missing': {
    ...refused,
    text: 'The client assertion has no {{claim}}. {{found}}',
    decidedBy: 'The client assertion is not complete',
    developer: 'Your client_assertion has no {{claim}}. {{found}}',
    change: { text: 'Have the app add {{claim}} to the assertion.' },
  },
  'assertion-reused': {
    ...refused,
    text: 'A client assertion with this jti was used before.',
    decidedBy: 'The client assertion was used before',
    developer: 'A client_assertion with this jti was used before. Create one for each request, also for a retry.',
    change: { text: 'Have the app create an assertion with a new jti for each request.' },
  },
} as const satisfies Record<string, Cause>;
