import type { Cause } from './cause.js';

/** The person's steps, from sign-in to consent. */
export const personCauses = {
  'page-shown': {
    stage: 'person',
    severity: 'step',
    title: 'The page {{page}} was shown',
    apart: ['page'],
  },
  declined: {
    stage: 'person',
    severity: 'declined',
    title: 'The person declined',
    decidedBy: 'The person chose to decline',
    developer: 'The person declined your request. Nothing is wrong with it.',
  },
} as const satisfies Record<string, Cause>;
