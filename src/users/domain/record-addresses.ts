import type { Claim } from '../../contract/session.js';

/** The facts that decide whether an account may have its address. */
export interface AddressedAccount {
  id: string;
  email: string;
  /** The account's own record, `{Type}/{id}`. */
  fhirUser: string | undefined;
  claims: readonly Claim[];
}

/**
 * A patient's account and one that acts for the patient must not have the same address: with it, *Forgot password*
 * would hand the record over. The module that knows who acts for whom registers here, because it stands above this one.
 */
export class RecordAddresses {
  private rule: ((account: AddressedAccount) => Promise<boolean>) | undefined;

  decidedBy(rule: (account: AddressedAccount) => Promise<boolean>): void {
    this.rule = rule;
  }

  /** True if the account may have this address; the caller's transaction holds the address. */
  async isFree({ id, email, fhirUser, claims }: Omit<AddressedAccount, 'email'> & { email: string | null }) {
    return email === null || !this.rule || (await this.rule({ id, email, fhirUser, claims }));
  }
}
