import { Injectable } from '@nestjs/common';
import type { ActingConsent, SensitiveScopes } from '../../contract/consent.js';
import type { PatientInContext } from '../../contract/launch-context.js';
import { message } from '../../contract/messages/message.js';
import { isPartlyPrivate, keptPrivateOf, representedPart } from '../../contract/rules/scopes/represented-scopes.js';
import { parseScope } from '../../contract/rules/scopes/smart-scope.js';
import { FhirServers } from '../../fhir-server/application/fhir-servers.js';
import { contextVersionOf, NamedPatients } from '../../launch-context/application/named-patients.js';
import { Interactions, type OpenInteraction, type OwnRequest } from '../../oidc/application/interactions.js';
import type { LaunchSources } from '../../oidc/domain/launch.js';
import { nothingOfRecord } from '../../oidc/domain/scope-request.js';
import { Config } from '../../platform/config/config.js';
import { Problem } from '../../platform/errors.js';
import { UserDirectory } from '../../users/application/user-directory.js';
import { SensitiveData, type Sensitivity } from '../domain/sensitive-data.js';
import { Kinds, Offer } from './offer.js';

/** A request at the consent page. */
export interface OpenConsent extends OpenInteraction {
  launch: LaunchSources;
  /** Those that can be granted now: of a user who acts for a patient, what the levels permit at this moment. */
  scopes: string[];
  /** Those that could be granted when the page was reached. */
  scopesBefore: string[];
  contextVersion: string;
}

type Levels = NonNullable<LaunchSources['acting']>['levels'];

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
   * choosing its launch context again, has another one than the user was shown, or may see other things of it.
   */
  async open(request: OwnRequest, shownVersion?: string): Promise<OpenConsent> {
    const interaction = await this.interactions.open(request);
    const { step, accountId, chosen } = interaction;
    if (accountId !== request.accountId) throw new Problem('invalid', message('request-invalid'));
    if (step === 'launch-context') throw new Problem('conflict', message('context-changed'));
    if (step !== 'consent') throw new Problem('invalid', message('request-invalid'));
    const { launch } = (await this.interactions.waiting(request)).authorization;
    const contextVersion = contextVersionOf(chosen, launch.acting);
    if (shownVersion !== undefined && shownVersion !== contextVersion) {
      const isActing = launch.acting || hasEnded(launch, chosen);
      throw new Problem('conflict', message(isActing ? 'level-changed' : 'context-changed'));
    }
    const { scopes: scopesBefore } = interaction;
    return { ...interaction, launch, scopes: permittedNow(scopesBefore, launch, chosen), scopesBefore, contextVersion };
  }

  /**
   * Throws `conflict` if nothing of the patient's record may be seen any more, or less than the ticked scopes, which
   * were offered before.
   */
  assertStillPermitted(open: OpenConsent, offer: Offer, ticked: readonly string[]): void {
    const isLess = open.scopes.join(' ') !== open.scopesBefore.join(' ');
    const offered = new Set(offer.texts);
    if (!isPermitted(open) || (isLess && ticked.some((text) => !offered.has(text)))) {
      throw new Problem('conflict', message('level-changed'));
    }
  }

  /** The patient whom the request is about. Throws `unavailable` while the patient cannot be named. */
  async patientOf({ launch, tenant, chosen }: OpenConsent): Promise<PatientInContext | null> {
    if (hasEnded(launch, chosen)) return null;
    return this.patients.forRequest({ tenant, launch: { ...launch, chosen } });
  }

  async offerTo(accountId: string, { client, scopes, tenant, launch }: OpenConsent): Promise<Offer> {
    return new Offer(scopes, client, await this.kindsFor(accountId, tenant, launch.acting?.levels));
  }

  /** The kinds of the request that the levels leave out; undefined for a user who does not act for a patient. */
  async actingIn(accountId: string, open: OpenConsent, offer: Offer): Promise<ActingConsent | undefined> {
    const { acting } = open.launch;
    if (!acting) return hasEnded(open.launch, open.chosen) ? { ...nothing, isPermitted: false } : undefined;
    const kinds = await this.kindsFor(accountId, open.tenant);
    const { levels } = acting;
    return {
      isPermitted: isPermitted(open),
      keptPrivate: keptPrivateOf(askedOf(open), levels, (wildcard) => kinds.ofWildcard(wildcard)),
      partlyPrivate: offer.texts.filter((text) => isPartlyPrivate(text, levels)),
    };
  }

  /**
   * The kinds of records that wildcards stand for, for this account at the FHIR server of the tenant; with `levels`
   * for a patient for whom the user acts.
   */
  async kindsFor(accountId: string, tenant: string | undefined, levels?: Levels): Promise<Kinds> {
    const account = await this.accounts.findById(accountId);
    if (!account) throw new Problem('unauthenticated', message('sign-in-needed'));
    const served = this.servers.forTenant(tenant).status.resourceTypes();
    if (!levels) return new Kinds(account.userType, served);
    return new Kinds('RelatedPerson', served, (text) => isPermittedOf(text, levels));
  }

  /** The sensitive ones of these scopes. */
  sensitiveOf(scopes: string[]): SensitiveScopes {
    const sensitivities = scopes.map((scope) => [scope, this.sensitiveData.sensitivityOf(scope)] as const);
    const withShare = (share: Sensitivity) => sensitivities.flatMap(([scope, one]) => (one === share ? [scope] : []));
    return { whole: withShare('all'), partly: withShare('some') };
  }
}

const nothing: Omit<ActingConsent, 'isPermitted'> = { keptPrivate: [], partlyPrivate: [] };

function isPermittedOf(text: string, levels: Levels): boolean {
  return partOf(text, levels).includes(text);
}

function partOf(text: string, levels: Levels): string[] {
  const scope = parseScope(text);
  return scope === undefined ? [] : representedPart(scope, levels);
}

function permittedNow(scopes: string[], launch: LaunchSources, chosen: OpenInteraction['chosen']): string[] {
  const { acting } = launch;
  if (acting) return [...new Set(scopes.flatMap((text) => partOf(text, acting.levels)))];
  return hasEnded(launch, chosen) ? [] : scopes;
}

/** True if the user chose a patient for whom they may not act any more. */
function hasEnded({ own, represented, acting }: LaunchSources, chosen: OpenInteraction['chosen']): boolean {
  return represented !== undefined && own === undefined && acting === undefined && chosen.length > 0;
}

function isPermitted(open: OpenConsent): boolean {
  if (!open.launch.acting) return !hasEnded(open.launch, open.chosen);
  return !nothingOfRecord(askedOf(open), open.scopes);
}

function askedOf({ askedWhileActing, scopesBefore }: OpenConsent): string[] {
  return askedWhileActing ?? scopesBefore;
}
