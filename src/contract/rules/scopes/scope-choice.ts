/**
 * The ticks of a user on the consent page and the scopes they grant. Scopes of one request overlap: `patient/*.rs`
 * permits what `patient/MedicationRequest.rs` permits. Unticked access must be gone, so a scope is granted only
 * together with everything else that it permits.
 */
import { limitsLess, parseScope, type SmartScope } from './smart-scope.js';

/** A scope on the page, with the narrower ones that can be ticked instead of it. */
export interface ChoosableScope {
  value: string;
  fineGrainedScopes: readonly ChoosableScope[];
}

/**
 * The ticked scopes, of those that can be ticked by themselves. A scope with narrower ones is not among them; it is
 * all, some or none of those below it.
 */
export type Selection = ReadonlySet<string>;

export type Tick = 'all' | 'some' | 'none';

/** The scopes that are ticked when this one is. */
export function leavesOf(scope: ChoosableScope): string[] {
  return scope.fineGrainedScopes.length > 0 ? scope.fineGrainedScopes.flatMap(leavesOf) : [scope.value];
}

/** The choice among the scopes of one request. */
export class ScopeChoice {
  private readonly parsed = new Map<string, SmartScope | undefined>();
  private readonly leaves: string[];
  private readonly companions = new Map<string, string[]>();

  constructor(private readonly scopes: readonly ChoosableScope[]) {
    this.leaves = [...new Set(scopes.flatMap(leavesOf))];
  }

  allLeaves(): Selection {
    return new Set(this.leaves);
  }

  /**
   * Ticking a scope also ticks the scopes that it implies; unticking one also unticks the scopes that would still
   * permit it.
   */
  withTicked(selection: Selection, scopes: readonly ChoosableScope[], on: boolean): Selection {
    const next = new Set(selection);
    const leaves = scopes.flatMap(leavesOf);
    if (!on) {
      for (const leaf of leaves) next.delete(leaf);
      return this.consistent(next);
    }
    const added = [...leaves, ...scopes.flatMap(({ value }) => this.comesWith(value))];
    for (let leaf = added.pop(); leaf !== undefined; leaf = added.pop()) {
      if (next.has(leaf)) continue;
      next.add(leaf);
      added.push(...this.comesWith(leaf));
    }
    return next;
  }

  tickOf(selection: Selection, scope: ChoosableScope): Tick {
    const leaves = leavesOf(scope);
    if (!leaves.some((leaf) => selection.has(leaf))) return 'none';
    return this.isWhole(selection, scope) ? 'all' : 'some';
  }

  /** Removes scopes that permit something unticked. */
  consistent(selection: Selection): Selection {
    const next = new Set(selection);
    let size: number;
    do {
      size = next.size;
      for (const leaf of next) {
        if (this.comesWith(leaf).some((other) => !next.has(other))) next.delete(leaf);
      }
    } while (size !== next.size);
    return next;
  }

  /**
   * The scopes to grant, in the order of the request: a scope that is ticked whole as itself, else what is ticked of
   * it.
   */
  grantedScopes(selection: Selection): string[] {
    const sound = this.consistent(selection);
    const texts = (scope: ChoosableScope): string[] => {
      if (this.isWhole(sound, scope)) return [scope.value];
      return scope.fineGrainedScopes.flatMap(texts);
    };
    return [...new Set(this.scopes.flatMap(texts))];
  }

  private isWhole(selection: Selection, scope: ChoosableScope): boolean {
    if (!leavesOf(scope).every((leaf) => selection.has(leaf))) return false;
    return scope.fineGrainedScopes.length === 0 || this.comesWith(scope.value).every((leaf) => selection.has(leaf));
  }

  /** The leaves that this scope permits in part, except for those that permit all of it. */
  private comesWith(value: string): string[] {
    const known = this.companions.get(value) ?? this.companionsOf(value);
    this.companions.set(value, known);
    return known;
  }

  private companionsOf(value: string): string[] {
    const scope = this.scope(value);
    if (!scope) return [];
    return this.leaves.filter((leaf) => {
      const other = this.scope(leaf);
      return (
        leaf !== value && other && overlap(scope, other) && (permitsAllOf(scope, other) || !permitsAllOf(other, scope))
      );
    });
  }

  private scope(text: string): SmartScope | undefined {
    if (!this.parsed.has(text)) this.parsed.set(text, parseScope(text));
    return this.parsed.get(text);
  }
}

/** True if the two permit something in common, as far as the scopes show. */
export function overlap(one: SmartScope, other: SmartScope): boolean {
  if (one.kind === 'operation' && other.kind === 'operation') {
    return one.operation === other.operation && rangesOverlap(one, other);
  }
  if (one.kind !== 'resource' || other.kind !== 'resource') return one.text === other.text;
  return (
    rangesOverlap(one, other) &&
    [...one.actions].some((action) => permitsAction(other, action)) &&
    (limitsLess(one.query, other.query) || limitsLess(other.query, one.query))
  );
}

/** True if, of two different scopes that overlap, the one permits everything that the other does. */
function permitsAllOf(one: SmartScope, other: SmartScope): boolean {
  if (one.kind === 'resource' && other.kind === 'resource') {
    return (
      rangeIncludes(one, other) &&
      [...other.actions].every((action) => permitsAction(one, action)) &&
      limitsLess(one.query, other.query)
    );
  }
  return one.kind === 'operation' && other.kind === 'operation' && rangeIncludes(one, other);
}

interface ScopeRange {
  subject: string;
  type: string;
}

/** True if the first subject includes the second: the resources that a user may see include those of the patient. */
function rangeIncludes(one: ScopeRange, other: ScopeRange): boolean {
  const subjects = one.subject === other.subject || one.subject === 'user';
  return subjects && (one.type === '*' || one.type === other.type);
}

function rangesOverlap(one: ScopeRange, other: ScopeRange): boolean {
  const subjects = one.subject === other.subject || (one.subject !== 'system' && other.subject !== 'system');
  return subjects && (one.type === '*' || other.type === '*' || one.type === other.type);
}

/** Reading one and searching many are the same to a user. */
function permitsAction({ actions }: { actions: string }, action: string): boolean {
  return /[rs]/.test(action) ? /[rs]/.test(actions) : actions.includes(action);
}
