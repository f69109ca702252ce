export const launchError = {
  ended: 'This sign-in for {{client}} cannot be continued here.',
  throttled: 'The sign-in for {{client}} could not begin yet.',
  goOn: 'Continue to {{client}}',
  startAgain: 'Start again in {{client}}',
  reference: 'Reference for the help desk',
  copy: 'Copy',
} as const;
