import { withKinds } from '../../../contract/rules/representation/level-text.js';
import { CompiledLevel } from '../compiled-level.js';
import { allOf, type Exclusion, type LevelRule } from '../level.js';
import { isSameOrWider, kindCovers } from '../level-order.js';

/** Data that an operator regards as sensitive (`consent.sensitive`). */
export type Sensitive = Pick<Exclusion, 'types' | 'categories' | 'securityLabels'>;

/** The kinds that can be chosen one by one. */
export interface KindRules {
  sensitive: Sensitive;
  /** The kinds that levels of the configuration name. */
  named: readonly string[];
}

/** Of each level with chosen kinds; pages have words of their own for it. */
export const chosenLabel = 'Limited: chosen kinds';

/** Kinds of a level that permits everything; those that levels of the configuration name come to them. */
const ofFullLevel = [
  ...['Appointment', 'MedicationRequest', 'AllergyIntolerance', 'Immunization', 'Observation?category=laboratory'],
  ...['Observation?category=vital-signs', 'Condition', 'Procedure', 'DiagnosticReport', 'Encounter', 'CarePlan'],
  ...['DocumentReference', 'Claim'],
];
const contactDetails = 'contact-details';
const ofLabels = '?_security=';
const ofCategories = '?category=';
const attachment = /^[A-Za-z]+\.[A-Za-z]+$/;

/** The kinds of a level that can be chosen one by one, sensitive ones last. Who the patient is, each choice shows. */
export function choosableKinds(level: LevelRule, { sensitive, named }: KindRules): string[] {
  const own = level.kinds === 'full' ? kindsOfFullLevel(named) : level.kinds;
  const single = own.filter((kind) => kind !== 'Patient' && !attachment.test(kind));
  const disjoint = single.filter((kind) => !single.some((other) => other !== kind && kindCovers(other, kind)));
  const ofSensitive = sensitiveKinds(sensitive);
  const isSensitive = (kind: string) => isSensitiveKind(kind, sensitive);
  const all = [...disjoint.filter((kind) => !isSensitive(kind)), ...disjoint.filter(isSensitive), ...ofSensitive];
  return [...new Set(all)].filter((kind) => mayShow(level, kind));
}

/** True for a kind all of which is sensitive. */
export function isSensitiveKind(kind: string, { types, categories }: Sensitive): boolean {
  if (kind.startsWith(ofLabels)) return true;
  const [type = '', values] = kind.split(ofCategories);
  if (types.includes(type)) return true;
  return values?.split(',').every((value) => categories.includes(`${type}/${codeOf(value)}`)) ?? false;
}

/** True if a level may show something of the kind. */
export function mayShow(rule: LevelRule, kind: string): boolean {
  const level = CompiledLevel.from(rule);
  if (kind === contactDetails) return level.showsContactDetails;
  if (kind.startsWith(ofLabels)) {
    const labels = kind.slice(ofLabels.length).split(',');
    return labels.some((label) => !rule.without.securityLabels.some((one) => isSameOrWider(one, label)));
  }
  const [type = '', values] = kind.split(ofCategories);
  if (!level.permitsType(type)) return false;
  return values === undefined || values.split(',').some((value) => level.permitsCategory(type, value));
}

/**
 * The level with the chosen kinds alone: never more than the level itself. Nothing can be changed, and what is
 * sensitive is private unless its kind is chosen as well. Kinds that the level does not have, or not any more, permit
 * nothing.
 */
export function withKindsAlone(rule: LevelRule, kinds: readonly string[], rules: KindRules): LevelRule {
  const chosen = choosableKinds(rule, rules).filter((kind) => kinds.includes(kind));
  const { kinds: own } = rule;
  // A label that a level does not name as a kind is chosen for what the level names otherwise.
  const permitted = own === 'full' ? chosen : chosen.filter((kind) => own.some((one) => kindCovers(one, kind)));
  const types = permitted.map(typeOf);
  const attachments = own === 'full' ? [] : own.filter((one) => attachment.test(one) && types.includes(typeOf(one)));
  return {
    id: withKinds(rule.id, kinds),
    label: chosenLabel,
    chosen,
    kinds: [...permitted, ...attachments],
    change: [],
    without: allOf([rule.without, unchosen(rules.sensitive, chosen)]),
  };
}

/** The sensitive kinds that were not chosen. */
function unchosen({ types, categories, securityLabels }: Sensitive, chosen: readonly string[]): Exclusion {
  const labels = chosen.flatMap((kind) => (kind.startsWith(ofLabels) ? kind.slice(ofLabels.length).split(',') : []));
  const named = chosen.flatMap((kind) => {
    const [type, values = ''] = kind.split(ofCategories);
    return values.split(',').map((value) => `${type}/${codeOf(value)}`);
  });
  return {
    types: types.filter((type) => !chosen.some((kind) => typeOf(kind) === type)),
    categories: categories.filter((one) => !named.includes(one)),
    securityLabels: securityLabels.filter((label) => !labels.includes(label)),
    codes: [],
  };
}

function kindsOfFullLevel(named: readonly string[]): string[] {
  const types = ofFullLevel.map(typeOf);
  return [...ofFullLevel, ...named.filter((kind) => !types.includes(typeOf(kind))), contactDetails];
}

function sensitiveKinds({ types, categories, securityLabels }: Sensitive): string[] {
  const kinds = [
    ...types,
    ...categories.map((one) => one.split('/').join(ofCategories)),
    ...securityLabels.map((label) => `${ofLabels}${label}`),
  ];
  // A comma would name two.
  return kinds.filter((kind) => !/[,%]/.test(kind));
}

function typeOf(kind: string): string {
  return kind.split(/[?.]/)[0] ?? '';
}

function codeOf(token: string): string {
  return token.slice(token.lastIndexOf('|') + 1);
}
