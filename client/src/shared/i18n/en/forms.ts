export const unsaved = {
  title: 'Discard your changes?',
  text: 'What you have entered is not saved yet.',
  keep: 'Keep editing',
  discard: 'Discard changes',
} as const;

export const drafts = {
  broughtBack: 'What you entered is back. It is not saved yet.',
  secretsAgain: 'Secrets are not kept: please enter them again.',
  discard: 'Discard it',
} as const;

export const claims = {
  title: 'Claims',
  one: 'Claim {{number}}',
  name: 'Name',
  value: 'Value',
  remove: 'Remove claim {{number}}',
  add: 'Add claim',
} as const;
