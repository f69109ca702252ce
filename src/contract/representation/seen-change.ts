import { IsString, MaxLength } from 'class-validator';
import { OptionalOrEmpty } from '../list-query.js';

/** An act about a relationship, as a page has shown it. */
export class SeenChange {
  /**
   * `changedAt` of the relationship, as it was shown: if it was changed since then, the act is answered 409. Without
   * it the act is about the relationship as it is.
   */
  @OptionalOrEmpty()
  @IsString()
  @MaxLength(64)
  seenChange?: string;
}
