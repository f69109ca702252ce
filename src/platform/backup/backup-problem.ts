/** A reason, in the operator's words, for which a backup cannot be taken, read or restored. */
export class BackupProblem extends Error {}
