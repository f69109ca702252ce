import { CompiledLevel } from './compiled-level.js';
import { allOf, type Exclusion, type LevelRule } from './level.js';

/** True if one level permits any kind, label or type that the other does not, to see or to change. */
export function isAbove(one: LevelRule, other: LevelRule): boolean {
  return seesMore(one, other) || changesMore(one, other);
}

/**
 * The content that all of the levels permit, as one level. Where a label of one meets kinds of another, it is more than
 * that: those that have the label can be named by no kind.
 */
export function meetOf(levels: readonly [LevelRule, ...LevelRule[]]): LevelRule {
  const [{ id, label }] = levels;
  const all = (part: 'kinds' | 'change') => levels.map((level) => level[part]).reduce(commonKinds);
  return {
    id,
    label,
    kinds: all('kinds'),
    change: all('change'),
    without: allOf(levels.map(({ without }) => without)),
  };
}

function commonKinds(kinds: LevelRule['kinds'], others: LevelRule['kinds']): LevelRule['kinds'] {
  if (kinds === 'full') return others;
  if (others === 'full') return kinds;
  const [one, other] = [kinds.flatMap(singleKinds), others.flatMap(singleKinds)];
  const within = (list: string[], limit: string[]) =>
    list.filter((kind) => isOfLabel(kind) || limit.some((wider) => kindCovers(wider, kind)));
  return [...new Set([...within(one, other), ...within(other, one)])];
}

/** A kind of several categories as one of each. */
function singleKinds(kind: string): string[] {
  const [type = '', categories] = kind.split('?category=');
  return categories?.split(',').map((category) => `${type}?category=${category}`) ?? [kind];
}

function isOfLabel(kind: string): boolean {
  return kind.startsWith('?');
}

function seesMore(one: LevelRule, other: LevelRule): boolean {
  const above = CompiledLevel.from(one);
  return namesMore(one.kinds, other.kinds) || exclusionsOf(other.without).some((part) => isLeftIn(part, above));
}

function changesMore({ change }: LevelRule, { change: less }: LevelRule): boolean {
  return namesMore(change, less);
}

function namesMore(kinds: LevelRule['kinds'], others: LevelRule['kinds']): boolean {
  if (others === 'full') return false;
  return kinds === 'full' || !kinds.every((kind) => others.some((other) => kindCovers(other, kind)));
}

/** True if the first kind has all of the second one. */
export function kindCovers(kind: string, other: string): boolean {
  if (kind === other) return true;
  const [base, values] = kind.split(/=(.*)/s);
  const [otherBase, otherValues = ''] = other.split(/=(.*)/s);
  if (values === undefined) return other.startsWith(`${kind}?`);
  const own = values.split(',');
  return base === otherBase && otherValues.split(',').every((value) => own.some((one) => isSameOrWider(one, value)));
}

/** A code without a system is the one of any system. */
export function isSameOrWider(token: string, other: string): boolean {
  return token === other || (!token.includes('|') && other.endsWith(`|${token}`));
}

interface Part {
  /** Absent for what is excluded of each type. */
  type?: string;
  category?: string;
  isExcludedBy(other: Exclusion): boolean;
}

function exclusionsOf({ types, categories, securityLabels, codes }: Exclusion): Part[] {
  return [
    ...types.map((type) => ({ type, isExcludedBy: (other: Exclusion) => other.types.includes(type) })),
    ...categories.map((text) => {
      const [type = '', category = ''] = text.split('/');
      return { type, category, isExcludedBy: (other: Exclusion) => other.categories.includes(text) };
    }),
    ...securityLabels.map((label) => ({
      isExcludedBy: (other: Exclusion) => other.securityLabels.some((one) => isSameOrWider(one, label)),
    })),
    ...codes.flatMap(({ element, codes: list }) =>
      list.map((code) => ({
        type: element.split('/')[0] ?? '',
        isExcludedBy: (other: Exclusion) =>
          other.codes.some((one) => one.element === element && one.codes.some((own) => isSameOrWider(own, code))),
      })),
    ),
  ];
}

/** True if a level permits what another one excludes. */
function isLeftIn({ type, category, isExcludedBy }: Part, above: CompiledLevel): boolean {
  if (isExcludedBy(above.without)) return false;
  if (type === undefined) return true;
  return above.permitsType(type) && (category === undefined || above.permitsCategory(type, category));
}
