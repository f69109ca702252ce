/** Letters that cannot be taken for one another, without vowels: a reference is read out on the phone and spells no word. */
export const referenceAlphabet = 'BCDFGHJKLMNPQRSTVWXZ23456789';

/** Length of a launch's id; the reference is its beginning, so that nothing can be addressed by a reference alone. */
export const launchIdLength = 12;
const shown = 8;

/** The reference of a launch as people read it: `NB-7Q4K-2M`. */
export function referenceOf(launchId: string): string {
  return `${launchId.slice(0, 2)}-${launchId.slice(2, 6)}-${launchId.slice(6, shown)}`;
}

/** The beginning of the id that a typed reference stands for; undefined for any other text. */
export function parseReference(typed: string): string | undefined {
  const text = typed.replace(/[\s-]/g, '').toUpperCase();
  return text.length === shown && [...text].every((letter) => referenceAlphabet.includes(letter)) ? text : undefined;
}
