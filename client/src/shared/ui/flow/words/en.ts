import { addWords } from '../../../i18n/add-words.js';

const way = {
  step: 'Step {{step}} of {{total}} · {{client}}',
  goOn: 'Continue to {{client}}',
  out: 'Cancel and return to {{client}}',
} as const;

const launchContext = {
  patient: { label: 'Patient', born: 'Born {{date}}', record: 'Record {{number}}', change: 'Change patient' },
} as const;

const launchError = {
  reference: 'Reference for the help desk',
  copy: 'Copy',
} as const;

export const words = addWords({ launchError, launchContext, way });

declare module '../../../i18n/add-words.js' {
  interface Words {
    'shared/ui/flow': typeof words;
  }
}
