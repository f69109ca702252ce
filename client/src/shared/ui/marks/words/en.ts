import { addWords } from '../../../i18n/add-words.js';

/** Objects that `gatehouse apply` manages. */
const managed = {
  badge: 'Managed by file',
  client:
    'A file describes this client (“npx gatehouse apply”), so it is not edited or deleted here. It can be disabled.',
  user: 'A file describes the type and the claims of this user (“npx gatehouse apply”), so they are not edited here.',
  tags: 'Tags that are managed by a file (“npx gatehouse apply”) are not edited or deleted here.',
  release: 'To edit here again, an operator runs:',
} as const;

export const words = addWords({ managed });

declare module '../../../i18n/add-words.js' {
  interface Words {
    'shared/ui/marks': typeof words;
  }
}
