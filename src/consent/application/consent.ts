import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { ConsentLasting, ConsentRequest, ConsentSubmission } from '../../contract/consent.js';
import { message } from '../../contract/messages/message.js';
import { parseLifetime } from '../../contract/rules/lifetime.js';
import { Disclaimers } from '../../disclaimers/application/disclaimers.js';
import { FhirServers } from '../../fhir-server/application/fhir-servers.js';
import { Interactions, type OpenInteraction, type OwnRequest } from '../../oidc/application/interactions.js';
import type { Authorization, AuthorizingClient } from '../../oidc/domain/authorization.js';
import { type Step, Steps } from '../../oidc/domain/steps.js';
import { Audit } from '../../platform/audit/audit.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import { UserDirectory } from '../../users/application/user-directory.js';
import { AppConsent, AppConsents } from '../domain/app-consent.js';
import { isRequired, Kinds, Offer } from './offer.js';

/**
 * The step in which a user decides about the access of an app. The interaction holds the scopes that they may tick;
 * the ticked ones become a new Grant; the decision whether to ask again is stored separately.
 */
@Injectable()
export class Consent implements Step, OnModuleInit {
  readonly name = 'consent';

  constructor(
    private readonly consents: AppConsents,
    private readonly interactions: Interactions,
    private readonly steps: Steps,
    private readonly disclaimers: Disclaimers,
    private readonly accounts: UserDirectory,
    private readonly servers: FhirServers,
    private readonly audit: Audit,
    private readonly database: Database,
  ) {}

  onModuleInit(): void {
    this.steps.register(this);
  }

  async isDue(authorization: Authorization): Promise<boolean> {
    const { client, accountId, scopes, tenant, redirectUri, consentRequested } = authorization;
    if (consentRequested) return true;
    if (!client.settings.requireConsent) return false;
    const before = await this.consents.find(accountId, client.clientId);
    const disclaimers = this.disclaimers.versionFor(authorization);
    if (!before?.answers({ scopes, tenant, redirectUri, disclaimers }, new Date())) return true;
    const agreed = before.agreedOf(scopes);
    return agreed.length === 0 || scopes.some((text) => isRequired(text, client.settings) && !agreed.includes(text));
  }

  /** The scopes of the request that the user agreed to earlier, when consent is not asked for this time. */
  async agreed({ client, accountId, scopes }: Authorization): Promise<string[]> {
    if (!client.settings.requireConsent) return scopes;
    const before = await this.consents.find(accountId, client.clientId);
    return before?.agreedOf(scopes) ?? [];
  }

  async request(request: OwnRequest): Promise<ConsentRequest> {
    const { accountId } = request;
    const interaction = await this.open(request);
    const { client, scopes, redirectUri } = interaction;
    const before = await this.consents.find(accountId, client.clientId);
    const offer = new Offer(scopes, client, await this.kindsFor(interaction, accountId));
    const { legalCompanyName, contactUsUrl, privacyPolicyUrl, termsOfServiceUrl } = client.settings;
    return {
      clientName: client.clientName,
      identityScopes: offer.identityScopes,
      apiScopes: offer.apiScopes,
      redirectHost: new URL(redirectUri).host,
      firstTime: before === undefined,
      leftOutBefore: before ? offer.leftOut(before) : [],
      lasting: lastingOf(scopes, client),
      legalCompanyName: legalCompanyName || null,
      contactUsUrl: contactUsUrl || null,
      privacyPolicyUrl: privacyPolicyUrl || null,
      termsOfServiceUrl: termsOfServiceUrl || null,
    };
  }

  /**
   * An empty choice declines. A choice with a scope that was not offered, or without a required one, is refused as a
   * whole.
   */
  async decide(
    request: OwnRequest,
    { rememberConsent, scopesConsented }: Omit<ConsentSubmission, 'returnUrl'>,
  ): Promise<void> {
    const { accountId } = request;
    await this.database.repeatableTransaction(async () => {
      const interaction = await this.open(request);
      const { client, scopes, tenant, redirectUri } = interaction;
      if (scopesConsented.length === 0) {
        await this.interactions.decline(request);
        await this.audit.record({ type: 'consent.declined', outcome: 'success', clientId: client.clientId });
        return;
      }
      const offer = new Offer(scopes, client, await this.kindsFor(interaction, accountId));
      const granted = offer.granted(scopesConsented);
      const lifetimeSeconds = parseLifetime(client.settings.consentLifetime);
      const { clientId } = client;
      await this.consents.keep(
        AppConsent.give({
          accountId,
          clientId,
          scopes: granted,
          declined: scopes.filter((text) => !granted.includes(text)),
          tenant,
          remembered: rememberConsent,
          redirectUri,
          disclaimers: this.disclaimers.versionFor({ client, tenant }),
          lifetimeSeconds,
          now: new Date(),
        }),
      );
      await this.interactions.approve(request, { offered: offer.texts, granted });
      await this.audit.record({ type: 'consent.given', outcome: 'success', clientId, detail: { scopes: granted } });
    });
  }

  /** Forgets the decision; returns true if there was one. */
  forget(accountId: string, clientId: string): Promise<boolean> {
    return this.consents.remove(accountId, clientId);
  }

  ofAccount(accountId: string): Promise<AppConsent[]> {
    return this.consents.ofAccount(accountId);
  }

  private async kindsFor({ tenant }: OpenInteraction, accountId: string): Promise<Kinds> {
    const account = await this.accounts.find(accountId);
    if (!account) throw new Problem('unauthenticated', message('sign-in-needed'));
    return new Kinds(account.userType, this.servers.forTenant(tenant).status.resourceTypes());
  }

  private async open(request: OwnRequest): Promise<OpenInteraction> {
    const interaction = await this.interactions.open(request);
    if (interaction.step !== 'consent' || interaction.accountId !== request.accountId) {
      throw new Problem('invalid', message('request-invalid'));
    }
    return interaction;
  }
}

function lastingOf(scopes: string[], { settings }: AuthorizingClient): ConsentLasting {
  const seconds = parseLifetime(settings.consentLifetime);
  return {
    until: seconds === undefined ? null : new Date(Date.now() + seconds * 1000).toISOString(),
    offlineSeconds: scopes.includes('offline_access') ? (parseLifetime(settings.refreshTokenLifetime) ?? null) : null,
  };
}
