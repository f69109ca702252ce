import type { Cause } from '../cause.js';

const refused = { stage: 'request', severity: 'refused', title: 'Signed request refused' } as const;

const pushed = { stage: 'request', severity: 'refused', title: 'Authorization request refused' } as const;

/** Requests that were pushed (RFC 9126), and request objects (RFC 9101). */
export const requestObjectCauses = {
  'par-unknown': {
    ...pushed,
    text: 'The request_uri is not recorded here: it was not issued here, or expired a while ago. It lives for 60 seconds.',
    decidedBy: 'The pushed request is not known',
    developer: 'Your request_uri is not recorded here. Push the request again, and use it unchanged within 60 seconds.',
    change: { text: 'Have the app push its request again for each launch, right before it opens the browser.' },
  },
  'par-damaged': {
    ...pushed,
    text: 'It would be a request_uri that was issued here but for a damage: {{damage}}.',
    decidedBy: 'The request_uri is damaged',
    developer: 'Your request_uri is almost right. Look at it closely: {{damage}}.',
    change: { text: 'Have the app send the request_uri as it received it, encoded once.' },
  },
  'par-expired': {
    ...pushed,
    text: 'The request_uri expired {{seconds}} s ago; it lives for 60 seconds.',
    decidedBy: 'The pushed request has expired',
    developer: 'Your request_uri expired {{seconds}} s ago. Push the request again, and use it within 60 seconds.',
    change: { text: 'Have the app push its request again for each launch, right before it opens the browser.' },
  },
  'par-used': {
    ...pushed,
    text: 'The request_uri was used before.',
    decidedBy: 'The pushed request was used before',
    developer: 'Your request_uri was used before. Push the request again for each launch.',
    change: { text: 'Have the app push its request again for each launch.' },
  },
  'par-of-other-client': {
    ...pushed,
    text: 'The request_uri was pushed by the client {{other}}, and {{clientId}} presented it.',
    decidedBy: 'The pushed request is of another client',
    developer: 'Your request_uri was not pushed by the client {{clientId}}. Use one client_id for both requests.',
    change: { text: 'Have the app send the client_id with which it pushed the request.' },
  },
  'request-uri-foreign': {
    ...pushed,
    text: 'The request_uri was not issued here. Requests are never fetched.',
    decidedBy: 'The request URI is not one of a pushed request',
    developer: 'Your request_uri was not issued by our endpoint for pushed requests. We fetch no request objects.',
    change: { text: 'Have the app push its request to {{endpoint}}.' },
  },
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
    change: { text: 'Have the app correct its request object (RFC 9101 §4): {{reason}}.' },
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
    text: 'The signature was not made with the key {{kid}}, which is {{from}}.',
    decidedBy: 'The signature of the signed request is wrong',
    developer: 'The signature of your request object does not fit the key {{kid}}, which is {{from}}.',
    change: {
      text: 'Register, as {{kid}}, the public key that belongs to the key of the app.',
      field: 'clientSecrets',
    },
  },
  'object-key-misnamed': {
    ...refused,
    text: 'The key id (kid) is {{kid}}. The signature was made with the key {{right}}, which is {{from}}.',
    decidedBy: 'The key id of the signed request names another key than that of the signature',
    developer: 'Your request object names the key {{kid}} and is signed with the key {{right}}, which is {{from}}.',
    change: { text: 'Have the app put the kid {{right}} into the header.' },
  },
  'object-key-twice': {
    ...refused,
    text: 'The signature was made with none of the keys that have the key id (kid) {{kid}}: {{keys}}.',
    decidedBy: 'Several keys have the key id of the signed request, and none made its signature',
    developer:
      'Several of your keys have the kid {{kid}}, and none of them made the signature of your request object: {{keys}}.',
    change: {
      text: 'Register the public key that belongs to the key of the app, under a kid of its own.',
      field: 'clientSecrets',
    },
  },
  'object-key-missing': {
    ...refused,
    text: 'The header of the request object names no key. {{found}}',
    decidedBy: 'The signed request has no key id',
    developer: 'The header of your request object has no kid. {{found}}',
    change: { text: 'Have the app put the kid of its key into the header.' },
  },
  'object-key-unknown': {
    ...refused,
    text: 'The key id (kid) is {{kid}}; the registered keys are {{known}}.',
    decidedBy: 'No registered key has the key id of the signed request',
    developer: 'Your request object names the key {{kid}}; registered are {{known}}.',
    change: {
      text: 'Register the key {{kid}}, or have the app sign with a registered one: {{known}}.',
      field: 'clientSecrets',
    },
  },
  'object-key-not-published': {
    ...refused,
    text: 'The key id (kid) is {{kid}}. The key set at {{host}} was read at {{at}} and has {{read}}. Passed over: {{passed}}. The copy is kept until {{until}}.',
    decidedBy: 'The key set of the client does not have the key of the signed request',
    developer:
      'Your request object names the key {{kid}}. Your key set at {{host}} was read at {{at}} and has {{read}}. Passed over: {{passed}}. Our copy is kept until {{until}}.',
    change: {
      text: 'Publish the key {{kid}} at {{host}}, or have the app sign with a key of the set. A missing key is looked for once a minute.',
      field: 'clientSecrets',
    },
  },
  'object-key-passed-over': {
    ...refused,
    text: 'The key {{kid}} is in the key set at {{host}}, which was read at {{at}}, and was passed over: {{reason}}. The copy is kept until {{until}}.',
    decidedBy: 'The published key of the signed request cannot be used',
    developer:
      'The key {{kid}} of your key set at {{host}}, read at {{at}}, was passed over: {{reason}}. Our copy is kept until {{until}}.',
    change: { text: 'Have the developer correct the key {{kid}} at {{host}}: {{reason}}.' },
  },
  'object-key-expired': {
    ...refused,
    text: 'The key {{kid}} (‘{{secret}}’) expired on {{expired}}. Valid keys: {{known}}.',
    decidedBy: 'The key of the signed request has expired',
    developer: 'The key {{kid}} of your request object expired on {{expired}}. Please register a new one.',
    change: { text: 'Register a new key, or extend ‘{{secret}}’.', field: 'clientSecrets' },
  },
  'object-key-set-unreachable': {
    ...refused,
    text: 'The keys at {{host}} could not be read: {{reason}}. Other keys of the client: {{known}}.',
    decidedBy: 'The key set of the client cannot be read',
    developer: 'Your key set at {{host}} could not be read from here: {{reason}}.',
    change: {
      text: 'Make the key set at {{host}} readable from this server, or correct its address.',
      field: 'clientSecrets',
    },
  },
  'object-key-unfit': {
    ...refused,
    text: 'The algorithm is {{used}}. The registered key {{kid}} is {{key}}.',
    decidedBy: 'The key does not fit the algorithm of the signed request',
    developer: 'Your request object is signed with {{used}}. Your key {{kid}} is {{key}}.',
    change: {
      text: 'Have the app sign with the algorithm of its key, or register its key for {{used}} as well.',
      field: 'clientSecrets',
    },
  },
  'object-time': {
    ...refused,
    text: 'The {{claim}} of the request object is {{sent}}: {{fault}}. It must be in seconds since 1970.',
    decidedBy: 'A time of the signed request is in the wrong unit or form',
    developer: 'The {{claim}} of your request object is {{sent}}: {{fault}}. Send seconds since 1970, as a number.',
    change: { text: 'Have the app send {{claim}} in seconds since 1970, as a number.' },
  },
  'object-client': {
    ...refused,
    text: 'The {{claim}} of the request object is {{sent}} instead of {{clientId}}.',
    decidedBy: 'The signed request is of another client',
    developer: 'The {{claim}} of your request object is {{sent}} instead of your client ID, {{clientId}}.',
    change: { text: 'Have the app set client_id and iss of the request object to {{clientId}}.' },
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
    change: { text: 'Have the app correct the request object: {{reason}}.' },
  },
  'object-used': {
    ...refused,
    text: 'A request object with this jti was used before.',
    decidedBy: 'The signed request was used before',
    developer: 'A request object with this jti was used before. Sign each request with a new jti.',
    change: { text: 'Have the app sign each request with a new jti.' },
  },
} as const satisfies Record<string, Cause>;
