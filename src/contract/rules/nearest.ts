/** Longer texts are compared by their beginnings: the time grows with the product of the lengths. */
const longest = 200;

/**
 * The candidate with the fewest differing characters; undefined if even that one is another text. Upper and lower case
 * count half.
 */
export function nearest(text: string, candidates: readonly string[]): string | undefined {
  const most = Math.max(1, Math.floor(text.length / 3));
  let best: { candidate: string; distance: number } | undefined;
  for (const candidate of candidates) {
    const limit = best?.distance ?? most + 0.5;
    if (Math.abs(candidate.length - text.length) >= limit) continue;
    const distance = distanceOf(text.slice(0, longest), candidate.slice(0, longest));
    if (distance < limit) best = { candidate, distance };
  }
  return best?.candidate;
}

/** The candidate that differs in upper and lower case alone, or else the {@link nearest} one. */
export function mostLike(text: string, candidates: readonly string[]): string | undefined {
  const lower = text.toLowerCase();
  return candidates.find((candidate) => candidate.toLowerCase() === lower) ?? nearest(text, candidates);
}

/** Number of characters to insert, to remove or to replace (Levenshtein). */
function distanceOf(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let line = 1; line <= one.length; line += 1) {
    const next = [line];
    for (let column = 1; column <= other.length; column += 1) {
      const replaced = (row[column - 1] ?? 0) + costOf(one[line - 1], other[column - 1]);
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}

function costOf(one = '', other = ''): number {
  if (one === other) return 0;
  return one.toLowerCase() === other.toLowerCase() ? 0.5 : 1;
}
