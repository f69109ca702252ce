/** Problems of a line of an imported file, besides those of the form of a new user. */
export const importTexts = {
  'import-cells': 'Number of cells: {{found}}. The header has {{expected}}.',
  'import-same-address': 'Line {{line}} has the same address.',
} as const;
