import type { Cause } from '../cause.js';

const refused = { stage: 'gateway', severity: 'notice', title: 'A request for data was refused' } as const;

/** Access tokens that are not accepted, and their DPoP proofs (RFC 9449 §7). */
export const accessTokenCauses = {
  'gateway-token-in-body': {
    ...refused,
    text: '{{method}} {{type}}: the token was sent in the body, where it is not read (RFC 6750 §2.2).',
    decidedBy: 'The access token was sent in the body',
    developer:
      'Your request {{method}} {{type}} has its token in the body. Send it in the Authorization header, as Bearer (RFC 6750 §2.1).',
    change: { text: 'Have the app send its token in the Authorization header.' },
  },
  'gateway-token-missing': {
    ...refused,
    text: '{{method}} {{type}}: the request has no Authorization header. {{found}}',
    decidedBy: 'The request has no access token',
    developer:
      'Your request {{method}} {{type}} has no Authorization header. Send your access token in it, as Bearer. {{found}}',
    change: { text: 'Have the app send its access token in the Authorization header.' },
  },
  'gateway-token-in-address': {
    ...refused,
    text: '{{method}} {{type}}: the token was sent in the address, which is not supported (RFC 6750 §2.3).',
    decidedBy: 'The access token was sent in the address',
    developer:
      'Your request {{method}} {{type}} has its token in the address, where logs keep it. Send it in the Authorization header, as Bearer (RFC 6750 §2.1).',
    change: {
      text: 'Have the app send its token in the Authorization header, and revoke a token that was in an address.',
    },
  },
  'gateway-token-unreadable': {
    ...refused,
    text: '{{method}} {{type}}: no token can be read from the Authorization header: {{reason}}.',
    decidedBy: 'The Authorization header has no access token',
    developer:
      'No token can be read from the Authorization header of your request {{method}} {{type}}: {{reason}}. It is the word Bearer, a space and the token.',
    change: { text: 'Have the app send the word Bearer, a space and its access token.' },
  },
  'gateway-token-placeholder': {
    ...refused,
    text: '{{method}} {{type}}: {{template}} stands in the place of the access token.',
    decidedBy: 'No access token was filled in',
    developer:
      'Your request {{method}} {{type}} has {{template}} in the place of the access token: nothing was filled in.',
    change: { text: 'Have the app keep the access_token of the token answer, and send it after the word Bearer.' },
  },
  'gateway-token-damaged': {
    ...refused,
    text: '{{method}} {{type}}: it would be a token that was issued here but for a damage: {{damage}}.',
    decidedBy: 'The access token is damaged',
    developer: 'The access token of your request {{method}} {{type}} is almost right. Look at it closely: {{damage}}.',
    change: {
      text: 'Have the app send the access token as it received it, in a header like: Bearer, a space, the token.',
    },
  },
  'gateway-token-changed': {
    ...refused,
    text: '{{method}} {{type}}: the token names this portal as its issuer, and {{fault}}.',
    decidedBy: 'The access token was changed or cut',
    developer: 'The access token of your request {{method}} {{type}} names this portal as its issuer, and {{fault}}.',
    change: {
      text: 'Have the app send the access token as it received it: a field that cuts long texts is a usual reason.',
    },
  },
  'gateway-token-other-kind': {
    ...refused,
    text: '{{method}} {{type}}: the text in the place of the access token looks like the {{sent}}.',
    decidedBy: 'The {{sent}} was sent as access token',
    developer:
      'Your request {{method}} {{type}} has the {{sent}} in the place of the access token. Send the member access_token of the token answer.',
    change: { text: 'Have the app send the member access_token of the token answer.' },
  },
  'gateway-token-foreign': {
    ...refused,
    text: '{{method}} {{type}}: the token names the issuer {{issuer}}.',
    decidedBy: 'The access token is of another server',
    developer:
      'The access token of your request {{method}} {{type}} names the issuer {{issuer}}, and is none of this portal.',
    change: { text: 'Have the app send tokens of this portal only to this portal, and others to their own servers.' },
  },
  'gateway-token-unknown': {
    ...refused,
    text: '{{method}} {{type}}: the token is none that is recorded here.',
    decidedBy: 'The access token is not known',
    developer:
      'The access token of your request {{method}} {{type}} is none that is recorded here. Check that it is unchanged; otherwise refresh it, or start a new launch.',
    change: { text: 'Have the app send the access token as it received it. The user can start the app again.' },
  },
  'gateway-token-expired': {
    ...refused,
    text: '{{method}} {{type}}: the access token expired {{seconds}} s ago.',
    decidedBy: 'The access token has expired',
    developer: 'Your access token expired {{seconds}} s ago. Refresh it before it ends.',
    change: { text: 'Have the app refresh its token in time, or extend its lifetime.', field: 'accessTokenLifetime' },
  },
  'gateway-app-paused': {
    ...refused,
    text: '{{method}} {{type}}: the user has paused the app. Its tokens work again when the user resumes it.',
    decidedBy: 'Paused by the user',
    developer: 'The user has paused your app. Try again later; your tokens work again when the user resumes it.',
    change: { text: 'The user can resume the app under Manage Apps, or when it is started again.' },
  },
  'gateway-access-had-ended': {
    ...refused,
    text: '{{method}} {{type}}: the access behind the token had ended. {{ended}}',
    decidedBy: '{{reason}}, on {{at}}',
    developer: 'Your access token is not valid any more: the access behind it ended on {{at}}. {{told}}',
    change: { text: '{{remedy}}', field: '{{field}}', page: '{{page}}' },
  },
  'gateway-client-disabled': {
    ...refused,
    text: '{{method}} {{type}}: the client of the token is disabled.',
    decidedBy: 'The client is disabled',
    developer: 'Your client is disabled here. Please ask its administrator to enable it.',
    change: { text: 'Enable the client. The user can then start the app again.', field: 'enabled' },
  },
  'gateway-client-gone': {
    ...refused,
    text: '{{method}} {{type}}: the client of the token is not registered any more.',
    decidedBy: 'The client is not registered any more',
    developer: 'Your client is not registered here any more. Please ask for a new registration.',
    change: { text: 'Register the client again, if its app shall be used.' },
  },
  'gateway-account-gone': {
    ...refused,
    text: '{{method}} {{type}}: the account of the token does not exist any more.',
    decidedBy: 'The account of the token does not exist any more',
    developer: 'The account of the user does not exist any more.',
    change: { text: 'The user needs another account, and can then start the app again.' },
  },
  'gateway-account-elsewhere': {
    ...refused,
    text: '{{method}} {{type}}: the account of the token belongs to another tenant by now.',
    decidedBy: 'The account of the token belongs to another tenant',
    developer: 'The account of the user may not use this FHIR base any more.',
    change: { text: 'Compare the tenants of the account with the base of the launch.' },
  },
  'gateway-token-bound': {
    ...refused,
    text: '{{method}} {{type}}: the access token is bound to a key, and was sent with the scheme Bearer and {{proof}}.',
    decidedBy: 'A token that is bound to a key was sent as Bearer',
    developer:
      'The access token of your request {{method}} {{type}} is bound to a key, and you sent it with the scheme Bearer and {{proof}}. Send it with the scheme DPoP and a proof (RFC 9449 §7.1).',
    change: {
      text: 'Have the app send its token with the scheme DPoP and a proof for each request, as token_type of the token answer says.',
    },
  },
  'gateway-token-unbound': {
    ...refused,
    text: '{{method}} {{type}}: the access token is bound to no key, and was sent with {{sent}}.',
    decidedBy: 'A token that is bound to no key was sent with DPoP',
    developer:
      'The access token of your request {{method}} {{type}} is bound to no key, and you sent it with {{sent}}. Send it as Bearer without a proof, or have it bound by a proof in your token request (RFC 9449 §5).',
    change: {
      text: 'Have the app send its token as Bearer and without a DPoP proof, as token_type of the token answer says.',
    },
  },
  'gateway-token-of-profile': {
    ...refused,
    text: '{{method}} {{type}}: the security profile of the client permits tokens that are bound to a key alone, and this one is bound to none.',
    decidedBy: 'The security profile demands a token that is bound to a key',
    developer:
      'Your client follows FAPI 2.0, and your access token is bound to no key. Get a new one with a DPoP proof.',
    change: { text: 'The user can start the app again: new tokens are bound to the key of the app.' },
  },
  'gateway-proof-missing': {
    ...refused,
    text: '{{method}} {{type}}: the access token is bound to a key, and the request has no DPoP proof.',
    decidedBy: 'The request has no DPoP proof',
    developer:
      'Your request {{method}} {{type}} has no header DPoP. Send a proof for each request, with its method, its address and the hash of the token (RFC 9449 §7).',
    change: { text: 'Have the app send a DPoP proof with each request for data.' },
  },
  'gateway-token-ended': {
    ...refused,
    text: '{{method}} {{type}}: the access token has not expired, and was not accepted. No record says why.',
    decidedBy: 'The access token was not accepted',
    developer: 'Your access token was not accepted, though it has not expired. Start a new launch.',
    change: { text: 'The user can start the app again.' },
  },
  'gateway-token-elsewhere': {
    ...refused,
    text: '{{method}} {{type}}: the token is for {{sent}}, the request went to {{expected}}.',
    decidedBy: 'The access token is for another address',
    developer: 'Your access token is for {{sent}}, but your request went to {{expected}}.',
    change: { text: 'Have the app send this token to {{sent}} alone, and get another one for {{expected}}.' },
  },
  'gateway-proof-refused': {
    ...refused,
    text: '{{method}} {{type}}: {{sentence}}',
    decidedBy: 'The DPoP proof is not valid',
    developer: 'The request {{method}} {{type}} was refused: {{sentence}}',
    change: {
      text: 'Have the app correct the proof that it sends with each request. {{sentence}}',
    },
    apart: ['sentence'],
  },
  'gateway-nonce': {
    ...refused,
    title: 'The app was given a nonce for its DPoP proof',
    text: '{{method}} {{type}}: the DPoP proof had no nonce of this portal, or an old one. The answer gave a new one, with which the app repeats the request.',
    decidedBy: 'The DPoP proof of a request for data needs a nonce',
    developer:
      'The DPoP proof of {{method}} {{type}} needs the nonce of the header DPoP-Nonce of the answer. Repeat the request with a new proof that has it (RFC 9449 §9).',
    change: {
      text: 'Have the app repeat a request that is refused with use_dpop_nonce, with the nonce of the answer.',
    },
  },
} as const satisfies Record<string, Cause>;
