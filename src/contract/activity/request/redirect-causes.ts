import type { Cause } from '../cause.js';

const refused = { stage: 'request', severity: 'refused', title: 'Authorization request refused' } as const;

/** Why the redirect URI of a request is not one of its client. */
export const redirectCauses = {
  // For administrators alone, like the owner of a secret: clients do not learn of each other.
  'redirect-uri-of-other-client': {
    stage: 'request',
    severity: 'notice',
    title: 'Another client has the redirect URI',
    text: 'It is registered for {{owner}}.',
    change: { text: 'If the app is that of {{owner}}, have it send this client_id.' },
  },
  'redirect-uri-missing': {
    ...refused,
    text: 'The request has no redirect_uri. Registered: {{registered}}.',
    decidedBy: 'The redirect URI is missing',
    developer: 'Your authorization request has no redirect_uri. It is required, even if only one is registered.',
    change: { text: 'Have the app send its redirect_uri. Registered: {{registered}}.' },
  },
  'redirect-uri-unregistered': {
    ...refused,
    text: 'Sent: {{sent}}. The nearest registered one is {{nearest}}, which differs in {{difference}}.',
    decidedBy: 'Redirect URI is not registered',
    developer: 'The redirect URI {{sent}} is not registered. It differs from a registered one in {{difference}}.',
    change: { text: 'Add {{sent}} to Redirect URIs, or have the app send {{nearest}}.', field: 'redirectUris' },
  },
  'redirect-uri-unfit': {
    ...refused,
    text: 'Sent: {{sent}}, which this client cannot register: {{problem}}. The nearest registered one is {{nearest}}, which differs in {{difference}}.',
    decidedBy: 'Redirect URI is not registered',
    developer:
      'The redirect URI {{sent}} is not registered, and cannot be: {{problem}}. It differs from a registered one in {{difference}}.',
    change: { text: 'Have the app send {{nearest}}.' },
  },
  'redirect-uri-query': {
    ...refused,
    text: 'Sent: {{sent}}. The nearest registered one is {{nearest}}, which differs in {{difference}}. The values of the query are not kept here.',
    decidedBy: 'Redirect URI is not registered',
    developer:
      'The redirect URI {{sent}} is not registered. It differs from a registered one in {{difference}}. Keep values of your own in state.',
    change: {
      text: 'Have the app send {{nearest}}, and keep its own values in state. If its query is always the same, add the address with it to Redirect URIs.',
      field: 'redirectUris',
    },
  },
  'redirect-uri-damaged': {
    ...refused,
    text: 'Sent: {{sent}}. It would be {{nearest}}, which is registered, but for a damage: {{damage}}.',
    decidedBy: 'The redirect URI is damaged',
    developer: 'The redirect URI {{sent}} is not registered. Look at it closely: {{damage}}.',
    change: { text: 'Have the app send {{nearest}}, encoded once.' },
  },
  'redirect-uri-placeholder': {
    ...refused,
    text: 'The app sent {{template}} as redirect_uri: a template and no address.',
    decidedBy: 'A template stands in place of the redirect URI',
    developer: 'Your redirect_uri is {{template}}: a template that was not filled in. Send a registered redirect URI.',
    change: { text: 'Have the app put its redirect URI in the place of the template.' },
  },
  'redirect-uri-of-native-app': {
    ...refused,
    text: 'Sent: {{sent}}, whose scheme belongs to an app on the device. The client is registered as a web app.',
    decidedBy: 'Redirect URI is not registered',
    developer: 'The redirect URI {{sent}} is not registered. Your client has to be registered as a native app for it.',
    change: {
      text: 'Choose Native under Application type, and add {{sent}} to Redirect URIs.',
      field: 'applicationType',
    },
  },
  'redirect-uri-loopback-port': {
    ...refused,
    text: 'Sent: {{sent}}. Registered is {{nearest}}: only the port differs, which native apps choose at each start.',
    decidedBy: 'Redirect URI is not registered',
    developer:
      'The redirect URI {{sent}} is not registered. It differs from {{nearest}} in the port, which only native apps may choose.',
    change: {
      text: 'Choose Native under Application type if the app runs on the device, or have the app send {{nearest}}.',
      field: 'applicationType',
    },
  },
  'redirect-uris-none': {
    ...refused,
    text: 'Sent: {{sent}}. The client has no redirect URI.',
    decidedBy: 'Redirect URI is not registered',
    developer: 'The redirect URI {{sent}} is not registered, and neither is any other.',
    change: { text: 'Add {{sent}} to Redirect URIs.', field: 'redirectUris' },
  },
} as const satisfies Record<string, Cause>;
