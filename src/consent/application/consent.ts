import { Injectable } from '@nestjs/common';
import type { ConsentLasting, ConsentRequest, ConsentSubmission } from '../../contract/consent.js';
import { parseLifetime } from '../../contract/rules/lifetime.js';
import { returnPlace } from '../../contract/rules/web-address.js';
import { Interactions, type OwnRequest } from '../../oidc/application/interactions.js';
import type { AuthorizingClient } from '../../oidc/domain/authorization.js';
import { note } from '../../platform/activity/launch-notes.js';
import { Audit } from '../../platform/audit/audit.js';
import { Database } from '../../platform/database/database.js';
import { PatientNotices } from '../../representation/application/patient-notices.js';
import { ConsentDecisions } from './consent-decisions.js';
import { ConsentOffers } from './consent-offers.js';

/**
 * The page on which a user decides about the access of an app. The interaction holds the scopes that they may tick; the
 * ticked ones become a new Grant; the decision whether to ask again is stored separately.
 */
@Injectable()
export class Consent {
  constructor(
    private readonly offers: ConsentOffers,
    private readonly decisions: ConsentDecisions,
    private readonly interactions: Interactions,
    private readonly notices: PatientNotices,
    private readonly audit: Audit,
    private readonly database: Database,
  ) {}

  async request(asked: OwnRequest): Promise<ConsentRequest> {
    const request = await this.interactions.atCurrentStep(asked);
    const { accountId } = request;
    const interaction = await this.offers.open(request);
    const { client, scopes, redirectUri, isTrial, launch, contextVersion } = interaction;
    const patient = await this.offers.patientOf(interaction);
    const before = await this.decisions.findForAuthorization({ accountId, client, launch });
    const offer = await this.offers.offerTo(accountId, interaction);
    const acting = await this.offers.actingIn(accountId, interaction, offer);
    const { legalCompanyName, contactUsUrl, privacyPolicyUrl, termsOfServiceUrl } = client.settings;
    return {
      clientName: client.clientName,
      identityScopes: offer.identityScopes,
      apiScopes: offer.apiScopes,
      redirectHost: returnPlace(redirectUri, client.settings.applicationType),
      firstTime: before === undefined,
      decidedAt: before?.grantedAt.toISOString() ?? null,
      leftOutBefore: before ? offer.leftOut(before) : [],
      newScopes: before?.newOf(offer.leaves) ?? [],
      ownRecord: offer.ownRecord,
      sensitive: this.offers.sensitiveOf(offer.leaves),
      lasting: lastingOf(scopes, client),
      patient: isTrial && patient ? { ...patient, canChange: false } : patient,
      ...(acting && { acting }),
      contextVersion,
      legalCompanyName: legalCompanyName || null,
      contactUsUrl: contactUsUrl || null,
      privacyPolicyUrl: privacyPolicyUrl || null,
      termsOfServiceUrl: termsOfServiceUrl || null,
      isTrial,
    };
  }

  /**
   * An empty choice declines. A choice with a scope that was not offered, or without a required one, is refused as a
   * whole.
   */
  async decide(
    asked: OwnRequest,
    { rememberConsent, scopesConsented, contextVersion }: Omit<ConsentSubmission, 'returnUrl'>,
  ): Promise<void> {
    const { accountId } = asked;
    await this.database.repeatableTransaction(async () => {
      // A page that was not told the version may know the request by its present returnUrl only.
      const request = contextVersion === undefined ? asked : await this.interactions.lock(asked);
      const interaction = await this.offers.open(request, contextVersion);
      const { clientId } = interaction.client;
      if (scopesConsented.length === 0) {
        await this.interactions.decline(request);
        await this.audit.record({ type: 'consent.declined', outcome: 'success', clientId });
        this.database.afterCommit(() => note('consent-declined'));
        return;
      }
      const offer = await this.offers.offerTo(accountId, interaction);
      this.offers.assertStillPermitted(interaction, offer, scopesConsented);
      const granted = offer.grantedScopes(scopesConsented);
      const { isTrial, launch } = interaction;
      const representation = launch.acting?.relationship;
      // Nothing of a trial decides about a later request.
      if (!isTrial) {
        const before = representation && (await this.decisions.findForAuthorization({ ...interaction, accountId }));
        if (representation && !before) await this.notices.appConnected(representation);
        await this.decisions.keep(
          { ...interaction, accountId, representation },
          { granted, remembered: rememberConsent },
        );
      }
      await this.interactions.approve(request, { offered: offer.texts, granted, representation });
      await this.audit.record({
        type: 'consent.given',
        outcome: 'success',
        clientId,
        detail: { scopes: granted, ...(isTrial && { trial: true }), ...(representation && { representation }) },
      });
      const remembered = rememberConsent && !isTrial ? 'remembered' : 'not remembered';
      const detail = { granted: granted.length, offered: interaction.scopes.length, remembered };
      this.database.afterCommit(() => note('consent-given', detail));
    });
  }
}

function lastingOf(scopes: string[], { settings }: AuthorizingClient): ConsentLasting {
  const seconds = parseLifetime(settings.consentLifetime);
  return {
    seconds: seconds ?? null,
    until: seconds === undefined ? null : new Date(Date.now() + seconds * 1000).toISOString(),
    offlineSeconds: scopes.includes('offline_access') ? (parseLifetime(settings.refreshTokenLifetime) ?? null) : null,
  };
}
