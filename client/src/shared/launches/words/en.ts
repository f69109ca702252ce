import type { LaunchState } from '../../../../../src/contract/activity.js';
import { addWords } from '../../i18n/add-words.js';

const activity = {
  outcomes: {
    completed: 'Signed in',
    refused: 'Refused',
    failed: 'Failed',
    declined: 'Declined',
    left: 'Left',
    open: 'In progress',
    ended: 'Access ended',
    'request-refused': 'Request refused',
  } satisfies Record<LaunchState, string>,
  succeeded: 'Succeeded',
  today: 'Today',
  yesterday: 'Yesterday',
  noApp: 'Unknown app',
  notRegistered: 'Not registered',
  noPerson: 'No person',
  service: 'Back-end service',
  unknownSender: 'Unknown sender',
  notSignedIn: 'Not signed in',
  deletedPerson: 'Deleted account',
  seconds: '{{seconds}} s',
  minutes: '{{minutes}} min',
  hours: '{{hours}} h',
  auditEvents: 'Audit entries',
} as const;

export const words = addWords({ activity });

declare module '../../i18n/add-words.js' {
  interface Words {
    'shared/launches': typeof words;
  }
}
