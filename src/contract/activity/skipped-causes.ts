import type { Cause } from './cause.js';

const dropped = { stage: 'scopes', apart: ['scope'], severity: 'notice', title: '{{scope}} was dropped' } as const;

/** Scopes that need what the user has not chosen. */
export const skippedCauses = {
  'scope-patient-skipped': {
    ...dropped,
    text: 'There is no patient in context: the user chose none.',
    decidedBy: 'The user chose no patient',
    developer: 'The scope {{scope}} needs a patient in context, and the user chose none.',
    change: { text: 'Have the user choose a patient. An app that can do without one needs no launch/patient.' },
  },
  'scope-choice-skipped': {
    ...dropped,
    text: 'There is no such resource in context: {{type}}. The user chose none.',
    decidedBy: 'The user chose none',
    developer: 'The scope {{scope}} needs a resource in context, and the user chose none: {{type}}.',
    change: { text: 'Have the user choose one: {{type}}.' },
  },
} as const satisfies Record<string, Cause>;
