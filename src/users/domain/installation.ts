/** Facts about this installation, in one row. */
export abstract class Installation {
  /** Random; distinguishes this installation from one that was set up before with the same master key. */
  abstract id(): Promise<string>;
  /** True once there has been an administrator, even one that was deleted since (security J-02). */
  abstract hadAdmin(): Promise<boolean>;
  /**
   * Claims the place of the first administrator for the transaction at hand. Of callers on any number of nodes only one
   * gets true; the others wait for its transaction and get false, or take its place when it was rolled back.
   */
  abstract claimFirstAdmin(now: Date): Promise<boolean>;
}
