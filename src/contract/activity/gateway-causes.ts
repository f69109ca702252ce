import type { Cause } from './cause.js';

/** Refusals of the gateway to tokens of a launch. They do not change its outcome. */
export const gatewayCauses = {
  'gateway-refused': {
    stage: 'gateway',
    severity: 'notice',
    title: 'A request for data was refused',
    text: '{{method}} {{type}}: {{sentence}}',
    decidedBy: 'The token does not permit the request',
    developer: 'The request {{method}} {{type}} was refused with {{status}}: {{sentence}}',
    apart: ['status', 'sentence'],
  },
} as const satisfies Record<string, Cause>;
