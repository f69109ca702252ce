import { Injectable } from '@nestjs/common';
import type { UserType } from '../../contract/session.js';
import { FhirServerFailure } from '../../fhir-server/application/fhir-server.js';
import { Config, fhirBaseOf, type IdentityProvider } from '../../platform/config/config.js';
import { Problem } from '../../platform/errors.js';
import { type AccountFacts, Accounts } from '../../users/application/accounts.js';
import {
  ExternalAccounts,
  type ExternalIdentity,
  type ExternalRole,
} from '../../users/application/external-accounts.js';
import { RecordLookup } from '../../users/application/record-lookup.js';
import type { ExternalClaims } from '../domain/external-claims.js';
import { SignInRefused } from './sign-in-refused.js';

/** Who of those that another provider sends comes in, and as whom. */
@Injectable()
export class ExternalAdmission {
  private readonly fhirBases: string[];

  constructor(
    private readonly accounts: Accounts,
    private readonly external: ExternalAccounts,
    private readonly records: RecordLookup,
    config: Config,
  ) {
    this.fhirBases = [fhirBaseOf(config), config.fhir.baseUrl?.replace(/\/+$/, '')].filter(
      (base) => base !== undefined,
    );
  }

  /** The account of somebody whom the provider has identified; throws {@link SignInRefused}. */
  async admit(provider: IdentityProvider, identity: ExternalIdentity, said: ExternalClaims): Promise<AccountFacts> {
    const groups = new Set(said.values(provider.groupsClaim));
    const isAdmin = provider.adminGroups.some((group) => groups.has(group));
    const isAllowed = provider.allowedGroups.length === 0 || provider.allowedGroups.some((group) => groups.has(group));
    const account = await this.external.find(identity);
    // Whoever has left the administrators' group has left their place, whatever the account says.
    const mayComeIn = isAdmin || (isAllowed && account?.userType !== 'Admin');
    if (!mayComeIn || !(account || provider.autoProvision)) throw new SignInRefused('no-account');
    // Not even an address that the provider has not checked may be that of a local account (security K-05).
    if (said.claimedEmail && (await this.accounts.idOf(said.claimedEmail))) throw new SignInRefused('account-exists');
    const isSettled = account !== undefined && account.userType !== 'Incomplete';
    const role = isSettled ? nobody : await this.roleOf(provider, said, isAdmin);
    const { fullName, email } = said;
    const profile = { fullName, email, fallbackName: provider.displayName };
    try {
      return await this.external.welcome({ identity, profile, role });
    } catch (error) {
      if (error instanceof Problem && error.kind === 'conflict') throw new SignInRefused('account-exists');
      throw error;
    }
  }

  private async roleOf(provider: IdentityProvider, said: ExternalClaims, isAdmin: boolean): Promise<ExternalRole> {
    const copies = said.copies(provider.copyClaims);
    if (isAdmin) return { userType: 'Admin', claims: copies };
    const record = await this.recordOf(provider, said);
    if (record === undefined) return { userType: 'Incomplete', claims: copies };
    const [userType] = record.split('/') as [UserType];
    return { userType, claims: [{ name: 'fhirUser', value: record }, ...copies] };
  }

  private async recordOf({ fhirUser }: IdentityProvider, said: ExternalClaims): Promise<string | undefined> {
    if ('claim' in fhirUser) return said.recordIn(fhirUser.claim, this.fhirBases);
    try {
      const [only, another] = await this.records.find(fhirUser.lookup, (claim) => said.value(claim));
      if (another !== undefined) throw new SignInRefused('ambiguous-record');
      return only;
    } catch (cause) {
      if (cause instanceof FhirServerFailure) throw new SignInRefused('fhir-connection-required', { cause });
      throw cause;
    }
  }
}

const nobody: ExternalRole = { userType: 'Incomplete', claims: [] };
