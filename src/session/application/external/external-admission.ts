import { Injectable } from '@nestjs/common';
import type { Claim, UserType } from '../../../contract/session.js';
import { FhirServerFailure } from '../../../fhir-server/application/fhir-server.js';
import { belongsTo } from '../../../oidc/domain/membership.js';
import { Config, type IdentityProvider } from '../../../platform/config/config.js';
import { type FhirBase, fhirBasesOf } from '../../../platform/config/fhir-bases.js';
import { Problem } from '../../../platform/errors.js';
import type { Browser } from '../../../platform/request/browser.js';
import {
  AccountRecords,
  type ProvidedReferences,
} from '../../../representation/application/administration/account-records.js';
import { InvitedBrowsers } from '../../../representation/application/invited-browsers.js';
import { type ExternalIdentity, type ExternalRole, ExternalUsers } from '../../../users/application/external-users.js';
import { RecordLookup } from '../../../users/application/record-lookup.js';
import { UserDirectory, type UserFacts } from '../../../users/application/user-directory.js';
import type { ExternalClaims } from '../../domain/external-claims.js';
import { SignInRefused } from '../sign-in-refused.js';

/** Decides whether a user authenticated by an external provider may sign in, and to which account they map. */
@Injectable()
export class ExternalAdmission {
  private readonly bases: readonly FhirBase[];

  constructor(
    private readonly accounts: UserDirectory,
    private readonly external: ExternalUsers,
    private readonly records: RecordLookup,
    private readonly related: AccountRecords,
    private readonly invited: InvitedBrowsers,
    config: Config,
  ) {
    this.bases = fhirBasesOf(config);
  }

  /** Returns the account of a user whom the provider has identified; throws {@link SignInRefused}. */
  async admit(
    browser: Browser,
    provider: IdentityProvider,
    identity: ExternalIdentity,
    claims: ExternalClaims,
  ): Promise<UserFacts> {
    const groups = new Set(claims.values(provider.groupsClaim));
    const isAdmin = provider.adminGroups.some((group) => groups.has(group));
    const isAllowed = provider.allowedGroups.length === 0 || provider.allowedGroups.some((group) => groups.has(group));
    const account = await this.external.findByIdentity(identity);
    // An administrator who has left the provider's group may not sign in, whatever the account says.
    const maySignIn = isAdmin || (isAllowed && account?.userType !== 'Admin');
    if (!maySignIn || !(account || provider.autoProvision)) throw new SignInRefused('no-account');
    // Even an unverified address of the provider may not be that of a local account (security K-05).
    if (claims.claimedEmail && (await this.accounts.idOf(claims.claimedEmail)))
      throw new SignInRefused('account-exists');
    const isSettled = account !== undefined && account.userType !== 'Incomplete';
    const role = isSettled ? noRole : await this.roleOf(browser, provider, claims, isAdmin);
    const { fullName, email, standardClaims } = claims;
    const profile = { fullName, email, standardClaims, fallbackName: provider.displayName };
    try {
      const admitted = await this.external.createOrUpdate({ identity, profile, role });
      if (provider.relatedPersonClaim !== undefined) {
        await this.related.nameByProvider(admitted.id, this.referencesOf(provider, claims, admitted.claims));
      }
      return admitted;
    } catch (error) {
      if (error instanceof Problem && error.kind === 'conflict') throw new SignInRefused('account-exists');
      throw error;
    }
  }

  private async roleOf(
    browser: Browser,
    provider: IdentityProvider,
    claims: ExternalClaims,
    isAdmin: boolean,
  ): Promise<ExternalRole> {
    const copies = claims.copiedClaims(provider.copyClaims);
    if (isAdmin) return { userType: 'Admin', claims: copies };
    const record = await this.recordOf(provider, claims, copies);
    if (record === undefined) return this.roleWithoutRecord(browser, provider, claims, copies);
    const [userType] = record.split('/') as [UserType];
    return { userType, claims: [{ name: 'fhirUser', value: record }, ...copies] };
  }

  /** A user without an own record who is related to a patient, or invited by one, only acts for others. */
  private async roleWithoutRecord(
    browser: Browser,
    provider: IdentityProvider,
    claims: ExternalClaims,
    copies: Claim[],
  ): Promise<ExternalRole> {
    const isRelated = this.referencesOf(provider, claims, copies).some(({ references }) => references.length > 0);
    if (this.related.isOn && isRelated) return { userType: 'RelatedPerson', claims: copies };
    const invited = this.related.isOn ? await this.invited.invitedUser(browser) : undefined;
    if (!invited) return { userType: 'Incomplete', claims: copies };
    const { tenant } = invited;
    // A provider that names hospitals decides of which the user is; one that names none leaves it to the invitation.
    const isNamed = tenant === undefined || copies.some(({ name }) => name === 'tenant');
    return { userType: 'RelatedPerson', claims: isNamed ? copies : [...copies, { name: 'tenant', value: tenant }] };
  }

  /** At each base of the account, the resources that the provider names there. */
  private referencesOf(
    { relatedPersonClaim: claim }: IdentityProvider,
    claims: ExternalClaims,
    own: readonly Claim[],
  ): ProvidedReferences[] {
    if (claim === undefined) return [];
    const homes = this.bases.filter((base) => belongsTo({ claims: own }, base));
    return homes.map((base) => ({ tenant: base.tenant?.id, references: claims.relatedIn(claim, addressesOf(base)) }));
  }

  /** Searched at the tenant of the account: the same reference is another person at another tenant. */
  private async recordOf(
    { fhirUser }: IdentityProvider,
    claims: ExternalClaims,
    copies: readonly Claim[],
  ): Promise<string | undefined> {
    const homes = this.bases.filter((base) => belongsTo({ claims: copies }, base));
    const [home] = homes;
    if (home === undefined) return undefined;
    if ('claim' in fhirUser) return claims.recordIn(fhirUser.claim, homes.flatMap(addressesOf));
    try {
      const inClaim = (claim: string) => claims.value(claim);
      const [only, another] = await this.records.findByClaims(fhirUser.lookup, inClaim, home.tenant?.id);
      if (another !== undefined) throw new SignInRefused('ambiguous-record');
      return only;
    } catch (cause) {
      if (cause instanceof FhirServerFailure) throw new SignInRefused('fhir-connection-required', { cause });
      throw cause;
    }
  }
}

/** The addresses of the base as apps know it, and as the server does. */
function addressesOf({ url, server: { baseUrl } }: FhirBase): string[] {
  return baseUrl === undefined ? [url] : [url, baseUrl.replace(/\/+$/, '')];
}

const noRole: ExternalRole = { userType: 'Incomplete', claims: [] };
