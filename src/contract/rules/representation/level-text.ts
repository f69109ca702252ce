/** Room for the id of a level with kinds that stand behind it. */
export const mostOfLevel = 5_000;

/** No id has a blank, so that no id is such a text. */
const separator = ' ';

/** A level of which single kinds were chosen is written with them: `full Appointment Condition`. */
export function withKinds(level: string, kinds: readonly string[]): string {
  return [level, ...[...new Set(kinds)].sort()].join(separator);
}

/** The id of the level, and the kinds that were chosen of it; undefined for all of it. */
export function partsOfLevel(text: string): { level: string; kinds: string[] | undefined } {
  const [level = '', ...kinds] = text.split(separator);
  return { level, kinds: kinds.length > 0 ? kinds.filter((kind) => kind !== '') : undefined };
}

/** The text of a level as it is stored: each kind once, in one order. One without its kinds stays as it is. */
export function levelInOrder(text: string): string {
  const { level, kinds = [] } = partsOfLevel(text);
  return kinds.length > 0 ? withKinds(level, kinds) : text;
}
