export const unsaved = {
  title: 'Discard your changes?',
  text: 'What you have entered is not saved yet.',
  keep: 'Keep editing',
  discard: 'Discard changes',
} as const;

export const claims = {
  title: 'Claims',
  one: 'Claim {{number}}',
  name: 'Name',
  value: 'Value',
  remove: 'Remove claim {{number}}',
  add: 'Add claim',
} as const;
