import { direction } from './language.js';

/** As much of a name as a sentence can bear: two lines of a phone. The whole of it stands where it stands alone. */
const longest = 60;

/** Letters that are read from the right, and the marks that turn the order of what follows (Unicode TR9). */
const turning =
  /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC\u200E\u200F\u202A-\u202E\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u;

/**
 * Isolates a name within a sentence: it comes from another party, and must neither bury the sentence nor turn the
 * order of its words. By itself a name stands in a `bdi` instead.
 */
export function isolateName(name: string, page = direction()): string {
  const text = shortened(name);
  return page === 'rtl' || turning.test(text) ? `\u2068${text}\u2069` : text;
}

function shortened(name: string): string {
  if (name.length <= longest) return name;
  const characters = [...new Intl.Segmenter().segment(name)].map(({ segment }) => segment);
  return characters.length <= longest
    ? name
    : `${characters
        .slice(0, longest - 1)
        .join('')
        .trimEnd()}…`;
}
