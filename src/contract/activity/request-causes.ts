import type { Cause } from './cause.js';

/** The app's authorization request, pushed or direct. */
export const requestCauses = {
  'request-received': {
    stage: 'request',
    severity: 'step',
    title: 'The app asked to start',
    text: '{{how}}',
  },
  'request-refused': {
    stage: 'request',
    severity: 'refused',
    title: 'Authorization request refused',
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
} as const satisfies Record<string, Cause>;
