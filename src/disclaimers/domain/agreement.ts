import type { Disclaimer, Subject } from './disclaimer.js';

/** The last agreement of one user to one wording of a disclaimer. */
export class Agreement implements Subject {
  readonly accountId: string;
  readonly tenantId: string | null;
  readonly clientId: string | null;
  readonly disclaimerId: string;
  readonly textHash: string;
  readonly agreedAt: Date;
  /** The sign-in in which they did. */
  readonly signIn: string;

  private constructor(
    state: Pick<Agreement, Exclude<keyof Agreement, 'isSufficientFor' | 'isToWordingOf' | 'isAbout'>>,
  ) {
    Object.assign(this, state);
  }

  static give(given: {
    accountId: string;
    disclaimer: Disclaimer;
    clientId: string;
    signIn: string;
    now: Date;
  }): Agreement {
    const { accountId, disclaimer, clientId, signIn, now } = given;
    const { textHash } = disclaimer;
    return new Agreement({ accountId, ...disclaimer.subjectFor(clientId), textHash, agreedAt: now, signIn });
  }

  /** True if the user need not be asked again: for the same wording, or in this very sign-in (security L-03). */
  isSufficientFor(disclaimer: Disclaimer, clientId: string, signIn: string): boolean {
    if (!this.isAbout(disclaimer.subjectFor(clientId)) || !this.isToWordingOf(disclaimer)) return false;
    return !disclaimer.everyLogin || this.signIn === signIn;
  }

  /** True if the disclaimer still has the wording that the user agreed to. */
  isToWordingOf(disclaimer: Disclaimer): boolean {
    return disclaimer.isSubjectOf(this) && this.textHash === disclaimer.textHash;
  }

  isAbout({ tenantId, clientId, disclaimerId }: Subject): boolean {
    return this.tenantId === tenantId && this.clientId === clientId && this.disclaimerId === disclaimerId;
  }
}

export abstract class Agreements {
  abstract ofAccount(accountId: string): Promise<Agreement[]>;
  /** Each replaces an earlier one about the same. */
  abstract keep(agreements: Agreement[]): Promise<void>;
  /** Returns true if it was still there. */
  abstract remove(agreement: Agreement): Promise<boolean>;
}
