import { codingsOf, hasCategory, hasLabel, isOneOf } from '../../contract/rules/resources/codes.js';
import { member } from '../../contract/rules/resources/elements.js';
import { CompiledLevel } from './compiled-level.js';
import { type Exclusion, type LevelRule } from './level.js';

/** Data that a level keeps private and that only the content of a resource tells. */
export interface PrivateKind {
  /** As it is configured: `Observation/social-history`, `MedicationRequest/medication`, `meta.security`. */
  name: string;
  /** Types of resources that may be of the kind; undefined for each type that the level shows. */
  type: string | undefined;
  isRecognised(resource: unknown): boolean;
}

const nothing: Exclusion = { types: [], categories: [], securityLabels: [], codes: [] };

/**
 * The kinds that these levels keep private out of what they show. What a type alone tells is always recognised, and is
 * not among them.
 */
export function privateKindsOf(levels: readonly LevelRule[]): PrivateKind[] {
  const kinds = new Map<string, PrivateKind>();
  for (const level of levels) {
    const shown = CompiledLevel.from(withoutExclusions(level));
    const { categories, securityLabels, codes } = level.without;
    for (const name of categories) {
      const [type = '', category = ''] = name.split('/');
      if (!shown.permitsType(type) || !shown.permitsCategory(type, category)) continue;
      kinds.set(name, { name, type, isRecognised: (resource) => hasCategory(resource, category) });
    }
    for (const { element, codes: list } of codes) {
      const [type = '', own = ''] = element.split('/');
      if (!shown.permitsType(type)) continue;
      const isRecognised = (resource: unknown) => list.some((code) => isOneOf(codingsOf(resource, own), code));
      kinds.set(element, { name: element, type, isRecognised });
    }
    if (securityLabels.length === 0) continue;
    const isRecognised = (resource: unknown) => securityLabels.some((label) => hasLabel(resource, label));
    kinds.set('meta.security', { name: 'meta.security', type: undefined, isRecognised });
  }
  return [...kinds.values()];
}

/** The names of the kinds of which none of these resources is. */
export function unrecognisedIn(kinds: readonly PrivateKind[], resources: readonly unknown[]): string[] {
  return kinds
    .filter(
      ({ type, isRecognised }) =>
        !resources.some((one) => (type === undefined || member(one, 'resourceType') === type) && isRecognised(one)),
    )
    .map(({ name }) => name);
}

const bare = new WeakMap<LevelRule, LevelRule>();

/** The same object for the same level, so that it is compiled once. */
function withoutExclusions(level: LevelRule): LevelRule {
  const known = bare.get(level) ?? { ...level, without: nothing };
  bare.set(level, known);
  return known;
}
