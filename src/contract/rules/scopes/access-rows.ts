/**
 * The rows of the consent page: each kind of data once, whatever number of scopes the app requested for it. They stand
 * for ticks of `ScopeChoice`, which alone decides what is granted.
 */
import { type ChoosableScope, leavesOf } from './scope-choice.js';
import { categoryOf } from './scope-description.js';
import { type OperationScope, parseScope, plainValue, type ResourceScope } from './smart-scope.js';

/** The patients that a scope is about: one, those that the user has access to, or all. */
export type Reach = 'one' | 'many' | 'all';

export const reaches: readonly Reach[] = ['one', 'many', 'all'];

/** The subject of a row, which its words are derived from. */
export type RowSubject =
  | { is: 'everything'; reach: Reach }
  /** `partly`: each scope that the app requested for it has a query. */
  | { is: 'kind'; reach: Reach; type: string; partly: boolean }
  /** Data of a kind that a query selects: `scope` is one of those with this query. */
  | { is: 'part'; reach: Reach; scope: string }
  /** Data of a kind next to its parts. */
  | { is: 'rest'; reach: Reach; type: string }
  /** The changes of a kind, or of everything (`type` is `*`); `actions` only where they are divided. */
  | { is: 'change'; reach: Reach; type: string; actions: string }
  | { is: 'operation'; operation: string }
  | { is: 'other' }
  /** A scope that is described by itself. */
  | { is: 'scope'; scope: string };

export interface AccessRow {
  /** Tells it apart from all other rows. */
  key: string;
  subject: RowSubject;
  see: boolean;
  change: boolean;
  /** The requested scopes that it stands for; of a kind that a wildcard brought, those of the kind. */
  scopes: string[];
  /** Its ticks, of those that can be ticked by themselves. */
  leaves: string[];
  /** Further ones that are unticked with it, and ticked with it where changes of its kind are ticked. */
  along: string[];
  /** Wildcards that have to be granted whole for it to be ticked. */
  wildcards: ChoosableScope[];
  /** The scopes to see the same data, by the scopes to change it. */
  seenBy: ReadonlyMap<string, string>;
  children: AccessRow[];
}

/** The rows for one request, by section. */
export interface AccessRows {
  /** In the order of the request; everything before its kinds. */
  data: AccessRow[];
  /** Operations, and scopes that only the server knows. */
  other: AccessRow[];
  /** The rows about the duration of the access. */
  lasting: AccessRow[];
}

interface Leaf {
  scope: ResourceScope;
  reach: Reach;
}

/** `ofOnePatient`: the user is a patient, who has access to one record only. */
export function accessRows(requested: readonly ChoosableScope[], ofOnePatient: boolean): AccessRows {
  const reachOf = ({ subject }: ResourceScope): Reach =>
    subject === 'system' ? 'all' : subject === 'patient' || ofOnePatient ? 'one' : 'many';
  const named = new Set(requested.map(({ value }) => value));
  const leaves = [...new Set(requested.flatMap(leavesOf))].flatMap((text): Leaf[] => {
    const scope = parseScope(text);
    return scope?.kind === 'resource' ? [{ scope, reach: reachOf(scope) }] : [];
  });
  const resources = requested.filter(({ value }) => parseScope(value)?.kind === 'resource');
  const data = reaches.flatMap((reach) => {
    const ofReach = resources.filter(({ value }) => reachOf(parseScope(value) as ResourceScope) === reach);
    const kinds = byKey(
      leaves.filter((leaf) => leaf.reach === reach && !isWildcard(leaf.scope)),
      ({ scope }) => scope.type,
    ).map(([type, some]) => kindRow(type, reach, some, ofReach));
    const wildcards = ofReach.filter(({ value }) => isWildcard(parseScope(value) as ResourceScope));
    if (wildcards.length === 0) return kinds;
    const isNamed = ({ scopes }: AccessRow) => scopes.some((text) => named.has(text));
    return [everythingRow(reach, wildcards, [...kinds.filter(isNamed), ...kinds.filter((kind) => !isNamed(kind))])];
  });
  return { data, ...otherRows(requested) };
}

function isWildcard({ type, query }: ResourceScope): boolean {
  return type === '*' && query.length === 0;
}

export const sees = (actions: string): boolean => /[rs]/.test(actions);
export const changes = (actions: string): boolean => /[cud]/.test(actions);

function everythingRow(reach: Reach, wildcards: ChoosableScope[], kinds: AccessRow[]): AccessRow {
  const scopes = wildcards.map(({ value }) => value);
  const actions = scopes.map((text) => (parseScope(text) as ResourceScope).actions).join('');
  const leaves = [...new Set([...wildcards.flatMap(leavesOf), ...kinds.flatMap(allLeaves)])];
  const parsed = leaves.map((leaf) => parseScope(leaf) as ResourceScope);
  const changing = parsed.filter((scope) => changes(scope.actions)).map(({ text }) => text);
  const row = newRow({ is: 'everything', reach }, `${reach} *`, actions, { scopes, leaves, wildcards });
  const canOnlySee = changing.length > 0 && changing.length < leaves.length;
  const subject = { is: 'change', reach, type: '*', actions: '' } as const;
  return {
    ...row,
    children: [
      ...(canOnlySee && changes(actions)
        ? [newRow(subject, `${reach} * change`, 'cud', { leaves: changing, seenBy: seenBy(parsed) })]
        : []),
      ...kinds,
    ],
  };
}

function kindRow(type: string, reach: Reach, leaves: Leaf[], requested: readonly ChoosableScope[]): AccessRow {
  const texts = leaves.map(({ scope }) => scope.text);
  const asked = requested.map(({ value }) => parseScope(value) as ResourceScope);
  const named = asked.filter((scope) => scope.type === type).map(({ text }) => text);
  const partly = !asked.some((scope) => [type, '*'].includes(scope.type) && scope.query.length === 0);
  const parts = byKey(leaves, ({ scope }) => partOf(scope));
  const onlyPart = partly && parts.length === 1 ? leaves[0]?.scope.text : undefined;
  const row = newRow(
    onlyPart === undefined ? { is: 'kind', reach, type, partly } : { is: 'part', reach, scope: onlyPart },
    `${reach} ${type}`,
    actionsOf(leaves),
    { scopes: named.length > 0 ? named : texts, leaves: texts },
  );
  return {
    ...row,
    children: childrenOf(row.key, type, reach, leaves).filter(
      ({ subject }) => onlyPart === undefined || subject.is !== 'part',
    ),
  };
}

/** Parts of the kind, the rest of it and its changes; none where there is nothing to choose. */
function childrenOf(key: string, type: string, reach: Reach, leaves: Leaf[]): AccessRow[] {
  const parts = byKey(
    leaves.filter(({ scope }) => scope.query.length > 0),
    ({ scope }) => partOf(scope),
  );
  const whole = leaves.filter(({ scope }) => scope.query.length === 0);
  const changing = leaves.filter(({ scope }) => changes(scope.actions));
  const isDivided = leaves.some(({ scope }) => !changes(scope.actions));
  const partRows = parts.map(([part, some]) => partRow(`${key} ${part}`, reach, some, isDivided));
  const rest = whole.filter(({ scope }) => !changes(scope.actions) || !isDivided);
  const restRow = newRow({ is: 'rest', reach, type }, `${key} rest`, actionsOf(rest), { leaves: textsOf(rest) });
  const division = byKey(changing, ({ scope }) => scope.actions.replace(/[rs]/g, ''));
  const changeRows = division.map(([actions, some]) =>
    newRow(
      { is: 'change', reach, type, actions: division.length > 1 ? actions : '' },
      `${key} change ${actions}`,
      actions,
      { leaves: textsOf(some), seenBy: seenBy(leaves.map(({ scope }) => scope)) },
    ),
  );
  return [
    ...partRows,
    ...(parts.length > 0 && rest.length > 0 ? [restRow] : []),
    ...(isDivided || division.length > 1 ? changeRows : []),
  ];
}

/** Changes that a part permits are ticked by the row for changes, where there is one. */
function partRow(key: string, reach: Reach, leaves: Leaf[], isDivided: boolean): AccessRow {
  const seeing = leaves.filter(({ scope }) => !changes(scope.actions));
  const own = isDivided && seeing.length > 0 ? seeing : leaves;
  const along = leaves.filter((leaf) => !own.includes(leaf));
  const subject = { is: 'part', reach, scope: leaves[0]?.scope.text ?? '' } as const;
  return newRow(subject, key, actionsOf(own), { leaves: textsOf(own), along: textsOf(along) });
}

function otherRows(requested: readonly ChoosableScope[]): Pick<AccessRows, 'other' | 'lasting'> {
  const texts = requested.map(({ value }) => value);
  const operations = texts.map(parseScope).filter((scope) => scope?.kind === 'operation') as OperationScope[];
  const group = (subject: RowSubject, key: string, some: string[]): AccessRow => {
    const [only] = some;
    if (some.length === 1 && only !== undefined && subject.is === 'operation') return rowOfScope(only);
    return {
      ...newRow(subject, key, '', { scopes: some, leaves: some }),
      children: some.length > 1 ? some.map(rowOfScope) : [],
    };
  };
  const unknown = texts.filter((text) => !['resource', 'operation', 'refresh'].includes(parseScope(text)?.kind ?? ''));
  return {
    other: [
      ...byKey(operations, ({ operation }) => operation).map(([operation, some]) =>
        group(
          { is: 'operation', operation },
          `$${operation}`,
          some.map(({ text }) => text),
        ),
      ),
      ...(unknown.length > 0 ? [group({ is: 'other' }, 'other', unknown)] : []),
    ],
    lasting: texts.filter((text) => parseScope(text)?.kind === 'refresh').map(rowOfScope),
  };
}

/** The row of one scope that is about no data. */
export function rowOfScope(text: string): AccessRow {
  return newRow({ is: 'scope', scope: text }, text, '', { leaves: [text] });
}

function newRow(
  subject: RowSubject,
  key: string,
  actions: string,
  further: Partial<Pick<AccessRow, 'scopes' | 'leaves' | 'along' | 'wildcards' | 'seenBy'>>,
): AccessRow {
  const { leaves = [], scopes = leaves, along = [], wildcards = [], seenBy: seen = new Map() } = further;
  const ticks = { scopes, leaves, along, wildcards, seenBy: seen };
  return { key, subject, see: sees(actions), change: changes(actions), ...ticks, children: [] };
}

/** Pairs of scopes that are equal but for their actions. */
function seenBy(scopes: ResourceScope[]): Map<string, string> {
  const sameData = ({ subject, type, query }: ResourceScope) => JSON.stringify([subject, type, query]);
  const seeing = new Map(
    scopes.filter(({ actions }) => !changes(actions)).map((scope) => [sameData(scope), scope.text] as const),
  );
  return new Map(
    scopes.flatMap((scope) => {
      const seen = changes(scope.actions) && !sees(scope.actions) ? seeing.get(sameData(scope)) : undefined;
      return seen === undefined ? [] : [[scope.text, seen] as const];
    }),
  );
}

/** The leaves of a row, with those that go along. */
export function allLeaves({ leaves, along }: AccessRow): string[] {
  return [...leaves, ...along];
}

/** Distinguishes the parts of a kind; empty for all of it. */
function partOf(scope: ResourceScope): string {
  return (
    categoryOf(scope)?.code ?? scope.query.map(([name, value]) => `${name}=${plainValue(value) ?? value}`).join('&')
  );
}

const textsOf = (leaves: Leaf[]) => leaves.map(({ scope }) => scope.text);
const actionsOf = (leaves: Leaf[]) => leaves.map(({ scope }) => scope.actions).join('');

/** The values of each key, in the order of first appearance. */
function byKey<Value>(values: readonly Value[], keyOf: (value: Value) => string): [key: string, values: Value[]][] {
  const groups = new Map<string, Value[]>();
  for (const value of values) groups.set(keyOf(value), [...(groups.get(keyOf(value)) ?? []), value]);
  return [...groups];
}
