import type { LevelView, SingleKinds } from '../../../../src/contract/representation/levels.js';
import { partsOfLevel, withKinds } from '../../../../src/contract/rules/representation/level-text.js';
import { namedKinds } from './level-texts.js';

/** Stands in the place of a level while single kinds are chosen; no id of a level. */
export const singleKinds = '*';

/** Members of a form with this choice. */
export interface LevelFields {
  level: string;
  /** Texts of {@link KindChoice}. */
  kinds?: string[];
}

/** The choice of a form, as the body of a request. */
export function askedLevel({ level, kinds = [] }: LevelFields, single: SingleKinds | null) {
  if (level !== singleKinds || !single) return { level };
  const isOffered = (kind: string) => single.kinds.some((one) => one.kind === kind);
  return { level: single.level, kinds: kinds.flatMap((value) => value.split(' ')).filter(isOffered) };
}

/** As {@link askedLevel}, in one text: the kinds stand behind the id of the level. */
export function levelText(fields: LevelFields, single: SingleKinds | null): string {
  const { level, kinds = [] } = askedLevel(fields, single);
  return kinds.length > 0 ? withKinds(level, kinds) : level;
}

/** The first values of a form for a level in one text. Kinds that cannot be ticked are a choice of their own. */
export function fieldsOfLevel(text: string, single: SingleKinds | null): LevelFields {
  const { level, kinds } = partsOfLevel(text);
  if (!kinds || single?.level !== level) return { level: text };
  const ticked = namedKinds(single)
    .map(({ value }) => value)
    .filter((value) => value.split(' ').every((kind) => kinds.includes(kind)));
  const isAll = kinds.length === ticked.flatMap((value) => value.split(' ')).length;
  return isAll ? { level: singleKinds, kinds: ticked } : { level: text };
}

/** The levels with the one of a text, if it is none of them and has kinds that cannot be ticked one by one. */
export function withLevelOf<Level extends LevelView>(
  levels: readonly Level[],
  text: string,
  single: SingleKinds | null,
): (Level | LevelView)[] {
  const { level } = fieldsOfLevel(text, single);
  if (level === singleKinds || levels.some(({ id }) => id === level)) return [...levels];
  const { kinds } = partsOfLevel(text);
  const without = { types: [], categories: [], securityLabels: [], codedElements: [] };
  return [...levels, { id: text, label: text, kinds: kinds ?? [], without, ...(kinds && { isChosen: true }) }];
}
