import { addWords } from '../../../../shared/i18n/add-words.js';

const clientEnding = {
  disable: 'Disable',
  enable: 'Enable',
  disableTitle: 'Disable client {{name}}?',
  disableText:
    'The client is refused at once. You can undo this for 10 seconds; after that, all access of its users ends, and enabling the client does not bring it back.',
  disabled: '{{name}} is disabled',
  enabled: '{{name}} is enabled',
  enabledLate: '{{name}} is enabled, but the access of its users had already ended.',
  deleteUndo: 'For 10 seconds you can undo the deletion.',
  deletedLate: 'It was too late to undo: {{name}} is deleted.',
  people_one: '{{count}} person',
  people_other: '{{count}} people',
  tokens_one: '{{count}} token',
  tokens_other: '{{count}} tokens',
  ends: 'This ends the access of {{people}}, {{tokens}}.',
  endsAtLeast: 'This ends the access of at least {{people}}, {{tokens}}.',
  none: 'There are no stored tokens now.',
  selfContained: 'Self-contained access tokens are not counted. They are refused here, too.',
  used_zero: 'No launch is recorded in the last 30 days.',
  used_one: '{{count}} launch in the last 30 days.',
  used_other: '{{count}} launches in the last 30 days.',
  usedAtLeast: 'More than {{count}} launches in the last 30 days.',
  unknown: 'It could not be counted what this ends.',
} as const;

export const words = addWords({ clientEnding });

declare module '../../../../shared/i18n/add-words.js' {
  interface Words {
    'clients/ending': typeof words;
  }
}
