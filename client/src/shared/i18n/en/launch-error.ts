export const launchError = {
  ended: 'The sign-in for {{client}} was used already, or has waited for too long.',
  throttled: 'The sign-in for {{client}} could not begin yet.',
  nothingShared: '{{client}} has not seen anything by this attempt.',
  goOn: 'Continue to {{client}}',
  startAgain: 'Start again in {{client}}',
  reference: 'Reference for the help desk',
  copy: 'Copy',
} as const;
