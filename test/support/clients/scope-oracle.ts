/**
 * A second, simple implementation of what scopes permit and what ticks on the consent page grant. It uses none of the
 * code that it checks.
 */

/** The settings of a client that limit its scopes. */
export interface ScopePolicy {
  allowedSmartActions: string[];
  allowedSmartLegacyActions: string[];
  allowedSmartSubjects: string[];
  allowedResourceTypes: string[];
  allowOfflineAccess: boolean;
  allowOnlineAccess: boolean;
}

/** A row of the consent page, and the rows below it. */
export interface ConsentRow {
  value: string;
  required: boolean;
  fineGrainedScopes?: ConsentRow[];
}

/** The rows that the user was shown, and the values of those that the user ticked. */
export interface ConsentDecision {
  offered: ConsentRow[];
  ticked: string[];
}

/** Types that requests name, and the prefix of a condition for a category. */
export const types = ['Patient', 'Observation', 'Condition', 'Encounter'];
export const category = 'category=http://terminology.hl7.org/CodeSystem/observation-category|';

interface SmartScope {
  subject: string;
  type: string;
  version: 1 | 2;
  letters: string;
  query: string[];
}

/** Undefined for a scope that is not about resources. */
function parsed(scope: string): SmartScope | undefined {
  const [, subject = '', type = '', what = '', query] = /^(\w+)\/(\*|\w+)\.([a-z]+|\*)(?:\?(.*))?$/.exec(scope) ?? [];
  if (subject === '') return undefined;
  const legacy: Record<string, string> = { read: 'rs', write: 'cud', '*': 'cruds' };
  const version = what in legacy ? 1 : 2;
  return { subject, type, version, letters: legacy[what] ?? what, query: query?.split('&') ?? [] };
}

const isPartOf = (some: string, all: string) => [...some].every((one) => all.includes(one));

function isWithin(granted: string, requested: string): boolean {
  const [narrow, wide] = [parsed(granted), parsed(requested)];
  if (granted === requested || !narrow || !wide) return granted === requested;
  return (
    narrow.subject === wide.subject &&
    (wide.type === '*' || narrow.type === wide.type) &&
    isPartOf(narrow.letters, wide.letters) &&
    wide.query.every((condition) => narrow.query.includes(condition))
  );
}

export function isAllowed(scope: string, policy: ScopePolicy): boolean {
  if (scope === 'offline_access') return policy.allowOfflineAccess;
  if (scope === 'online_access') return policy.allowOnlineAccess;
  const smart = parsed(scope);
  if (!smart) return true;
  const words = policy.allowedSmartLegacyActions.map((word) => ({ read: 'rs', write: 'cud' })[word] ?? 'cruds');
  const allowed = smart.version === 1 ? words.join('') : policy.allowedSmartActions.join('');
  return (
    smart.subject !== 'system' &&
    policy.allowedSmartSubjects.includes(smart.subject) &&
    (policy.allowedResourceTypes.length === 0 || policy.allowedResourceTypes.includes(smart.type)) &&
    isPartOf(smart.letters, allowed)
  );
}

/** True for a scope that opens nothing for a patient: the gateway enforces conditions on category only. */
export function opensNothing(scope: string): boolean {
  const smart = parsed(scope);
  if (!smart) return false;
  const { type, letters, query } = smart;
  const hasCategory = ['*', 'Observation', 'Condition'].includes(type);
  return (
    type === 'Unheard' ||
    query.some((one) => !one.startsWith('category=') || !hasCategory) ||
    (type === 'Patient' && letters === 'c')
  );
}

/** The scopes that the policy forbids. */
export const notAllowed = (scopes: string[], policy: ScopePolicy) =>
  scopes.filter((scope) => !isAllowed(scope, policy));

/** The scopes that are not within any requested one. */
export const beyond = (scopes: string[], requested: string[]) =>
  scopes.filter((scope) => !requested.some((one) => isWithin(scope, one)));

const below = (row: ConsentRow): ConsentRow[] => row.fineGrainedScopes ?? [];

/** The row and all rows below it. */
export const withRowsBelow = (row: ConsentRow): ConsentRow[] => [row, ...below(row).flatMap(withRowsBelow)];

/** Records that conditions of scopes distinguish; the last one matches no condition. */
const records: Record<string, string>[] = [
  ...['laboratory', 'vital-signs', 'social-history', 'survey', 'procedure'].map((code) => ({ category: code })),
  ...['problem-list-item', 'encounter-diagnosis', 'health-concern', 'sdoh'].map((code) => ({ category: code })),
  { category: 'survey', status: 'final' },
  { _id: '1' },
  {},
];
/** With a type that only wildcards permit, and one that the portal does not know. */
const recordTypes = [...types, 'Goal', 'Unheard'];

/** A permission to do one thing with one record of one type, of the user's own patient or of others. */
type Permissions = ReadonlySet<string>;

function permissionsOf(scope: string): Permissions {
  const smart = parsed(scope);
  if (!smart) return new Set([scope]);
  const matching = records.flatMap((record, index) =>
    smart.query.every((condition) => {
      const [name = '', value = ''] = condition.split('=');
      return record[name] === value.split('|').at(-1);
    })
      ? [index]
      : [],
  );
  const patients = smart.subject === 'user' ? ['own', 'others'] : ['own'];
  const actions = new Set([...smart.letters].map((letter) => letter.replace('s', 'r')));
  return new Set(
    patients.flatMap((patient) =>
      recordTypes
        .filter((type) => smart.type === '*' || smart.type === type)
        .flatMap((type) =>
          matching.flatMap((index) => [...actions].map((action) => [patient, type, index, action].join(' '))),
        ),
    ),
  );
}

const isSubset = (one: Permissions, other: Permissions) => [...one].every((permission) => other.has(permission));
const areDisjoint = (one: Permissions, other: Permissions) => ![...one].some((permission) => other.has(permission));
const minus = (one: Permissions, other: Permissions) => [...one].filter((permission) => !other.has(permission));
const union = (scopes: string[]): Permissions => new Set(scopes.flatMap((scope) => [...permissionsOf(scope)]));

/**
 * The leaves that the decision grants: those that are ticked in all of their rows and permit nothing that is unticked.
 */
function decidedLeaves({ offered, ticked }: ConsentDecision): { granted: string[]; refused: string[] } {
  const leaves = (row: ConsentRow): string[] => (below(row).length > 0 ? below(row).flatMap(leaves) : [row.value]);
  const unticked = (row: ConsentRow): string[] => {
    if (ticked.includes(row.value)) return [];
    return below(row).length > 0 ? below(row).flatMap(unticked) : [row.value];
  };
  const refused = new Set(offered.flatMap(unticked));
  const granted = new Set(offered.flatMap(leaves).filter((leaf) => !refused.has(leaf)));
  const known = new Map([...granted, ...refused].map((leaf) => [leaf, permissionsOf(leaf)]));
  const permissions = (leaf: string) => known.get(leaf) ?? new Set<string>();
  for (let before = -1; before !== granted.size; ) {
    before = granted.size;
    for (const leaf of granted) {
      const permitsRefused = [...refused].some((other) => {
        const [own, its] = [permissions(leaf), permissions(other)];
        const isNarrower = isSubset(own, its) && !isSubset(its, own);
        return !areDisjoint(own, its) && !isNarrower;
      });
      if (permitsRefused && granted.delete(leaf)) refused.add(leaf);
    }
  }
  return { granted: [...granted], refused: [...refused] };
}

/** The scopes permit all that is ticked, nothing that is unticked, and no more than the ticked rows say. */
export function expectAsTicked(scopes: string[], decision: ConsentDecision): void {
  const { granted, refused } = decidedLeaves(decision);
  const permitted = union(scopes);
  expect(minus(union(granted), permitted)).toEqual([]);
  const rows = decision.offered.flatMap(withRowsBelow);
  const whole = rows.filter((row) => withRowsBelow(row).every(({ value }) => !refused.includes(value)));
  for (const leaf of refused) {
    const all = permissionsOf(leaf);
    // A kind that is ticked whole also permits what has none of its categories.
    const kinds = whole.map(({ value }) => value).filter((value) => !isSubset(all, permissionsOf(value)));
    const narrower = [...granted, ...kinds].filter((one) => isSubset(permissionsOf(one), all));
    const left = minus(permissionsOf(leaf), union(narrower)).filter((permission) => permitted.has(permission));
    expect([leaf, left]).toEqual([leaf, []]);
  }
  expect(minus(permitted, union(whole.map(({ value }) => value)))).toEqual([]);
}
