import type { Cause } from '../cause.js';

const refused = { stage: 'request', severity: 'refused', title: 'EHR launch refused' } as const;

/** The `launch` parameter of an EHR launch. Its value is a secret of the EHR and the app: no entry has it. */
export const launchCauses = {
  'launch-unknown': {
    ...refused,
    text: 'The launch value was not issued here, or it expired long ago.',
    decidedBy: 'The launch is unknown',
    developer: 'Your launch value is unknown here. Send the value that the EHR gave you with this launch, unchanged.',
    change: { text: 'Have the app send the launch parameter as it got it, and only for the EHR that launched it.' },
  },
  'launch-malformed': {
    ...refused,
    text: 'The launch value was not issued here: its length is {{length}} instead of 43.',
    decidedBy: 'The launch value is none of this portal',
    developer:
      'Your launch value is none of this portal: its length is {{length}} instead of 43. Send the value that the EHR gave you with this launch, not the id of a patient.',
    change: { text: 'Have the app send the launch parameter as the EHR gave it.' },
  },
  'launch-damaged': {
    ...refused,
    text: 'It would be a launch that the EHR announced but for a damage: {{damage}}.',
    decidedBy: 'The launch value is damaged',
    developer: 'Your launch value is almost right. Look at it closely: {{damage}}.',
    change: { text: 'Have the app send the launch parameter as the EHR gave it, decoded once.' },
  },
  'launch-used': {
    ...refused,
    text: 'The launch value was used {{seconds}} s ago; each works once.',
    decidedBy: 'The launch was used before',
    developer: 'Your launch value was used {{seconds}} s ago. Each works once: launch again from the EHR.',
    change: { text: 'Launch the app again from the EHR.' },
  },
  'launch-expired': {
    ...refused,
    text: 'The launch value expired {{seconds}} s ago; it lives for ten minutes.',
    decidedBy: 'The launch has expired',
    developer: 'Your launch value expired {{seconds}} s ago. Start the authorization right after the launch.',
    change: { text: 'Launch the app again from the EHR.' },
  },
  'launch-foreign': {
    ...refused,
    text: 'The EHR announced the launch for the client {{registered}}, and {{sent}} presented it.',
    decidedBy: 'The launch is for another client',
    developer: 'Your launch value was announced for another client.',
    change: { text: 'Have the EHR announce the launch for {{sent}}, or without a client.' },
  },
  'launch-other-tenant': {
    ...refused,
    text: 'The EHR announced the launch for {{registered}}, and the request is for {{sent}}.',
    decidedBy: 'The launch is for another tenant',
    developer: 'Your launch value is for another FHIR base than the aud of your request.',
    change: { text: 'Have the app send as aud the iss that it was launched with.' },
  },
  'launch-without-scope': {
    stage: 'request',
    severity: 'notice',
    title: 'The context of the EHR is withheld',
    text: 'The app sent the launch of an EHR and did not request the scope launch.',
    decidedBy: 'The scope launch is missing',
    developer: 'You sent launch and did not request the scope launch: you get no context of the EHR.',
    change: { text: 'Have the app request the scope launch.' },
  },
  'launch-parameters-unread': {
    stage: 'request',
    severity: 'notice',
    title: 'A part of the announcement of the EHR was not read',
    text: 'The EHR sent what has no meaning here: {{names}}.',
    decidedBy: 'The announcement has unknown parameters',
    developer: 'The announcement of your launch has what has no meaning here: {{names}}.',
    change: { text: 'Have the EHR use the names of the parameters: {{names}}.' },
  },
  'launch-scope-alone': {
    stage: 'request',
    severity: 'notice',
    title: 'No EHR launched the app',
    text: 'The app requested the scope launch, and sent no launch of an EHR.',
    decidedBy: 'The launch parameter is missing',
    developer: 'You requested the scope launch and sent no launch. Request launch/patient to let the user choose.',
    change: { text: 'Have the app send the launch that the EHR gave it, or request launch/patient.' },
  },
} as const satisfies Record<string, Cause>;
