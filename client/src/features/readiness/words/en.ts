import { addWords } from '../../../shared/i18n/add-words.js';

/** The page around the report, whose own texts come with it. */
const readiness = {
  title: 'Readiness report',
  breadcrumb: 'Readiness',
  position: 'Position',
  download: 'Download',
  checkAgain: 'Check again',
  states: { pass: 'Pass', improve: 'To improve', blocking: 'Blocking', unknown: 'Unknown' },
  counts: {
    blocking: '{{count}} blocking',
    improve: '{{count}} to improve',
    unknown: '{{count}} unknown',
    pass: 'All {{count}} pass',
  },
  /** Of a group in which other checks have a finding. */
  passing_one: '{{count}} check passes',
  passing_other: '{{count}} checks pass',
  summary: 'Summary',
  ready: 'Ready',
  notReady: 'Not ready',
  blocks_one: '{{count}} thing blocks going live',
  blocks_other: '{{count}} things block going live',
  blocksHelp: 'Check again when that is solved. What is marked "to improve" can wait.',
  nothingBlocks: 'Nothing blocks going live',
  nothingBlocksHelp: 'What is marked "to improve" or "unknown" deserves a look before.',
  allPass: 'Ready to go live',
  allPassHelp: 'Every check passes.',
  checkedToday: 'Checked today, {{time}}',
  checkedTodayBy: 'Checked today, {{time}} by {{name}}',
  checkedOn: 'Checked on {{moment}}',
  checkedOnBy: 'Checked on {{moment}} by {{name}}',
  setting: 'Configuration key',
  command: 'Command',
  sendTestMail: 'Send a test mail',
  sendAgain: 'Send again',
  testMailSent: 'A test mail will be sent to your address.',
  testMailConfirmed: 'The test mail has arrived.',
} as const;

export const words = addWords({ readiness });

declare module '../../../shared/i18n/add-words.js' {
  interface Words {
    readiness: typeof words;
  }
}
