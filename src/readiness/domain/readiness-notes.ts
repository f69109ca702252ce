import type { Note } from './database-rules.js';
import type { TestMail } from './mail-rules.js';

/** `restored`: also written by the commands that restore a backup or end what was issued. */
export type NoteName = 'backup' | 'audit-verified' | 'restored' | 'restore-compared';

/** Steps by which the first administrator makes a new portal ready. */
export interface FirstStepsNote {
  /** Null for an administrator who signs in at another provider, and for a service. */
  secondFactor: boolean | null;
  isPutAway: boolean;
}

/** An administrator who receives a test mail. */
export interface Recipient {
  fullName: string;
  /** Null where another provider gives none. */
  email: string | null;
}

/** The latest of each thing that nothing else records. */
export abstract class ReadinessNotes {
  abstract findByName(name: NoteName): Promise<Note | undefined>;
  abstract write(name: NoteName, detail?: object): Promise<void>;
  /** Undefined for a caller without an account. */
  abstract recipient(accountId: string): Promise<Recipient | undefined>;
  /** Failures of these identity providers since their latest success, the latest first. */
  abstract providerFailures(schemes: readonly string[]): Promise<{ scheme: string; secondsAgo: number; why: string }[]>;
  abstract testMail(): Promise<TestMail | undefined>;
  abstract writeTestMail(mail: { accountId: string; mailId: string; tokenHash: string }): Promise<void>;
  abstract firstSteps(accountId: string): Promise<FirstStepsNote>;
  abstract putFirstStepsAway(isPutAway: boolean): Promise<void>;
  /** True if the token is that of the latest test mail, also when it was confirmed before. */
  abstract confirmTestMail(tokenHash: string): Promise<boolean>;
}
