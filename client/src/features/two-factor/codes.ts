/** The key as people type it off a screen. */
export function inGroups(key: string): string {
  return key.replace(/.{4}(?=.)/g, '$& ');
}

/** The text for the clipboard and for the file. */
export function asText(recoveryCodes: readonly string[]): string {
  return recoveryCodes.map((code) => `${code}\n`).join('');
}
