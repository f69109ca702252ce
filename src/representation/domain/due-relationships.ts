import type { Relationship } from './relationship.js';

/** The findings of the last look at a relationship, for the next one. */
export interface Looked {
  birthDate: string | null;
  /** Ids of the levels that had to permit; null if nothing was permitted. */
  levels: string[] | null;
}

/** A relationship to look at, which only this node has. */
export interface DueRelationship {
  relationship: Relationship;
  looked: Looked | null;
  /** The look is this node's until then. */
  claimedUntil: Date;
}

/** The work that the calendar makes: which relationships a node looks at, and of what their sides were told. */
export abstract class DueRelationships {
  /**
   * Takes active and suspended relationships that are due, and those of accounts that are gone; no other node gets them
   * for an hour.
   */
  abstract claim(at: Date, limit: number): Promise<DueRelationship[]>;
  /** Stores what a look found. A relationship that was changed meanwhile stays due at once. */
  abstract finish(due: DueRelationship, next: Date, looked: Looked): Promise<void>;
  /** True for the first telling of a step; in the caller's transaction. */
  abstract tell(relationshipId: string, step: string, at: Date): Promise<boolean>;
  /**
   * The time at which an older backup was restored, in the last 60 days: what was due before it may have been told by
   * the database that was lost. Undefined if none was.
   */
  abstract restoredAt(): Promise<Date | undefined>;
  /**
   * Removes relationships that ended ten years ago, proposals that led to none a year ago, and what is known of
   * patients and addresses of relationships that are gone: of each at most so many. Returns the number of the kind of
   * which it removed most. Blocks stay for ever, with the relationship that left them.
   */
  abstract removeOld(at: Date, most: number): Promise<number>;
  /** The time at which it was told; undefined if it was not. */
  abstract toldAt(relationshipId: string, step: string): Promise<Date | undefined>;
}
