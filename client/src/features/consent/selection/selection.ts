import type { ConsentRequest } from '../../../../../src/contract/consent.js';
import { type AccessRow, allLeaves, sees } from '../../../../../src/contract/rules/scopes/access-rows.js';
import {
  type ChoosableScope,
  leavesOf,
  ScopeChoice,
  type Selection,
  type Tick,
} from '../../../../../src/contract/rules/scopes/scope-choice.js';
import { parseScope } from '../../../../../src/contract/rules/scopes/smart-scope.js';

const alone = (value: string): ChoosableScope => ({ value, fineGrainedScopes: [] });

/** The choice among the scopes on the page. */
export function choiceOf({ identityScopes, apiScopes }: ConsentRequest): ScopeChoice {
  return new ScopeChoice([...identityScopes.map(({ value }) => alone(value)), ...apiScopes]);
}

/** The context that the app was opened in is a fact and no permission: it is not a choice. */
export function isFact(scope: string): boolean {
  return parseScope(scope)?.kind === 'launch';
}

/** The scopes that the app cannot do without, of those that can be ticked by themselves. */
export function lockedIn({ identityScopes, apiScopes }: ConsentRequest): ReadonlySet<string> {
  const identity = identityScopes.filter(({ required, value }) => required || isFact(value)).map(({ value }) => value);
  const required = (scopes: ConsentRequest['apiScopes']): string[] =>
    scopes.flatMap((scope) => (scope.required ? leavesOf(scope) : required(scope.fineGrainedScopes)));
  return new Set([...identity, ...required(apiScopes)]);
}

/**
 * At first everything is ticked, since the user is asked to uncheck (`spec §2`), except for these: what was unticked in
 * the earlier decision, or before the page was loaded again.
 */
export function firstSelection(choice: ScopeChoice, request: ConsentRequest, unticked: readonly string[]): Selection {
  const locked = lockedIn(request);
  const off = unticked.filter((scope) => !locked.has(scope));
  return choice.withTicked(choice.allLeaves(), off.map(alone), false);
}

/** The scopes to be sent: none where only facts are left. */
export function chosenOf(choice: ScopeChoice, selection: Selection): string[] {
  const granted = choice.grantedScopes(selection);
  return granted.every(isFact) ? [] : granted;
}

export function unticked(choice: ScopeChoice, selection: Selection): string[] {
  return [...choice.allLeaves()].filter((leaf) => !selection.has(leaf));
}

/** True if the row is ticked whole, in part or not at all. */
export function tickOf(choice: ScopeChoice, selection: Selection, row: AccessRow): Tick {
  const leaves = relevantLeaves(row, selection);
  const count = leaves.filter((leaf) => selection.has(leaf)).length;
  if (count === 0) return 'none';
  const isWhole =
    count === leaves.length && row.wildcards.every((wildcard) => choice.tickOf(selection, wildcard) === 'all');
  return isWhole ? 'all' : 'some';
}

/** Changes of what the app may not see do not count, as long as it may see some of it. */
function relevantLeaves({ leaves, seenBy }: AccessRow, selection: Selection): string[] {
  const isSeen = (leaf: string) => {
    const seeing = seenBy.get(leaf);
    return seeing === undefined || selection.has(seeing);
  };
  const relevant = leaves.filter(isSeen);
  return relevant.length > 0 ? relevant : leaves;
}

/** The letters of SMART scopes that the ticks of a row permit; of a row without a tick, those that it asks for. */
export function actionsOf(selection: Selection, row: AccessRow): string {
  const leaves = allLeaves(row);
  const ticked = leaves.filter((leaf) => selection.has(leaf));
  const texts = ticked.length > 0 ? ticked : leaves;
  const permitted = texts.map(parseScope).flatMap((scope) => (scope?.kind === 'resource' ? [scope.actions] : []));
  return [...'cruds']
    .filter((action) => (sees(action) ? row.see : row.change) && permitted.some((actions) => actions.includes(action)))
    .join('');
}

/** Ticks a row, or unticks what of it the app can do without. `parent` is the row that it is a part of. */
export function tickRow(
  choice: ScopeChoice,
  selection: Selection,
  { row, parent, locked }: { row: AccessRow; parent?: AccessRow | undefined; locked: ReadonlySet<string> },
  on: boolean,
): Selection {
  if (!on) {
    return choice.withTicked(
      selection,
      allLeaves(row)
        .filter((leaf) => !locked.has(leaf))
        .map(alone),
      false,
    );
  }
  const relevant = relevantLeaves(row, selection);
  const isSeen = relevant.some((leaf) => selection.has(row.seenBy.get(leaf) ?? leaf));
  const seeing = row.subject.is === 'change' && !isSeen ? [...row.seenBy.values()] : [];
  const ticked = [...relevant, ...seeing, ...(alsoChanges(selection, parent) ? row.along : [])];
  return choice.withTicked(selection, [...row.wildcards, ...ticked.map(alone)], true);
}

/** True if changes of the kind are ticked, or nothing of it is. */
function alsoChanges(selection: Selection, parent: AccessRow | undefined): boolean {
  if (!parent?.leaves.some((leaf) => selection.has(leaf))) return true;
  const changing = parent.children.filter(({ subject }) => subject.is === 'change');
  return changing.some(({ leaves }) => leaves.some((leaf) => selection.has(leaf)));
}

/** Ticks or unticks everything on the page that is a choice. */
export function tickAll(choice: ScopeChoice, locked: ReadonlySet<string>, on: boolean): Selection {
  return on ? choice.allLeaves() : choice.withTicked(new Set(), [...locked].map(alone), true);
}
