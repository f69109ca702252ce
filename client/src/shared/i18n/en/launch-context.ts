export const launchContext = {
  title: 'Select {{resource}}',
  available: 'to choose from',
  selection: 'Selection',
  skip: 'Skip',
  finish: 'Finish',
  confirm: 'Confirm Selection',
  actions: 'Your selection',
  empty: 'There is nothing to choose from.',
  more: 'Only the first {{count}} are shown.',
  unavailable: 'The health records cannot be reached at the moment. Please try again in a few minutes.',
} as const;
