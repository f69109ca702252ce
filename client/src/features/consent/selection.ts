import type { ApiScope, ConsentRequest } from '../../../../src/contract/consent.js';
import { parseScope } from '../../../../src/contract/rules/smart-scope.js';

/**
 * What is ticked: the scopes one can tick for themselves. A scope with fine-grained ones is not among them; it is all,
 * some or none of those below it.
 */
export type Selection = ReadonlySet<string>;

export type Tick = 'all' | 'some' | 'none';

/** The scopes that are ticked when this one is. */
export function leavesOf(scope: ApiScope): string[] {
  return scope.fineGrainedScopes.length > 0 ? scope.fineGrainedScopes.map(({ value }) => value) : [scope.value];
}

/** At first everything is ticked, since the person is asked to uncheck (`spec §2`). */
export function everything({ identityScopes, apiScopes }: ConsentRequest): Selection {
  return new Set([...identityScopes.map(({ value }) => value), ...apiScopes.flatMap(leavesOf)]);
}

export function tickOf(selection: Selection, leaves: readonly string[]): Tick {
  const count = leaves.filter((leaf) => selection.has(leaf)).length;
  if (count === 0) return 'none';
  return count === leaves.length ? 'all' : 'some';
}

export function ticked(selection: Selection, leaves: readonly string[], on: boolean): Selection {
  const next = new Set(selection);
  for (const leaf of leaves) {
    if (on) next.add(leaf);
    else next.delete(leaf);
  }
  return next;
}

/** 'Grant All Permissions': every API scope on, or all off but those that the app cannot do without. */
export function allPermissions({ apiScopes }: ConsentRequest, selection: Selection, on: boolean): Selection {
  const affected = on ? apiScopes : apiScopes.filter(({ required }) => !required);
  return ticked(selection, affected.flatMap(leavesOf), on);
}

/** What is sent: a scope whose fine-grained ones are all ticked is granted as itself, else those that are. */
export function scopesConsented({ identityScopes, apiScopes }: ConsentRequest, selection: Selection): string[] {
  const identity = identityScopes.map(({ value }) => value).filter((value) => selection.has(value));
  const api = apiScopes.flatMap((scope) => {
    const leaves = leavesOf(scope);
    return tickOf(selection, leaves) === 'all' ? [scope.value] : leaves.filter((leaf) => selection.has(leaf));
  });
  return [...new Set([...identity, ...api])];
}

/** API scopes grouped by the text before the first dot (`spec §2`): `patient/Observation.r` and `….s` stand together. */
export function grouped(scopes: readonly ApiScope[]): ApiScope[][] {
  const groups = new Map<string, ApiScope[]>();
  for (const scope of scopes) {
    const key = scope.value.split('.', 1)[0] ?? '';
    groups.set(key, [...(groups.get(key) ?? []), scope]);
  }
  return [...groups.values()];
}

export type Mark = 'required' | 'canChange' | 'offline';

/** What deserves a second look: write access, and access that lasts beyond the visit. */
export function badgesOf({ value, required }: { value: string; required?: boolean }): Mark[] {
  const scope = parseScope(value);
  const badges: Mark[] = required ? ['required'] : [];
  if (scope?.kind === 'resource' && /[cud]/.test(scope.actions)) badges.push('canChange');
  if (scope?.kind === 'refresh' && scope.text === 'offline_access') badges.push('offline');
  return badges;
}
