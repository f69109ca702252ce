/**
 * The first letters of the first two words (a capital within a word begins one), or the first two of a single one; of a
 * name without letters its first sign.
 */
export function initials(name: string): string {
  const words = name.split(/[^\p{L}\p{N}]+|(?<=\p{Ll})(?=\p{Lu})/u).filter(Boolean);
  const [first, second] = words.map((word) => [...word]);
  if (!first) return [...name.trim()][0] ?? '';
  return (second ? [first[0], second[0]] : first.slice(0, 2)).join('').toUpperCase();
}

/** Titles that stand in front of names, in the languages of many hospitals; 'Dr. med.' is two of them. */
const titles = new Set(
  `dr dra drs doctor prof profa professor mr mrs ms miss mx sir dame lord lady rev father sister med phil rer nat habil
  dent vet dipl ing mag msc bsc phd herr frau hr fr m mme mlle docteur sr sra srta don doña dott dssa sig sigra dhr mevr
  ds lek pan pani mudr prim oa`.split(/\s+/),
);

/** The initials of a user, without the titles in front of the name: 'Dr. Ana Lima' is 'AL'. */
export function initialsOfUser(name: string): string {
  const words = name
    .trim()
    .split(/[\s.]+/)
    .filter(Boolean);
  const at = words.findIndex((word) => !titles.has(word.toLowerCase().normalize('NFC')));
  // A name that is nothing but a title ('Don', 'Pan') is the name.
  return initials(at < 1 ? name : words.slice(at).join(' '));
}
