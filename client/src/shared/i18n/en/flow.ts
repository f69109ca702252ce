export const way = {
  step: 'Step {{step}} of {{total}} · {{client}}',
  out: 'Cancel and return to {{client}}',
} as const;
