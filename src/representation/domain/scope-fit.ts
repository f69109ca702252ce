import { parseScope } from '../../contract/rules/scopes/smart-scope.js';
import { CompiledLevel } from './compiled-level.js';
import type { LevelRule } from './level.js';

/** Kinds of a record by which levels are compared, as `Type` or `Type/category`. */
const comparedKinds = [
  ...['AllergyIntolerance', 'Appointment', 'MedicationRequest', 'Immunization', 'Observation/laboratory'],
  ...['Observation/vital-signs', 'Condition', 'Procedure', 'DiagnosticReport', 'Encounter', 'CarePlan'],
  ...['DocumentReference', 'Claim'],
];

/** What the levels of three days permit of each kind: by the rule alone, whatever the record has. */
export function compareKinds({ now, later, surely }: Record<'now' | 'later' | 'surely', readonly LevelRule[]>) {
  return comparedKinds.map((kind) => ({
    kind,
    now: permitsKind(now, kind),
    later: permitsKind(later, kind),
    surely: permitsKind(surely, kind),
  }));
}

/** True if all of the levels permit to see some resource of the kind; never without a level. */
function permitsKind(levels: readonly LevelRule[], kind: string): boolean {
  const [type = '', category] = kind.split('/');
  return levels.length > 0 && levels.every((level) => permits(level, type, category));
}

function permits(rule: LevelRule, type: string, category: string | undefined): boolean {
  const level = CompiledLevel.from(rule);
  return level.permitsType(type) && (category === undefined || level.permitsCategory(type, category));
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
 * What is left to an app whose kinds these levels limit: `lost` are kinds that it was granted and that the levels do
 * not permit. Its grant ends when nothing is left of its kinds, or one is lost that its client needs
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
