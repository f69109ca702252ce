import type { Cause } from '../cause.js';

const refused = { stage: 'gateway', severity: 'notice', title: 'A request for data was refused' } as const;

/** Requests that are beyond what the token, its user or its patient permits. */
export const permissionCauses = {
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
    change: {
      text: 'See the relationship at the user, and the age rules of its basis.',
      page: 'user',
    },
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
    text: '{{method}} {{type}}: the token allows only resources {{which}}, and what was sent is none of them. {{named}}',
    decidedBy: 'What was sent is not about the patient of the launch, or of another category',
    developer:
      'The request {{method}} {{type}} was refused: your token allows only resources {{which}}, and what you sent is none of them. {{named}}',
    change: {
      text: 'Have the app name the patient of the token answer in the resource, and a category of its scopes.',
    },
    apart: ['type', 'which', 'named'],
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
} as const satisfies Record<string, Cause>;
