import type { Cause } from './cause.js';

const refused = { stage: 'gateway', severity: 'notice', title: 'A request for data was refused' } as const;

/** The codes of all these causes begin with it. */
export const gatewayPrefix = 'gateway-';

/** Refusals of the gateway to tokens of a launch. They do not change its outcome. */
export const gatewayCauses = {
  'gateway-refused': {
    ...refused,
    text: '{{method}} {{type}}: {{sentence}}',
    decidedBy: 'A request for data was refused with {{status}}',
    developer: 'The request {{method}} {{type}} was refused with {{status}}: {{sentence}}',
    apart: ['status', 'sentence'],
  },
  'gateway-scope-missing': {
    ...refused,
    text: '{{method}} {{type}} needs a scope such as {{scope}}.',
    decidedBy: 'The token lacks a scope',
    developer: 'The request {{method}} {{type}} needs a scope such as {{scope}}, which your token does not have.',
    change: { text: '{{remedy}}', field: '{{field}}', configuration: '{{configuration}}' },
    apart: ['scope'],
  },
  'gateway-scope-declined': {
    ...refused,
    text: '{{method}} {{type}} needs a scope such as {{scope}}, which the user did not allow.',
    decidedBy: 'The user did not allow the scope',
    developer:
      'The request {{method}} {{type}} needs a scope such as {{scope}}, which the user did not allow. The scope of the token answer says what the token may.',
    change: { text: 'The user can start the app again, and allow it on the consent page.' },
    apart: ['scope'],
  },
  'gateway-type-unknown': {
    ...refused,
    text: '{{method}} {{type}}: the FHIR server has no such resource type. {{nearest}}',
    decidedBy: 'The FHIR server does not have the resource type',
    developer:
      'The request {{method}} {{type}} is for a resource type that the FHIR server does not have. {{nearest}} No scope opens it.',
    change: { text: 'Have the app request the right resource type: {{right}}.' },
    apart: ['type'],
  },
  'gateway-operation-unknown': {
    ...refused,
    text: '{{method}} {{type}}: the FHIR server has no operation ${{operation}} here. {{nearest}}',
    decidedBy: 'The FHIR server does not have the operation',
    developer:
      'The request {{method}} {{type}} is for the operation ${{operation}}, which the FHIR server does not have here. {{nearest}}',
    change: { text: 'Have the app run the right operation: {{right}}.' },
    apart: ['operation'],
  },
  'gateway-sign-in': {
    ...refused,
    text: '{{method}} {{type}} needs {{needed}} of the user.',
    decidedBy: 'The user’s sign-in is too weak or too old for the request',
    developer:
      'The request {{method}} {{type}} needs {{needed}} of the user. Send them through the authorization request again, with the acr_values and max_age of the challenge (RFC 9470).',
    change: {
      text: 'Have the app follow the challenge, or change what requests demand.',
      configuration: 'gateway.stepUp',
    },
    apart: ['type', 'needed'],
  },
  'gateway-body-type': {
    ...refused,
    text: '{{method}} {{type}}: the body was sent {{sent}}. It is read {{needed}}.',
    decidedBy: 'The body has a form that is not read',
    developer: 'The body of your request {{method}} {{type}} was sent {{sent}}. It is read {{needed}}.',
    change: { text: 'Have the app send its body {{needed}}.' },
    apart: ['type', 'sent'],
  },
  'gateway-search-parameter': {
    ...refused,
    text: '{{method}} {{type}}: the search parameter {{name}} {{fault}}. {{nearest}}',
    decidedBy: 'A search parameter is not known',
    developer: 'The search parameter {{name}} of your request {{method}} {{type}} {{fault}}. {{nearest}}',
    change: { text: 'Have the app use {{right}}.' },
    apart: ['type', 'name'],
  },
  'gateway-unreadable': {
    ...refused,
    text: '{{method}} {{type}}: the request was not processed: {{fault}}.',
    decidedBy: 'A request for data cannot be processed: {{fault}}',
    developer: 'Your request {{method}} {{type}} was not processed: {{fault}}. {{remedy}}',
    change: { text: '{{remedy}}', configuration: '{{configuration}}' },
    apart: ['fault'],
  },
  'gateway-not-open': {
    ...refused,
    text: '{{method}} {{type}}: there is no such resource, or it is not open to this token.',
    decidedBy: 'The resource does not exist or is not open to the token',
    developer: 'The request {{method}} {{type}} found nothing that is open to your token.',
    change: { text: 'Check the patient in context and the categories of the scopes.' },
    apart: ['type'],
  },
  'gateway-representation-held': {
    ...refused,
    text: '{{method}} {{type}}: the user acts for a patient, and may not do so now: {{reason}}.',
    decidedBy: 'The user may not act for the patient now',
    developer: 'The user of your app may not act for this patient now. The token may work again later.',
    change: { text: 'See the relationship of the user with the patient, and the table of ages of its basis.' },
  },
  'gateway-kept-private': {
    ...refused,
    text: '{{method}} {{type}}: the user acts for the patient, and {{what}} is kept private from them.',
    decidedBy: 'It is kept private from the user, who acts for the patient',
    developer:
      'The request {{method}} {{type}} is for what is kept private from the user, who acts for a patient. Your app can do without it.',
    change: { text: '{{remedy}}', configuration: '{{configuration}}' },
    apart: ['type', 'what'],
  },
  'gateway-change-protected': {
    ...refused,
    text: '{{method}} {{type}}: {{what}} decides who may act for a patient, and what they may see. A token of one patient leaves it as it is.',
    decidedBy: 'A token of one patient may not change who acts for the patient',
    developer:
      'The request {{method}} {{type}} would change {{what}}, by which this portal decides who may act for the patient. A token of one patient leaves it as it is.',
    change: { text: 'Have it changed at the FHIR server, or by a token that is not limited to one patient.' },
    apart: ['type', 'what'],
  },
  'gateway-shown-in-part': {
    ...refused,
    text: '{{method}} {{type}}: the token shows only a part of the resource, and a change would take away the rest: {{what}}.',
    decidedBy: 'The token shows only a part of the resource',
    developer:
      'The request {{method}} {{type}} would change a resource of which only a part is shown to your token. Such a resource is left as it is.',
    change: { text: 'Have it changed at the FHIR server, or by a token that is not limited to one patient.' },
    apart: ['type', 'what'],
  },
  'gateway-change-not-in-level': {
    ...refused,
    text: '{{method}} {{type}}: the level at which the user acts for the patient lets nothing of this type be changed.',
    decidedBy: 'The level of the representative permits no change of the type',
    developer:
      'The request {{method}} {{type}} was refused: the user acts for a patient, at a level that lets nothing of this type be changed.',
    change: { text: 'Add the kind to what the level may change.', configuration: 'representation.levels' },
    apart: ['type'],
  },
  'gateway-change-outside': {
    ...refused,
    text: '{{method}} {{type}}: the token allows only resources {{which}}, and what was sent is none of them.',
    decidedBy: 'What was sent is not about the patient of the launch, or of another category',
    developer:
      'The request {{method}} {{type}} was refused: your token allows only resources {{which}}, and what you sent is none of them.',
    change: {
      text: 'Have the app name the patient of the token answer in the resource, and a category of its scopes.',
    },
    apart: ['type', 'which'],
  },
  // For administrators alone: to the app the answer is that of a search without a match. Neither type nor values of the
  // search are kept, which would tell what a record has.
  'gateway-search-emptied': {
    ...refused,
    title: 'A search was left without a match by the limits of the token',
    text: 'It asked for another patient or for other categories than the token is for, or found only what the token does not open. The app got an empty answer.',
    decidedBy: 'The limits of the token left a search without a match',
    change: {
      text: 'Compare the patient in context and the categories of the scopes with what the app searches for.',
    },
  },
  'gateway-other-patient': {
    ...refused,
    text: '{{method}} {{type}}: the token is for the patient of the launch alone, and the request named another one.',
    decidedBy: 'The request is for another patient than the launch',
    developer:
      'The request {{method}} {{type}} is for another patient than that of your launch. The token answer has the right id in its member patient.',
    change: { text: 'Have the app use the id in the member patient of the token answer.' },
  },
  'gateway-document-elsewhere': {
    ...refused,
    text: '{{method}} {{document}}: the FHIR base does not have this document. It is at {{right}}.',
    decidedBy: 'The document is at another address',
    developer:
      'Your request {{method}} {{document}} went to the FHIR base, which does not have this document. It is at {{right}}. The FHIR base has .well-known/smart-configuration and metadata.',
    change: { text: 'Have the app read {{right}}, or .well-known/smart-configuration below the FHIR base.' },
    apart: ['document'],
  },
  'gateway-endpoint-elsewhere': {
    ...refused,
    title: 'A request for an endpoint went to the FHIR base',
    text: '{{method}} {{sent}}: the FHIR base has no endpoints of OAuth. The {{endpoint}} is at {{right}}.',
    decidedBy: 'The {{endpoint}} is at another address',
    developer:
      'Your request {{method}} {{sent}} went to the FHIR base, which has no endpoints of OAuth. The {{endpoint}} is at {{right}}. Your app can read the addresses from .well-known/smart-configuration below the FHIR base.',
    change: { text: 'Have the app use {{right}}, as .well-known/smart-configuration of the FHIR base says.' },
    apart: ['sent'],
  },
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
    text: '{{method}} {{type}}: the request has no Authorization header.',
    decidedBy: 'The request has no access token',
    developer: 'Your request {{method}} {{type}} has no Authorization header. Send your access token in it, as Bearer.',
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
  'gateway-request-form': {
    ...refused,
    text: '{{method}} {{type}}: {{fault}}.',
    decidedBy: 'The request has no form of the FHIR API: {{fault}}',
    developer: 'Your request {{method}} {{type}} has no form that is taken here: {{fault}}. {{remedy}}',
    change: { text: '{{remedy}}' },
    apart: ['type', 'fault'],
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
    change: { text: '{{remedy}}' },
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
      text: 'Have the app send, for each request, a DPoP proof with its method, its address and the token’s hash.',
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
