/**
 * Letters that cannot be taken for one another, without vowels: a reference is read out on the phone and spells no
 * word.
 */
export const referenceAlphabet = 'BCDFGHJKLMNPQRSTVWXZ23456789';

/** Length of a launch's id; the reference is its beginning, so that nothing can be addressed by a reference alone. */
export const launchIdLength = 12;
const shown = 8;

/** The reference of a launch as people read it: `NB-7Q4K-2M`. */
export function referenceOf(launchId: string): string {
  return `${launchId.slice(0, 2)}-${launchId.slice(2, 6)}-${launchId.slice(6, shown)}`;
}

/**
 * The beginning of the id that a typed reference stands for; undefined for any other text. Also reads the whole id of a
 * launch, the address of its page, and the end of an OAuth error's description ('… Reference: NB-7Q4K-2M').
 */
export function parseReference(typed: string): string | undefined {
  const last = typed
    .replace(/[?#].*$/s, '')
    .replace(/[\s/.,;"'”’)]+$/, '')
    .replace(/^.*[/:"'“‘(]/s, '');
  const text = last.replace(/[\s\p{Pd}]/gu, '').toUpperCase();
  const isWhole = text.length === shown || text.length === launchIdLength;
  return isWhole && [...text].every((letter) => referenceAlphabet.includes(letter)) ? text : undefined;
}
