import type { Cause } from './cause.js';

const refused = { stage: 'token', severity: 'refused', title: 'Token request refused' } as const;

/** The credentials of a client (RFC 6749 §2.3), except client assertions. No entry has a part of a secret. */
export const authenticationCauses = {
  'token-secret-of-other-client': {
    stage: 'token',
    severity: 'notice',
    title: 'Another client has the secret',
    text: 'The secret is that of {{owner}}.',
    change: { text: 'If the app is that of {{owner}}, have it send this client_id.' },
  },
  'key-of-other-client': {
    stage: 'token',
    severity: 'notice',
    title: 'Another client has the key',
    text: 'The signature was made with the key {{kid}} of {{owner}}.',
    change: { text: 'If the app is that of {{owner}}, have it send this client_id, also as iss and sub.' },
  },
  'token-by-access-token': {
    ...refused,
    text: 'An access token is in the Authorization header, where only the id and secret of a client are read.',
    decidedBy: 'An access token was sent in the place of the client’s credentials',
    developer:
      'Your request has an access token in its Authorization header. Send the credentials of your client, or the client_id of a public one.',
    change: { text: 'Have the app send its own credentials here, and its access token only where data is requested.' },
  },
  'token-authentication-method': {
    ...refused,
    text: 'The app used {{used}}; registered is {{registered}}.',
    decidedBy: 'The client is not registered for this authentication method',
    developer: 'You authenticated with {{used}}, but the client is registered for {{registered}}.',
    change: { text: 'Register credentials for {{used}}, or have the app use {{registered}}.', field: 'clientSecrets' },
  },
  'token-authentication-profile': {
    ...refused,
    text: 'The app used {{used}}. The security profile of the client permits private_key_jwt alone.',
    decidedBy: 'The security profile does not permit this authentication method',
    developer: 'You authenticated with {{used}}. Your client follows FAPI 2.0: authenticate with private_key_jwt.',
    change: { text: 'Have the app use private_key_jwt with a registered key.' },
  },
  'token-authentication-twice': {
    ...refused,
    text: 'The request has {{used}}.',
    decidedBy: 'The request uses several authentication methods',
    developer: 'Your request has {{used}}. Use exactly one authentication method (RFC 6749 §2.3).',
    change: { text: 'Have the app use one authentication method in a request.' },
  },
  'token-credentials-missing': {
    ...refused,
    text: 'The request has neither a secret nor a client_assertion, and the client must prove who it is. Registered is {{registered}}.',
    decidedBy: 'The request has no credentials',
    developer: 'Your request has neither a secret nor a client_assertion. The client is registered for {{registered}}.',
    change: {
      text: 'Have the app use {{registered}}. An app that cannot keep a secret needs another client, without Require client secret.',
    },
  },
  'token-credentials-ended': {
    ...refused,
    text: 'The app used {{used}}. None of the secrets and keys of the client is valid now.',
    decidedBy: 'The client has no valid secret or key',
    developer: 'Your client has no valid secret or key here at the moment. Please ask its administrator for one.',
    change: { text: 'Add a secret or a key, and give it to the app.', field: 'clientSecrets' },
  },
  'token-credentials-of-public': {
    ...refused,
    text: 'The app used {{used}}. The client is public: it has no secret, and sends its client_id alone.',
    decidedBy: 'A public client sent credentials',
    developer: 'You authenticated with {{used}}. Your client is public: send your client_id, and no credentials.',
    change: {
      text: 'Have the app send its client_id alone. If it can keep a secret, register another client with Require client secret: a public one cannot get it later.',
    },
  },
  'token-credentials-unreadable': {
    ...refused,
    text: 'The Authorization header cannot be read: {{reason}}.',
    decidedBy: 'The Authorization header cannot be read',
    developer: 'Your Authorization header cannot be read: {{reason}}. Encode id and secret as in RFC 6749 §2.3.1.',
    change: {
      text: 'Have the app send Basic and, in base64, its percent-encoded id, a colon and its percent-encoded secret (RFC 6749 §2.3.1).',
    },
  },
  'token-secret-wrong': {
    ...refused,
    text: 'It is not among the valid secrets of the client, of which there are {{count}}, nor one of them with a usual damage.',
    decidedBy: 'The client secret is wrong',
    developer: 'The client secret is wrong. Check that no character was lost and that it was encoded once.',
    change: { text: 'Give the app a secret that is registered, or add a new one.', field: 'clientSecrets' },
  },
  'token-secret-damaged': {
    ...refused,
    text: 'It would be a secret of the client but for a damage: {{damage}}.',
    decidedBy: 'The client secret is damaged',
    developer: 'The client secret is almost right. Look at it closely: {{damage}}.',
    change: { text: 'Have the app send its secret as it was given: {{damage}}.' },
  },
  'token-secret-is-id': {
    ...refused,
    text: 'The app sent its client id as its secret.',
    decidedBy: 'The client id was sent as the secret',
    developer: 'You sent your client id as the client secret.',
    change: { text: 'Have the app send the secret that belongs to the client.' },
  },
  'token-secret-placeholder': {
    ...refused,
    text: 'The app sent a template in place of its secret.',
    decidedBy: 'A template stands in place of the client secret',
    developer: 'Your client secret is a template that was not filled in.',
    change: { text: 'Have the app put its secret in the place of the template.' },
  },
  'token-credentials-swapped': {
    ...refused,
    text: 'The app sent its secret as its id, and its id as its secret.',
    decidedBy: 'The id and the secret of the client were swapped',
    developer: 'You sent your client secret in the place of the client id, and the id in that of the secret.',
    change: {
      text: 'Have the app send its id first, then its secret. Replace the secret if logs keep ids of clients.',
    },
  },
  'token-credential-removed': {
    ...refused,
    text: 'The {{what}} was removed from the client on {{removed}}. Its description was: {{description}}. Valid ones: {{known}}.',
    decidedBy: 'The {{what}} was removed from the client',
    developer: 'The {{what}} of your client was removed here on {{removed}}. Please ask for the one that is valid now.',
    change: { text: 'Give the app a valid secret or key ({{known}}), or add a new one.', field: 'clientSecrets' },
  },
  'token-encoding': {
    ...refused,
    text: 'The {{parameter}} has bytes that are not UTF-8, so it cannot be compared.',
    decidedBy: 'The {{parameter}} is not UTF-8',
    developer: 'The {{parameter}} of your request has bytes that are not UTF-8.',
    change: { text: 'Have the app encode its requests as UTF-8, not as Latin-1 or Windows-1252.' },
  },
  'token-secret-expired': {
    ...refused,
    text: 'The secret ‘{{secret}}’ expired on {{expired}}.',
    decidedBy: 'The client secret has expired',
    developer: 'The client secret ‘{{secret}}’ expired on {{expired}}. Please ask for a new one.',
    change: { text: 'Add a new secret and give it to the app, or extend ‘{{secret}}’.', field: 'clientSecrets' },
  },
  'token-secrets-throttled': {
    ...refused,
    text: 'Too many wrong secrets came from one address. The next try is possible in {{seconds}} s.',
    decidedBy: 'Too many wrong client secrets',
    developer: 'You sent too many wrong client secrets. Please wait for {{seconds}} s, and correct the secret.',
    change: { text: 'Correct the secret of the app; the limit ends by itself.' },
  },
} as const satisfies Record<string, Cause>;
