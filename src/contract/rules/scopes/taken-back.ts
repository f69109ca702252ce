/** The scopes of an app after its user has taken back one permission of them. */
import { overlap } from './scope-choice.js';
import { covers, parseScope, printScope, type ResourceScope, type SmartScope, splitScopes } from './smart-scope.js';

/** Returns a scope for each kind of records that a wildcard stands for. */
export type Unfold = (wildcard: ResourceScope) => readonly string[];

/**
 * A permission that a user can take back by itself: seeing and changing one kind of data, changing it, or one
 * operation.
 */
export function permissionOf(text: string): SmartScope | undefined {
  const scope = parseScope(text);
  if (scope?.kind === 'operation' || scope?.kind === 'extension') return scope;
  return scope?.kind === 'resource' && /^(cud|cruds)$/.test(scope.actions) ? scope : undefined;
}

/**
 * The scopes without this permission. A scope that permits more of the kind than the permission (other categories,
 * other patients) is gone as well, because no scope means "all but these".
 */
export function withoutPermission(scopes: readonly string[], taken: SmartScope, unfold: Unfold): string[] {
  const rest = scopes.flatMap((text) => {
    const scope = parseScope(text);
    return scope ? restOf(scope, taken, unfold) : [text];
  });
  return [...new Set(rest)];
}

function restOf(scope: SmartScope, taken: SmartScope, unfold: Unfold): readonly string[] {
  if (!overlap(scope, taken)) return [scope.text];
  if (scope.kind !== 'resource' || taken.kind !== 'resource') return [];
  if (scope.type === '*' && taken.type !== '*') return withoutPermission(unfold(scope), taken, unfold);
  const actions = [...scope.actions].filter((action) => !taken.actions.includes(action)).join('');
  return actions === '' ? [] : [printScope({ ...scope, actions })];
}

/** The granted part of these scopes, in their order: of a scope that is granted in part, that part. */
export function permittedOf(scopes: readonly string[], granted: readonly string[]): string[] {
  const parts = granted.map(parseScope).filter((scope) => scope !== undefined);
  const permitted = scopes.flatMap((text) => {
    const asked = parseScope(text);
    if (!asked) return [];
    if (parts.some((broader) => covers(broader, asked))) return [text];
    return parts.filter((part) => covers(asked, part)).map((part) => part.text);
  });
  return [...new Set(permitted)];
}

/** As {@link permittedOf}, for scope strings (`RFC 6749 §3.3`). */
export function permittedText(scope: string, granted: string): string {
  return permittedOf(splitScopes(scope), splitScopes(granted)).join(' ');
}
