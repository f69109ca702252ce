import { Injectable } from '@nestjs/common';
import type { SensitiveScopes } from '../../contract/consent.js';
import type { PatientInContext } from '../../contract/launch-context.js';
import { message } from '../../contract/messages/message.js';
import { representedPart } from '../../contract/rules/scopes/represented-scopes.js';
import { parseScope } from '../../contract/rules/scopes/smart-scope.js';
import { FhirServers } from '../../fhir-server/application/fhir-servers.js';
import { contextVersionOf, NamedPatients } from '../../launch-context/application/named-patients.js';
import { Interactions, type OpenInteraction, type OwnRequest } from '../../oidc/application/interactions.js';
import { type LaunchSources, meansPatient } from '../../oidc/domain/launch.js';
import { Config } from '../../platform/config/config.js';
import { Problem } from '../../platform/errors.js';
import { UserDirectory } from '../../users/application/user-directory.js';
import { SensitiveData, type Sensitivity } from '../domain/sensitive-data.js';
import { Kinds, Offer } from './offer.js';

/**
 * The content of the consent page: it depends on the request, the role of the user and the FHIR server of the tenant.
 */
@Injectable()
export class ConsentOffers {
  private readonly sensitiveData: SensitiveData;

  constructor(
    private readonly interactions: Interactions,
    private readonly accounts: UserDirectory,
    private readonly servers: FhirServers,
    private readonly patients: NamedPatients,
    { consent }: Config,
  ) {
    this.sensitiveData = new SensitiveData(consent.sensitive);
  }

  /**
   * Throws `invalid` unless the request waits for the consent of this account, and `conflict` when the account is
   * choosing its launch context again, or has another one than the user was shown.
   */
  async open(request: OwnRequest, shownVersion?: string): Promise<OpenInteraction> {
    const interaction = await this.interactions.open(request);
    const { step, accountId, chosen } = interaction;
    if (accountId !== request.accountId) throw new Problem('invalid', message('request-invalid'));
    const isOther = shownVersion !== undefined && shownVersion !== contextVersionOf(chosen);
    if (isOther || step === 'launch-context') throw new Problem('conflict', message('context-changed'));
    if (step !== 'consent') throw new Problem('invalid', message('request-invalid'));
    return interaction;
  }

  /**
   * Throws `conflict` if what the user may see of the patient has become less since the page was shown, or nothing is
   * left of it.
   */
  assertStillPermitted({ chosen, scopes }: OpenInteraction, { own, represented, acting }: LaunchSources): void {
    // Their choice was of a patient for whom the user may not act any more.
    const isOther = represented !== undefined && own === undefined && acting === undefined && chosen.length > 0;
    const isLess = acting && scopes.some((text) => !isPermittedOf(text, acting.levels));
    if (isLess || (isOther && scopes.some(isOfPatient))) throw new Problem('conflict', message('context-changed'));
  }

  /** The patient whom the request is about. Throws `unavailable` while the patient cannot be named. */
  async patientOf(request: OwnRequest, { chosen }: OpenInteraction): Promise<PatientInContext | null> {
    const { tenant, launch } = (await this.interactions.waiting(request)).authorization;
    return this.patients.forRequest({ tenant, launch: { ...launch, chosen } });
  }

  async offerTo(accountId: string, { client, scopes, tenant }: OpenInteraction): Promise<Offer> {
    return new Offer(scopes, client, await this.kindsFor(accountId, tenant));
  }

  /** The kinds of records that wildcards stand for, for this account at the FHIR server of the tenant. */
  async kindsFor(accountId: string, tenant: string | undefined): Promise<Kinds> {
    const account = await this.accounts.findById(accountId);
    if (!account) throw new Problem('unauthenticated', message('sign-in-needed'));
    return new Kinds(account.userType, this.servers.forTenant(tenant).status.resourceTypes());
  }

  /** The sensitive ones of these scopes. */
  sensitiveOf(scopes: string[]): SensitiveScopes {
    const sensitivities = scopes.map((scope) => [scope, this.sensitiveData.sensitivityOf(scope)] as const);
    const withShare = (share: Sensitivity) => sensitivities.flatMap(([scope, one]) => (one === share ? [scope] : []));
    return { whole: withShare('all'), partly: withShare('some') };
  }
}

function isPermittedOf(text: string, levels: NonNullable<LaunchSources['acting']>['levels']): boolean {
  const scope = parseScope(text);
  return scope !== undefined && representedPart(scope, levels).includes(text);
}

function isOfPatient(text: string): boolean {
  const scope = parseScope(text);
  return scope !== undefined && meansPatient(scope);
}
