import type { Cause } from '../cause.js';

const refused = { stage: 'request', severity: 'refused', title: 'Announcement of an EHR refused' } as const;
const callers = { configuration: 'ehr.callers' } as const;

/**
 * Faults of an EHR at `/connect/launchContext`. They name parameters, and the records that do not fit; no other values.
 */
export const announcementCauses = {
  'ehr-credentials-missing': {
    ...refused,
    text: 'The Authorization header has no readable id and secret (HTTP Basic): {{reason}}.',
    decidedBy: 'The EHR sent no credentials',
    developer: 'Send the id and the secret of the EHR by HTTP Basic, as they are: not percent-encoded.',
    change: { text: 'Have the EHR send the id and secret of ehr.callers by HTTP Basic.', ...callers },
  },
  'ehr-unknown': {
    ...refused,
    text: 'No system has the id {{caller}}. {{similar}}',
    decidedBy: 'The EHR is unknown',
    developer: 'The id or the secret of the EHR is wrong.',
    change: { text: 'Add the EHR to ehr.callers, or have it send the id that is configured.', ...callers },
  },
  'ehr-credentials-swapped': {
    ...refused,
    text: 'The EHR {{caller}} sent its secret as its id, and its id as its secret.',
    decidedBy: 'The id and the secret of the EHR were swapped',
    developer: 'You sent the secret of the EHR in the place of its id, and the id in that of the secret.',
    change: {
      text: 'Have the EHR send its id first, then its secret. Replace the secret if logs keep ids.',
      ...callers,
    },
  },
  'ehr-secret-wrong': {
    ...refused,
    text: 'The secret is not the one of {{caller}}.',
    decidedBy: 'The secret of the EHR is wrong',
    developer: 'The id or the secret of the EHR is wrong.',
    change: { text: 'Compare the secret of {{caller}} in ehr.callers with the one that the EHR sends.', ...callers },
  },
  'ehr-secrets-throttled': {
    ...refused,
    text: 'Too many wrong secrets came from the address of this request. It may try again in {{seconds}} s.',
    decidedBy: 'Too many wrong secrets of EHRs came from one address',
    developer: 'Too many wrong secrets came from your address. Try again in {{seconds}} s.',
    change: { text: 'Correct the secret that the EHR sends, and wait {{seconds}} s.', ...callers },
  },
  'ehr-body': {
    ...refused,
    text: 'The body was sent as {{type}}: {{reason}}.',
    decidedBy: 'The body of the announcement cannot be read',
    developer:
      'Send application/x-www-form-urlencoded, or a JSON object as application/json. You sent {{type}}: {{reason}}.',
    change: { text: 'Have the EHR send a form, or a JSON object with the same members, with its Content-Type.' },
  },
  'ehr-method': {
    ...refused,
    text: 'The endpoint for announcements got a {{method}} request, and takes POST. {{found}}',
    decidedBy: 'The announcement has the wrong method',
    developer: 'You sent a {{method}} request to the endpoint for announcements, which takes POST. {{found}}',
    change: { text: 'Have the EHR send its announcement by POST, with the parameters in the body.' },
  },
  'ehr-in-address': {
    ...refused,
    text: 'Parameters of the announcement are in the address, where they are not read: {{parameters}}.',
    decidedBy: 'The parameters of the announcement are in the address',
    developer: 'Your announcement has {{parameters}} in its address. Send them in the body.',
    change: { text: 'Have the EHR send {{parameters}} in the body of its announcement.' },
  },
  'ehr-client-unknown': {
    ...refused,
    text: 'The EHR announced a launch of {{clientId}}. No client has this ID. {{similar}}',
    decidedBy: 'The announced client is not registered',
    developer: 'No client has the client_id {{clientId}} that you announced. Send the ID of the app, or leave it out.',
    change: { text: '{{remedy}}' },
  },
  'ehr-client-disabled': {
    ...refused,
    text: 'The EHR announced a launch of {{clientId}}, which is disabled.',
    decidedBy: 'The announced client is disabled',
    developer:
      'The client {{clientId}} that you announced is disabled here. Please ask its administrator to enable it.',
    change: { text: 'Turn on Enabled.', field: 'enabled' },
  },
  'ehr-record-elsewhere': {
    ...refused,
    text: 'Sent as {{parameter}}: {{sent}}, which is not below {{base}}, the FHIR base of the launch. {{found}}',
    decidedBy: 'The announced {{parameter}} is of another FHIR server',
    developer: 'You announced {{sent}} as {{parameter}}. Send {{right}}, or its address below {{base}}. {{found}}',
    change: { text: 'Have the EHR send {{right}} as {{parameter}}, with the id that it has below {{base}}.' },
  },
  'ehr-parameter': {
    ...refused,
    text: '{{reason}}',
    decidedBy: 'A parameter of the announcement is not valid',
    developer: 'Your announcement was refused: {{reason}}.',
    change: { text: 'Have the EHR correct what is told: {{reason}}.' },
  },
  'ehr-patient-unknown': {
    ...refused,
    text: 'The FHIR server has no Patient/{{patient}}.',
    decidedBy: 'The announced patient does not exist',
    developer: 'The FHIR server has no patient with the id that you announced.',
    change: { text: 'Have the EHR send the id that the patient has on the FHIR server.' },
  },
  'ehr-encounter-unknown': {
    ...refused,
    text: 'The FHIR server has no Encounter/{{encounter}}.',
    decidedBy: 'The announced encounter does not exist',
    developer: 'The FHIR server has no encounter with the id that you announced.',
    change: { text: 'Have the EHR send the id that the encounter has on the FHIR server.' },
  },
  'ehr-encounter-of-other': {
    ...refused,
    text: 'The subject of Encounter/{{encounter}} is not Patient/{{patient}}.',
    decidedBy: 'The announced encounter is of another patient',
    developer: 'The encounter that you announced is not of the patient that you announced.',
    change: { text: 'Have the EHR announce the encounter of the patient that it has open.' },
  },
  'ehr-patient-outside-panel': {
    ...refused,
    text: 'The user of the announcement may not choose its patient.',
    decidedBy: 'The patient is not in the panel of the user',
    developer: 'The user whom you announced may not open the patient whom you announced.',
    change: { text: 'Compare the panel of the practitioner with fhir.panel.', configuration: 'fhir.panel' },
  },
  'ehr-panel-unread': {
    ...refused,
    text: 'The FHIR server gave no answer to whether the patient is in the panel of the user.',
    decidedBy: 'The FHIR server gave no usable answer about the panel',
    developer: 'The FHIR server gave no answer about the user and the patient. Try again later.',
    change: { text: 'See the state of the FHIR server under Dashboard.', configuration: 'fhir.baseUrl' },
  },
} as const satisfies Record<string, Cause>;
