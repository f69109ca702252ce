import type { Cause } from '../cause.js';

const refused = { stage: 'request', severity: 'refused', title: 'Authorization request refused' } as const;
const unregistered = { ...refused, decidedBy: 'The client is not registered' } as const;
const register = 'Register the client, or have the app send the ID of a registered one.';

/** The client of an authorization request. The text for developers names no other client. */
export const clientCauses = {
  'client-missing': {
    ...refused,
    text: 'The request has no client_id.',
    decidedBy: 'The request names no client',
    developer: 'Your authorization request has no client_id.',
    change: { text: 'Have the app send its client_id.' },
  },
  'client-unknown': {
    ...unregistered,
    text: 'No client has the ID {{clientId}}, nor one that resembles it.',
    developer: 'No client with the ID {{clientId}} is registered here.',
    change: { text: register },
  },
  'client-misspelled': {
    ...unregistered,
    text: 'No client has the ID {{clientId}}. The nearest registered ID is {{nearest}}.',
    developer: 'No client with the ID {{clientId}} is registered here. Compare it with the ID that you were given.',
    change: { text: 'Have the app send {{nearest}}, if it is that client; otherwise register it.' },
  },
  'client-damaged': {
    ...unregistered,
    text: 'No client has the ID {{clientId}}. It would be {{nearest}}, which is registered, but for a damage: {{damage}}.',
    decidedBy: 'The client ID is damaged',
    developer: 'No client with the ID {{clientId}} is registered here. Look at it closely: {{damage}}.',
    change: { text: 'Have the app send {{nearest}}.' },
  },
  'client-named': {
    ...unregistered,
    text: 'No client has the ID {{clientId}}. It is the name of the client with the ID {{named}}.',
    decidedBy: 'The name of a client was sent as its ID',
    developer:
      'No client with the ID {{clientId}} is registered here. It reads like a name: send the ID that you were given.',
    change: { text: 'Have the app send {{named}}.' },
  },
  'client-placeholder': {
    ...unregistered,
    text: 'The app sent {{template}} as client_id: a template and no ID.',
    decidedBy: 'A template stands in place of the client ID',
    developer: 'Your client_id is {{template}}: a template that was not filled in. Send the ID that you were given.',
    change: { text: 'Have the app put its client ID in the place of the template.' },
  },
  'client-disabled': {
    ...refused,
    text: 'The client {{clientId}} is disabled.',
    decidedBy: 'The client is disabled',
    developer: 'The client {{clientId}} is disabled here. Please ask its administrator to enable it.',
    change: { text: 'Turn on Enabled.', field: 'enabled' },
  },
  'client-without-users': {
    ...refused,
    text: 'The client is a back-end service, which gets its tokens without a person.',
    decidedBy: 'The client type has no sign-in',
    developer: 'Your client is registered as a back-end service: request tokens with the grant client_credentials.',
    change: { text: 'Register a client of another type for this app: a back-end service has no sign-in.' },
  },
} as const satisfies Record<string, Cause>;

const refusedToken = { stage: 'token', severity: 'refused', title: 'Token request refused' } as const;
const unregisteredToken = { ...refusedToken, decidedBy: 'The client is not registered' } as const;

/** The client of a token request, and of a request of another endpoint that authenticates clients. */
export const tokenClientCauses = {
  'token-client-unknown': {
    ...unregisteredToken,
    text: 'No client has the id {{clientId}}, nor one that resembles it.',
    developer: 'No client with the id {{clientId}} is registered here.',
    change: { text: register },
  },
  'token-client-misspelled': {
    ...unregisteredToken,
    text: 'No client has the id {{clientId}}. The nearest registered id is {{nearest}}.',
    developer: 'No client with the id {{clientId}} is registered here. Compare it with the id that you were given.',
    change: { text: 'Have the app send {{nearest}}, if it is that client; otherwise register it.' },
  },
  'token-client-damaged': {
    ...unregisteredToken,
    text: 'No client has the id {{clientId}}. It would be {{nearest}}, which is registered, but for a damage: {{damage}}.',
    decidedBy: 'The client ID is damaged',
    developer: 'No client with the id {{clientId}} is registered here. Look at it closely: {{damage}}.',
    change: { text: 'Have the app send {{nearest}}.' },
  },
  'token-client-named': {
    ...unregisteredToken,
    text: 'No client has the id {{clientId}}. It is the name of the client with the id {{named}}.',
    decidedBy: 'The name of a client was sent as its id',
    developer:
      'No client with the id {{clientId}} is registered here. It reads like a name: send the id that you were given.',
    change: { text: 'Have the app send {{named}}.' },
  },
  'token-client-placeholder': {
    ...unregisteredToken,
    text: 'The app sent {{template}} as its client id: a template and no id.',
    decidedBy: 'A template stands in place of the client ID',
    developer: 'Your client id is {{template}}: a template that was not filled in. Send the id that you were given.',
    change: { text: 'Have the app put its client ID in the place of the template.' },
  },
  'token-client-disabled': {
    ...refusedToken,
    text: 'The client {{clientId}} is disabled.',
    decidedBy: 'The client is disabled',
    developer: 'The client {{clientId}} is disabled here. Please ask its administrator to enable it.',
    change: { text: 'Enable the client.', field: 'enabled' },
  },
  'token-client-missing': {
    ...refusedToken,
    text: 'The request has neither a client_id nor credentials. It has: {{sent}}. {{found}}',
    decidedBy: 'The request names no client',
    developer: 'Your request has neither a client_id nor credentials. It has: {{sent}}. {{found}}',
    change: { text: 'Have the app send its client_id, and its credentials if it has any.' },
  },
  'token-client-differs': {
    ...refusedToken,
    text: 'The client_id of the request is {{named}}, and that of its credentials {{proving}}.',
    decidedBy: 'The request names two clients',
    developer: 'The client_id of your request is {{named}}, and that of your credentials {{proving}}.',
    change: {
      text: 'Have the app send one client id in the body and in its credentials: either {{named}} or {{proving}}.',
    },
  },
} as const satisfies Record<string, Cause>;
