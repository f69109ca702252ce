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
