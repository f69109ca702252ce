import type { Cause } from './cause.js';

/** Code, token and refresh requests, and those of back-end services. */
export const tokenCauses = {
  'code-issued': { stage: 'token', severity: 'step', title: 'Code sent back to the app' },
  'tokens-issued': { stage: 'token', severity: 'step', title: 'Tokens issued' },
  'tokens-refreshed': { stage: 'token', severity: 'step', title: 'Tokens refreshed' },
  'token-refused': {
    stage: 'token',
    severity: 'refused',
    title: 'Token request refused',
    text: '{{error}}: {{description}}',
    decidedBy: 'The token request is not valid',
    developer: 'Your token request was refused with {{error}}: {{description}}.',
  },
} as const satisfies Record<string, Cause>;
