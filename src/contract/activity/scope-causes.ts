import type { Cause } from './cause.js';

/** Each scope of a request that was kept, narrowed or dropped. */
export const scopeCauses = {
  'scopes-kept': {
    stage: 'scopes',
    severity: 'step',
    title: 'Permissions checked',
    text: '{{asked}} asked, {{kept}} possible',
  },
} as const satisfies Record<string, Cause>;
