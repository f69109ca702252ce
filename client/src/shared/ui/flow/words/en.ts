import { addWords } from '../../../i18n/add-words.js';

const way = {
  step: 'Step {{step}} of {{total}} · {{client}}',
  goOn: 'Continue to {{client}}',
  out: 'Cancel and return to {{client}}',
} as const;

const launchContext = {
  patient: { label: 'Patient', born: 'Born {{date}}', record: 'Record {{number}}', change: 'Change patient' },
} as const;

/** For a user who acts for a patient. */
const acting = {
  banner: 'You act for {{patient}}',
  badge: 'Acts for {{patient}}',
  avatar: '{{user}} acts for {{patient}}',
  /** The words for relations are those of the hospital. */
  relation: 'Your {{relation}}',
  relationAge: 'Your {{relation}}, {{age}}',
  years_one: '{{count}} year',
  years_other: '{{count}} years',
  months_one: '{{count}} month',
  months_other: '{{count}} months',
  change: 'Change person',
} as const;

const launchError = {
  reference: 'Reference for the help desk',
  copy: 'Copy',
} as const;

export const words = addWords({ acting, launchError, launchContext, way });

declare module '../../../i18n/add-words.js' {
  interface Words {
    'shared/ui/flow': typeof words;
  }
}
