import type { ApiScope, ConsentRequest, FineGrainedScope } from '../../../../src/contract/consent.js';
import { ScopeChoice, type Selection } from '../../../../src/contract/rules/scopes/scope-choice.js';
import { parseScope } from '../../../../src/contract/rules/scopes/smart-scope.js';

/** The choice among the scopes on the page. */
export function choiceOf({ identityScopes, apiScopes }: ConsentRequest): ScopeChoice {
  return new ScopeChoice([...identityScopes.map((scope) => ({ ...scope, fineGrainedScopes: [] })), ...apiScopes]);
}

/** At first everything is ticked, since the user is asked to uncheck (`spec §2`), except for what was unticked before. */
export function firstSelection(choice: ScopeChoice, { leftOutBefore }: ConsentRequest): Selection {
  const leftOut = leftOutBefore.map((value) => ({ value, fineGrainedScopes: [] }));
  return choice.ticked(choice.everything(), leftOut, false);
}

/** Ticks a scope, or unticks what of it the app can do without. */
export function ticked(choice: ScopeChoice, selection: Selection, scopes: FineGrainedScope[], on: boolean): Selection {
  return choice.ticked(selection, on ? scopes : scopes.flatMap(optionalOf), on);
}

function optionalOf(scope: FineGrainedScope): FineGrainedScope[] {
  if (scope.fineGrainedScopes.length > 0) return scope.fineGrainedScopes.flatMap(optionalOf);
  return scope.required ? [] : [scope];
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

/** Badges for scopes that need attention: write access, and access that lasts beyond the visit. */
export function badgesOf({ value, required }: { value: string; required?: boolean }): Mark[] {
  const scope = parseScope(value);
  const badges: Mark[] = required ? ['required'] : [];
  if (scope?.kind === 'resource' && /[cud]/.test(scope.actions)) badges.push('canChange');
  if (scope?.kind === 'refresh' && scope.text === 'offline_access') badges.push('offline');
  return badges;
}
