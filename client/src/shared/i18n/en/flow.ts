export const way = {
  step: 'Step {{step}} of {{total}} · {{client}}',
  goOn: 'Continue to {{client}}',
  out: 'Cancel and return to {{client}}',
} as const;
