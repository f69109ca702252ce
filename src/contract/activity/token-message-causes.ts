import type { Cause } from './cause.js';

const refused = { stage: 'token', severity: 'refused', title: 'Token request refused' } as const;

/** Token requests that lack a part of their grant (RFC 6749 §3.2). Entries have names of parameters only. */
export const tokenMessageCauses = {
  'token-body-type': {
    ...refused,
    text: 'The body was sent as {{type}}. Only application/x-www-form-urlencoded is read.',
    decidedBy: 'The body has another type than a form',
    developer: 'You sent the body as {{type}}. Send it as application/x-www-form-urlencoded (RFC 6749 §3.2).',
    change: { text: 'Have the app send its parameters as application/x-www-form-urlencoded, not as {{type}}.' },
  },
  'token-in-address': {
    ...refused,
    text: 'The parameters are in the address, where they are not read: {{parameters}}.',
    decidedBy: 'The parameters are in the address',
    developer: 'Your request has {{parameters}} in its address. Send them in the body (RFC 6749 §3.2).',
    change: {
      text: 'Have the app send its parameters in the body, and replace a secret that stood in an address: logs may have it.',
    },
  },
  'token-request-of-authorization': {
    ...refused,
    text: 'It is an authorization request ({{parameters}}), and was sent to the token endpoint.',
    decidedBy: 'An authorization request was sent to the token endpoint',
    developer: 'You sent an authorization request ({{parameters}}) to the token endpoint. Send it to {{endpoint}}.',
    change: { text: 'Have the app open {{endpoint}} in the browser with this request.' },
  },
  'token-parameter-missing': {
    ...refused,
    text: 'The request has no {{parameter}}. It has: {{sent}}. {{found}}',
    decidedBy: 'The parameter {{parameter}} is missing',
    developer: 'Your token request has no {{parameter}}. {{found}}',
    change: { text: 'Have the app send {{advice}}.' },
  },
  'token-parameter-repeated': {
    ...refused,
    text: 'Sent more than once: {{parameters}}.',
    decidedBy: 'A parameter is repeated',
    developer: 'Your token request has more than once: {{parameters}}.',
    change: { text: 'Have the app send each parameter once: {{parameters}}.' },
  },
  'token-grant-type': {
    ...refused,
    text: 'The app asked for {{used}}; the client may use {{registered}}.',
    decidedBy: 'The grant type is not possible for this client',
    developer: 'Your grant_type is {{used}}, but the client may use {{registered}}.',
    change: { text: 'Have the app use {{registered}}, or register a client of the right type.' },
  },
  'token-grant-type-unknown': {
    ...refused,
    text: 'The app asked for {{used}}, which is not a grant type here. {{hint}} The client may use {{registered}}.',
    decidedBy: 'The grant type is not known',
    developer: 'Your grant_type is {{used}}, which is not known here. {{hint}} The client may use {{registered}}.',
    change: { text: 'Have the app use {{registered}}.' },
  },
  'token-origin': {
    ...refused,
    text: 'The page of the app is at {{origin}}. The redirect URIs of the client are at {{registered}}, and a browser may call from there alone.',
    decidedBy: 'The page of the app is at another origin',
    developer:
      'Your page is at {{origin}}, where no redirect URI of your client is. A browser may call from there alone.',
    change: {
      text: 'Have the app be opened at one of {{registered}}, or add its redirect URI at {{origin}} to Redirect URIs.',
      field: 'redirectUris',
    },
  },
  'token-origin-hidden': {
    ...refused,
    text: 'The browser sent Origin: null, as for a sandboxed frame, a file or a redirect. Such a page may not call.',
    decidedBy: 'The page of the app has no origin',
    developer:
      'Your page has no origin (Origin: null), as a sandboxed frame or a file has. Call from a page of your own.',
    change: { text: 'Have the app call from a page at the origin of one of its redirect URIs.' },
  },
  'token-origin-of-service': {
    ...refused,
    text: 'A page at {{origin}} used the client. Only servers may use a back-end service.',
    decidedBy: 'A back-end service was called by a browser',
    developer: 'A page at {{origin}} used your client. A back-end service must not be in a browser.',
    change: { text: 'Have a server make the request, and replace a secret that was given to a page.' },
  },
} as const satisfies Record<string, Cause>;
