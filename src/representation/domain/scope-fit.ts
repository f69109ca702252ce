import { parseScope } from '../../contract/rules/scopes/smart-scope.js';
import type { LevelRule } from './level.js';
import { meetOf } from './level-order.js';
import { mayShow } from './levels/chosen-kinds.js';

/** Kinds of a record by which levels are compared, as `Type` or `Type/category`. */
const comparedKinds = [
  ...['AllergyIntolerance', 'Appointment', 'MedicationRequest', 'Immunization', 'Observation/laboratory'],
  ...['Observation/vital-signs', 'Condition', 'Procedure', 'DiagnosticReport', 'Encounter', 'CarePlan'],
  ...['DocumentReference', 'Claim'],
];

/**
 * The content of each kind that the levels of three days permit, also of chosen kinds: by the rule alone, whatever the
 * record has.
 */
export function compareKinds({ now, later, surely }: Record<'now' | 'later' | 'surely', readonly LevelRule[]>) {
  const chosen = [...now, ...later, ...surely].flatMap((level) => (level.chosen ?? []).flatMap(comparedKindsOf));
  return [...new Set([...comparedKinds, ...chosen])].map((kind) => ({
    kind,
    now: namesKind(now, kind),
    later: namesKind(later, kind),
    surely: namesKind(surely, kind),
  }));
}

/** As {@link permitsKind}, without what only a label may open of each kind. */
function namesKind(levels: readonly LevelRule[], kind: string): boolean {
  if (kind.startsWith('?')) return permitsKind(levels, kind);
  const named = (kinds: LevelRule['kinds']) => (kinds === 'full' ? kinds : kinds.filter((one) => !one.startsWith('?')));
  return permitsKind(
    levels.map((level) => ({ ...level, kinds: named(level.kinds) })),
    kind,
  );
}

/** A kind of a level as it is compared. */
function comparedKindsOf(kind: string): string[] {
  const [type = '', categories] = kind.split('?category=');
  return categories?.split(',').map((one) => `${type}/${one.slice(one.lastIndexOf('|') + 1)}`) ?? [kind];
}

/** True if the levels together permit to see some resource of the kind; never without a level. */
function permitsKind(levels: readonly LevelRule[], kind: string): boolean {
  const [first, ...others] = levels;
  if (!first) return false;
  // A label may have the address of a system.
  const [type = '', category] = kind.startsWith('?') ? [kind] : kind.split('/');
  const asked = category === undefined ? kind : `${type}?category=${category}`;
  return [...levels, meetOf([first, ...others])].every((level) => mayShow(level, asked));
}

/** Kinds of a record that the granted scopes name: scopes that levels do not limit name none. */
function kindsOf(scopes: readonly string[]): { scope: string; kind: string }[] {
  return scopes.flatMap((scope) => {
    const parsed = parseScope(scope);
    if (parsed?.kind !== 'resource' || parsed.type === '*' || parsed.subject !== 'patient') return [];
    const category = parsed.query
      .find(([name]) => name === 'category')?.[1]
      .split('|')
      .at(-1);
    return [{ scope, kind: category === undefined ? parsed.type : `${parsed.type}/${category}` }];
  });
}

/**
 * The kinds that are left to an app that these levels limit: `lost` are kinds that it was granted and that the levels
 * do not permit. Its grant ends when nothing is left of its kinds, or one is lost that its client needs
 * (`requiredScopes`). A grant that names no kind does not end.
 */
export function fitOf(
  { scopes, requiredScopes }: { scopes: readonly string[]; requiredScopes: readonly string[] },
  levels: readonly LevelRule[],
): { lost: string[]; ends: boolean } {
  const granted = kindsOf(scopes);
  const lost = granted.filter(({ kind }) => !permitsKind(levels, kind));
  const isNeeded = lost.some(({ scope }) => requiredScopes.includes(scope));
  return {
    lost: [...new Set(lost.map(({ kind }) => kind))],
    ends: granted.length > 0 && (lost.length === granted.length || isNeeded),
  };
}
