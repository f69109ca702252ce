import type { Cause } from '../cause.js';
import { announcementCauses } from './announcement-causes.js';
import { audienceCauses } from './audience-causes.js';
import { clientCauses } from './client-causes.js';
import { launchCauses } from './launch-causes.js';
import { redirectCauses } from './redirect-causes.js';
import { requestObjectCauses } from './request-object-causes.js';

const refused = { stage: 'request', severity: 'refused', title: 'Authorization request refused' } as const;

/** The app's authorization request, pushed or direct. */
export const requestCauses = {
  'request-received': {
    stage: 'request',
    severity: 'step',
    title: 'The app asked to start',
    text: '{{how}}',
  },
  'trial-begun': {
    stage: 'request',
    severity: 'step',
    title: 'Trial of an administrator',
    text: '{{how}}. The app itself took no part, and has no access.',
  },
  'request-refused': {
    ...refused,
    text: '{{error}}: {{description}}',
    decidedBy: 'The request is not valid',
    developer: 'Your authorization request was refused with {{error}}: {{description}}.',
  },
  'request-failed': {
    stage: 'request',
    severity: 'failed',
    title: 'The request could not be processed',
    decidedBy: 'Something broke here',
    developer: 'Your request failed here. Please try again, and tell us the reference if it fails again.',
  },
  ...clientCauses,
  ...redirectCauses,
  ...audienceCauses,
  'pkce-missing': {
    ...refused,
    text: 'The request has no code_challenge, which this client must send.',
    decidedBy: 'PKCE is missing',
    developer: 'Your authorization request has no code_challenge. Use PKCE with S256 (RFC 7636).',
    change: {
      text: 'Have the app use PKCE with S256. A client with a secret can do without: turn off Require PKCE.',
      field: 'requirePkce',
    },
  },
  'pkce-public': {
    ...refused,
    text: 'The request has no code_challenge. An app without a secret always needs one.',
    decidedBy: 'PKCE is missing',
    developer: 'Your authorization request has no code_challenge. Use PKCE with S256 (RFC 7636).',
    change: {
      text: 'Have the app use PKCE with S256: a client without Require client secret cannot do without.',
    },
  },
  'pkce-of-profile': {
    ...refused,
    text: 'The request has no code_challenge. The security profile of the client demands PKCE.',
    decidedBy: 'PKCE is missing',
    developer: 'Your client follows FAPI 2.0, and your request has no code_challenge. Use PKCE with S256 (RFC 7636).',
    change: { text: 'Have the app use PKCE with S256.' },
  },
  'pkce-plain': {
    ...refused,
    text: 'Sent: code_challenge_method={{sent}}. Only S256 is accepted.',
    decidedBy: 'PKCE uses the method plain',
    developer: 'Your code_challenge_method is {{sent}}. Use S256: plain protects nothing (RFC 9700 §2.1.1).',
    change: { text: 'Have the app send code_challenge_method=S256 and the SHA-256 of its verifier.' },
  },
  'pkce-method': {
    ...refused,
    text: 'Sent: code_challenge_method={{sent}}. Only S256 is accepted.',
    decidedBy: 'PKCE uses an unknown method',
    developer: 'Your code_challenge_method is {{sent}}. Use S256 (RFC 7636 §4.3).',
    change: { text: 'Have the app send code_challenge_method=S256.' },
  },
  'pkce-method-missing': {
    ...refused,
    text: 'The request has a code_challenge and no code_challenge_method, which means plain.',
    decidedBy: 'PKCE has no method',
    developer: 'Your authorization request has no code_challenge_method. Send S256 (RFC 7636 §4.3).',
    change: { text: 'Have the app send code_challenge_method=S256.' },
  },
  'pkce-challenge-missing': {
    ...refused,
    text: 'The request has a code_challenge_method and no code_challenge.',
    decidedBy: 'PKCE has no challenge',
    developer: 'Your authorization request has a code_challenge_method and no code_challenge.',
    change: { text: 'Have the app send the code_challenge, too.' },
  },
  'pkce-challenge-length': {
    ...refused,
    text: 'The code_challenge has the length {{length}}; 43 to 128 characters are allowed.',
    decidedBy: 'The PKCE challenge has the wrong length',
    developer:
      'Your code_challenge has the length {{length}}. Base64url of a SHA-256 has 43 characters (RFC 7636 §4.2).',
    change: { text: 'Have the app send base64url(SHA-256(verifier)), without padding: 43 characters.' },
  },
  'pkce-challenge-characters': {
    ...refused,
    text: 'The code_challenge has characters other than letters, digits, - . _ and ~.',
    decidedBy: 'The PKCE challenge is not base64url',
    developer: 'Your code_challenge is not base64url without padding (RFC 7636 §4.2).',
    change: { text: 'Have the app encode the challenge as base64url (- and _ in place of + and /), without padding.' },
  },
  'response-type-missing': {
    ...refused,
    text: 'The request has no response_type.',
    decidedBy: 'The response type is missing',
    developer: 'Your authorization request has no response_type. Send response_type=code.',
    change: { text: 'Have the app send response_type=code.' },
  },
  'response-type': {
    ...refused,
    text: 'Sent: response_type={{sent}}. Only code is supported.',
    decidedBy: 'The response type is not supported',
    developer: 'Your response_type is {{sent}}. Only code is supported: tokens come from the token endpoint.',
    change: { text: 'Have the app send response_type=code.' },
  },
  'response-mode': {
    ...refused,
    text: 'Sent: response_mode={{sent}}. Supported: {{supported}}.',
    decidedBy: 'The response mode is not supported',
    developer: 'Your response_mode is {{sent}}. Supported are {{supported}}.',
    change: { text: 'Have the app leave response_mode out, or send one of {{supported}}.' },
  },
  'par-required': {
    ...refused,
    text: 'The request came by the browser, and this client must push it.',
    decidedBy: 'The client must push its requests',
    developer: 'Your client must push its authorization requests to {{endpoint}} (RFC 9126).',
    change: {
      text: 'Have the app push its request to {{endpoint}}, or turn off Require pushed requests.',
      field: 'requirePar',
    },
  },
  'par-of-profile': {
    ...refused,
    text: 'The request came by the browser. The security profile of the client demands that it is pushed.',
    decidedBy: 'The client must push its requests',
    developer: 'Your client follows FAPI 2.0, and must push its authorization requests to {{endpoint}} (RFC 9126).',
    change: { text: 'Have the app push its request to {{endpoint}}.' },
  },
  'openid-missing': {
    ...refused,
    text: 'The request has {{parameter}} and not the scope openid.',
    decidedBy: 'The scope openid is missing',
    developer: 'Your authorization request has {{parameter}}, which needs the scope openid.',
    change: { text: 'Have the app request the scope openid, too, or leave out {{parameter}}.' },
  },
  'parameter-repeated': {
    ...refused,
    text: 'Sent more than once: {{parameters}}.',
    decidedBy: 'A parameter is repeated',
    developer: 'Your authorization request has more than once: {{parameters}}.',
    change: { text: 'Have the app send each parameter once: {{parameters}}.' },
  },
  'parameter-misnamed': {
    ...refused,
    text: 'The request has no {{parameter}}. It has {{similar}}, which is not the name of a parameter.',
    decidedBy: 'A parameter has another name',
    developer: 'Your authorization request has {{similar}} and no {{parameter}}, which is the name of the parameter.',
    change: { text: 'Have the app send {{parameter}} in place of {{similar}}.' },
  },
  'request-body-type': {
    ...refused,
    text: 'The request was pushed as {{type}}. Only application/x-www-form-urlencoded is read.',
    decidedBy: 'The body has another type than a form',
    developer: 'You pushed your request as {{type}}. Push it as application/x-www-form-urlencoded (RFC 9126 §2.1).',
    change: { text: 'Have the app push its request as application/x-www-form-urlencoded, not as {{type}}.' },
  },
  'request-in-address': {
    ...refused,
    text: 'The pushed parameters are in the address, where they are not read: {{parameters}}.',
    decidedBy: 'The parameters are in the address',
    developer: 'Your pushed request has {{parameters}} in its address. Send them in the body (RFC 9126 §2.1).',
    change: {
      text: 'Have the app send its parameters in the body, and replace a secret that stood in an address: logs may have it.',
    },
  },
  'parameter-invalid': {
    ...refused,
    text: 'The parameter {{parameter}} is not valid: {{reason}}.',
    decidedBy: 'A parameter is not valid',
    developer: 'The parameter {{parameter}} of your authorization request is not valid: {{reason}}.',
    change: { text: 'Have the app correct {{parameter}}, or leave it out: {{reason}}.' },
  },
  'parameter-unsupported': {
    ...refused,
    text: 'The parameter {{parameter}} is not supported.',
    decidedBy: 'A parameter is not supported',
    developer: 'The parameter {{parameter}} of your authorization request is not supported.',
    change: { text: 'Have the app leave out {{parameter}}.' },
  },
  'silent-impossible': {
    ...refused,
    text: 'The app asked for an answer without a page (prompt=none), and a page is needed: {{error}}.',
    decidedBy: 'A page is needed, and the app allows none',
    developer: 'You sent prompt=none, and the user has to do something first: {{error}}.',
    change: { text: 'Have the app repeat the request without prompt=none.' },
  },
  'acr-not-reached': {
    ...refused,
    text: 'The app insists on a level of sign-in (an essential acr) that the user’s sign-in does not have.',
    decidedBy: 'The sign-in is weaker than the app insists on',
    developer: 'You named an acr as essential, and the sign-in of the user has none of its values.',
    change: {
      text: 'Have the user sign in with a passkey or a second factor, or have the app ask by acr_values instead.',
    },
  },
  'passkeys-off': {
    ...refused,
    text: 'The client requires a sign-in with a passkey, and passkeys are switched off.',
    decidedBy: 'The client requires a passkey, and there are none',
    developer: 'Your client requires a sign-in with a passkey, which is not possible here at the moment.',
    change: { text: 'Switch passkeys on, or choose another required sign-in.', field: 'requiredAcr' },
  },
  'dpop-key-differs': {
    ...refused,
    text: 'The dpop_jkt is not the thumbprint of the key of the DPoP proof.',
    decidedBy: 'The request names two DPoP keys',
    developer: 'The dpop_jkt of your pushed request is not the thumbprint of the key of its DPoP proof (RFC 9449 §10).',
    change: { text: 'Have the app use one DPoP key, or leave out dpop_jkt.' },
  },
  'starts-exhausted': {
    ...refused,
    text: 'One network address has started more than {{maximum}} requests within a minute. Wait {{seconds}} s.',
    decidedBy: 'Too many starts from one address',
    developer: 'Too many authorization requests came from your address. Please wait {{seconds}} s.',
    change: {
      text: 'Wait. If many people share one address, raise limits.startsPerMinute, and check server.trustedProxies.',
      configuration: 'limits.startsPerMinute',
    },
  },
  'request-unreadable': {
    ...refused,
    text: 'The request cannot be read: {{fault}}.',
    decidedBy: 'The request cannot be read',
    developer: 'Your request cannot be read: {{fault}}.',
    change: {
      text: 'Have the app encode its parameters as UTF-8 (application/x-www-form-urlencoded), and send each header once.',
    },
  },
  'request-other-host': {
    ...refused,
    text: 'The request was sent to {{sent}}, and the portal is {{expected}}.',
    decidedBy: 'The request names another host',
    developer: 'Your request went to the host {{sent}}. Use the addresses of the discovery document.',
    change: {
      text: 'Have the app use the addresses of the discovery document. If {{sent}} is right, correct server.issuer, or the Host header that the reverse proxy sends.',
      configuration: 'server.issuer',
    },
  },
  'request-for-tokens': {
    ...refused,
    text: 'It is a token request ({{parameters}}), and was sent to the wrong endpoint.',
    decidedBy: 'A token request was sent to the wrong endpoint',
    developer: 'You sent a token request ({{parameters}}) to the wrong endpoint. Send it to {{endpoint}}.',
    change: {
      text: 'Have the app send its token requests to {{endpoint}}, and replace a secret that it sent in an address.',
    },
  },
  'registration-not-offered': {
    ...refused,
    title: 'A program tried to register a client',
    text: 'The request was for dynamic registration (RFC 7591). Administrators register clients here.',
    decidedBy: 'There is no dynamic registration',
    developer: 'There is no dynamic registration here. Ask an administrator of this portal for a client ID.',
    change: { text: 'Register the app as a client if it is wanted, and give its developer the client ID.' },
  },
  'request-form-gone': {
    ...refused,
    text: 'The form that the app posted is kept for ten minutes, and these are over.',
    decidedBy: 'The posted request is not kept any more',
    developer: 'The address of your posted authorization request is over. Post the request again.',
    change: { text: 'Start the app again.' },
  },
  'request-too-large': {
    ...refused,
    text: 'The request is larger than {{kilobytes}} kB.',
    decidedBy: 'The request is too large',
    developer: 'Your request is larger than {{kilobytes}} kB.',
    change: { text: 'Have the app push a large request, or shorten its state and scopes.' },
  },
  ...requestObjectCauses,
  ...launchCauses,
  ...announcementCauses,
} as const satisfies Record<string, Cause>;
