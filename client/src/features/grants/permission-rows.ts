import { changes, sees } from '../../../../src/contract/rules/scopes/access-rows.js';
import { parseScope, type ResourceScope } from '../../../../src/contract/rules/scopes/smart-scope.js';
import { translateScope } from '../../shared/scopes/scope-texts.js';

/** A permission of an app: a kind of data once, whatever number of scopes it has for it. */
export interface PermissionRow {
  key: string;
  title: string;
  /** Empty where the title says it all. */
  description: string;
  /** The letters of SMART scopes that it has; none of a permission that is not about data. */
  actions: string;
  type: string;
  /** The scopes that take it back, all of it or only its changes; absent for what cannot be taken back by itself. */
  taken?: { all: string; change?: string };
  /** The kinds of everything. */
  kinds: PermissionRow[];
}

/** `wildcardTypes`: the types that a scope for everything stands for. */
export function permissionRows(scopes: readonly string[], wildcardTypes: readonly string[]): PermissionRow[] {
  const parsed = scopes.map(parseScope);
  const resources = parsed.filter((scope) => scope?.kind === 'resource');
  const groups = new Map<string, ResourceScope[]>();
  for (const scope of resources) groups.set(dataOf(scope), [...(groups.get(dataOf(scope)) ?? []), scope]);
  const rows = [...groups.values()].filter((group) => !isInWider(group, resources)).map(kindRow);
  const everything = rows.find(({ key }) => key === '*?');
  const kinds = [...new Set([...wildcardTypes, ...resources.map(({ type }) => type)])].filter((type) => type !== '*');
  if (everything) {
    everything.kinds = kinds
      .map((type) => {
        const own = resources.filter((scope) => [type, '*'].includes(scope.type) && scope.query.length === 0);
        return kindRow(own.map((scope) => ({ ...scope, type })));
      })
      .toSorted((one, other) => one.title.localeCompare(other.title));
  }
  const others = scopes.filter((text) => parseScope(text)?.kind !== 'resource').map(otherRow);
  const isOfData = ({ taken }: PermissionRow) => taken !== undefined;
  return [...rows, ...others.filter(isOfData), ...others.filter((row) => !isOfData(row))];
}

const queryOf = ({ query }: ResourceScope) => query.map(([name, value]) => `${name}=${value}`).join('&');
const dataOf = (scope: ResourceScope) => `${scope.type}?${queryOf(scope)}`;
const actionsOf = (scopes: ResourceScope[]) =>
  [...'cruds'].filter((action) => scopes.some(({ actions }) => actions.includes(action))).join('');

/** True if the same is permitted by a scope for the whole kind, or for everything. */
function isInWider(group: ResourceScope[], all: ResourceScope[]): boolean {
  const wider = all.filter(
    ({ type, query }) =>
      query.length === 0 &&
      group.every((one) => (type === one.type && one.query.length > 0) || (type === '*' && one.type !== '*')),
  );
  const [own, others] = [actionsOf(group), actionsOf(wider)];
  const isPermitted = (action: string) => others.includes(action) || (sees(action) && sees(others));
  return wider.length > 0 && [...own].every(isPermitted);
}

function kindRow(scopes: ResourceScope[]): PermissionRow {
  const [scope] = scopes as [ResourceScope];
  const actions = actionsOf(scopes);
  const query = queryOf(scope) && `?${queryOf(scope)}`;
  const permission = (part: string) => `user/${scope.type}.${part}${query}`;
  const { displayName: title, description } = translateScope(`${scope.subject}/${scope.type}.${actions}${query}`);
  const divisible = sees(actions) && changes(actions);
  return {
    ...{ key: dataOf(scope), title, description, actions, type: scope.type, kinds: [] },
    taken: { all: permission('cruds'), ...(divisible && { change: permission('cud') }) },
  };
}

/**
 * Operations and the server's own scopes can be taken back; who the user is, and for how long, goes with all access.
 */
function otherRow(text: string): PermissionRow {
  const kind = parseScope(text)?.kind;
  const { displayName: title, description } = translateScope(text);
  const isPermission = kind === 'operation' || kind === 'extension';
  return {
    ...{ key: text, title, description: kind === 'identity' || kind === 'launch' ? '' : description },
    ...{ actions: '', type: '', kinds: [], ...(isPermission && { taken: { all: text } }) },
  };
}
