import { addWords } from '../../../i18n/add-words.js';

const unsaved = {
  title: 'Discard your changes?',
  text: 'What you have entered is not saved yet.',
  keep: 'Keep editing',
  discard: 'Discard changes',
} as const;

const drafts = {
  broughtBack: 'What you entered is back. It is not saved yet.',
  secretsAgain: 'Secrets are not kept: please enter them again.',
  discard: 'Discard it',
} as const;

const conflict = {
  client: 'Another administrator has changed this client in the meantime.',
  user: 'This user was changed in the meantime.',
  text: 'Nothing of yours is lost. Where both of you changed a field, yours replaces theirs unless you choose theirs.',
  mine: 'Yours:',
  theirs: 'Theirs:',
  taken: 'Changed by them, and taken over:',
  save: 'Save my values',
  notLoaded: 'This was changed in the meantime, and it could not be loaded again.',
} as const;

const claims = {
  title: 'Claims',
  one: 'Claim {{number}}',
  name: 'Name',
  value: 'Value',
  remove: 'Remove claim {{number}}',
  add: 'Add claim',
} as const;

const passwordRules = {
  label: 'Password rules',
  metRule: '{{rule}}: met',
  openRule: '{{rule}}: not met yet',
} as const;

export const words = addWords({ unsaved, drafts, conflict, claims, passwordRules });

declare module '../../../i18n/add-words.js' {
  interface Words {
    'shared/ui/forms': typeof words;
  }
}
