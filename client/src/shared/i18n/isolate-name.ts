import { isolated } from '../../../../src/contract/rules/text.js';
import { direction } from './language.js';

/** As much of a name as a sentence can bear: two lines of a phone. The whole of it stands where it stands alone. */
const longest = 60;

/**
 * Isolates a name within a sentence: it comes from another party, and must neither bury the sentence nor turn the
 * order of its words. By itself a name stands in a `bdi` instead.
 */
export function isolateName(name: string, page = direction()): string {
  return isolated(shortened(name), page);
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
