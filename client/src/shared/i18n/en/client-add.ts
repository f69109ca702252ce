/** The start of a new client. */
export const clientAdd = {
  question: 'What kind of client is it?',
  lead: 'Each begins with settings that are safe for it. You can change all of them.',
  templates: {
    'patient-app': {
      title: 'Patient app',
      text: 'Runs on a phone or in a browser, and can keep no secret. Access lasts while the patient is signed in.',
      sets: 'PKCE, consent, reading only, tokens for 15 minutes',
    },
    'patient-app-with-backend': {
      title: 'Patient app with a backend',
      text: 'Its server keeps a secret, and may go on reading when the patient is not there.',
      sets: 'PKCE, consent, reading only, offline access for 90 days',
    },
    'ehr-app': {
      title: 'EHR app',
      text: 'Staff start it from the health record, for the patient they have open.',
      sets: 'PKCE, reading only, tokens for 15 minutes, access for 12 hours',
    },
    'backend-service': {
      title: 'Back-end service',
      text: 'Works without a user. It proves itself by keys that it publishes.',
      sets: 'Key set, reading only, tokens for 5 minutes',
    },
    'bulk-export': {
      title: 'Bulk export',
      text: 'A service that exports the data of many patients at once.',
      sets: 'Key set, reading and $export only, tokens for 5 minutes',
    },
  },
  none: {
    title: 'Without a template',
    text: 'Begins with the defaults of this portal.',
  },
  otherKind: 'Other kind',
  duplicate: 'Duplicate',
  tryLaunch: 'Try a launch',
  copyName: 'Copy of {{name}}',
  copied:
    'These are the settings of {{name}}, without its client ID, secrets and keys. The copy is disabled until you enable it.',
  copiedUris: 'These addresses are those of {{name}}. Replace them, unless both are the same app.',
} as const;
