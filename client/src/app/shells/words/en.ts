import { addWords } from '../../../shared/i18n/add-words.js';

/** Changes of many clients or users that continue without the page that began them. */
const changes = {
  enable: 'Enable clients',
  disable: 'Disable clients',
  tag: 'Change the tags of clients',
  delete: 'Delete clients',
  invite: 'Send invitations again',
  running: '{{what}}: {{number}} of {{total}} done',
  undoing: '{{what}}, undone: {{number}} of {{total}} so far',
  ended: '{{what}}: {{number}} of {{total}} changed',
  endedSome: '{{what}}: {{number}} of {{total}} changed. Not changed: {{failed}}.',
  undone: '{{what}}: undone for {{number}} of {{total}}',
  canceled: '{{what}}: stopped after {{number}} of {{total}}. The rest was not done.',
  forbidden: '{{what}}: stopped after {{number}} of {{total}}, because this account may not do it any more.',
  stop: 'Stop',
} as const;

export const words = addWords({ changes });

declare module '../../../shared/i18n/add-words.js' {
  interface Words {
    'app/shells': typeof words;
  }
}
