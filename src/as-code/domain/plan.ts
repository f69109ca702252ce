import { createHash } from 'node:crypto';

type ObjectKind = 'tag' | 'client' | 'user' | 'relationship';

export type Action =
  | 'create'
  | 'change'
  /** An object that is managed by hand comes under the file. */
  | 'adopt'
  /** As {@link adopt}, which was not asked for. */
  | 'adoption-needed'
  | 'delete'
  /** A user who is not in the file any more stays, and is managed by hand again. */
  | 'release'
  /** A client that was disabled by hand stays disabled. */
  | 'stopped'
  /** An object of the portal's configuration, which no file changes. */
  | 'configured-otherwise';

export interface FieldChange {
  field: string;
  /** Undefined for an object that is created. */
  before?: unknown;
  after: unknown;
}

export interface Change {
  kind: ObjectKind | 'tenant' | 'disclaimer';
  name: string;
  action: Action;
  fields: readonly FieldChange[];
  /** The consequences of a deletion. */
  note?: string;
}

/** The changes that applying a file would make. */
export class Plan {
  /** Another one as soon as the file, a secret or one of the objects is changed. */
  readonly id: string;

  constructor(
    readonly changes: readonly Change[],
    /** Versions of the objects, and hashes of secrets. */
    basis: unknown,
  ) {
    this.id = createHash('sha256')
      .update(JSON.stringify([changes, basis]))
      .digest('hex')
      .slice(0, 16);
  }

  get isEmpty(): boolean {
    return this.changes.length === 0;
  }

  count(...actions: Action[]): number {
    return this.changes.filter(({ action }) => actions.includes(action)).length;
  }
}

/** The members that differ, in the order of `after`. */
export function fieldChanges(before: object, after: object): FieldChange[] {
  const old = new Map<string, unknown>(Object.entries(before));
  return Object.entries(after)
    .filter(([field, value]) => JSON.stringify(value) !== JSON.stringify(old.get(field)))
    .map(([field, value]) => ({ field, before: old.get(field), after: value }));
}
