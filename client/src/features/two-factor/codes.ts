/** The key as people type it off a screen. */
export function inGroups(key: string): string {
  return key.replace(/.{4}(?=.)/g, '$& ');
}

/** What is put into the clipboard and into the file. */
export function asText(recoveryCodes: readonly string[]): string {
  return recoveryCodes.map((code) => `${code}\n`).join('');
}
