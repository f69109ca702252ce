/** A kind of object, named like its column. */
export type ManagedKind = 'client' | 'tag' | 'account';

/** The mark of an object that a file manages; for a client also whether the file enables it. */
export interface ObjectMark {
  enabled: boolean | null;
}

/** Marks of the objects that a file manages. All methods run in the caller's transaction. */
export abstract class ObjectMarks {
  abstract markOf(kind: ManagedKind, id: string): Promise<ObjectMark | undefined>;
  /** By id of the object. */
  abstract ofKind(kind: ManagedKind): Promise<Map<string, ObjectMark>>;
  /** Replaces the mark that the object has. */
  abstract put(kind: ManagedKind, id: string, mark: ObjectMark): Promise<void>;
  /** False if the object has no mark. */
  abstract remove(kind: ManagedKind, id: string): Promise<boolean>;
  /** Returns the number of removed marks. */
  abstract removeAll(): Promise<number>;
  /** Keeps other processes from applying a file until the transaction ends; false if one of them is doing so. */
  abstract lockForApply(): Promise<boolean>;
}
