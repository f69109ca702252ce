export const launchError = {
  ended: 'The sign-in for {{client}} was used already, or has waited for too long.',
  nothingShared: 'Nothing more was shared.',
  goOn: 'Go on with {{client}}',
  startAgain: 'Start again in {{client}}',
  reference: 'Reference for the help desk',
  copy: 'Copy',
} as const;
