import { Injectable } from '@nestjs/common';
import { parseLifetime } from '../../contract/rules/lifetime.js';
import { ConfiguredDisclaimers } from '../../disclaimers/application/configured-disclaimers.js';
import type { Authorization } from '../../oidc/domain/authorization.js';
import { AppConsent, AppConsents, type RemovedConsent } from '../domain/app-consent.js';
import { isRequired } from './offer.js';

/** The part of an authorization that a decision is about. */
type Decided = Pick<Authorization, 'client' | 'accountId' | 'scopes' | 'tenant' | 'redirectUri'>;

/** Earlier decisions of users about apps. */
@Injectable()
export class ConsentDecisions {
  constructor(
    private readonly consents: AppConsents,
    private readonly disclaimers: ConfiguredDisclaimers,
  ) {}

  find({ accountId, client }: Pick<Authorization, 'accountId' | 'client'>): Promise<AppConsent | undefined> {
    return this.consents.find(accountId, client.clientId);
  }

  ofAccount(accountId: string): Promise<AppConsent[]> {
    return this.consents.ofAccount(accountId);
  }

  /** True if an earlier decision answers this authorization, so that the user need not be asked. */
  async isDecided(authorization: Authorization): Promise<boolean> {
    const { client, scopes, tenant, redirectUri } = authorization;
    const before = await this.find(authorization);
    const disclaimers = this.disclaimers.versionFor(authorization);
    if (!before?.answers({ scopes, tenant, redirectUri, disclaimers }, new Date())) return false;
    const agreed = before.agreedOf(scopes);
    return agreed.length > 0 && !scopes.some((text) => isRequired(text, client.settings) && !agreed.includes(text));
  }

  /** Stores that the user granted these scopes of the authorization, instead of the decision before. */
  async keep(
    { client, accountId, scopes, tenant, redirectUri }: Decided,
    { granted, remembered }: { granted: string[]; remembered: boolean },
  ): Promise<void> {
    await this.consents.keep(
      AppConsent.give({
        accountId,
        clientId: client.clientId,
        scopes: granted,
        declined: scopes.filter((text) => !granted.includes(text)),
        tenant,
        remembered,
        redirectUri,
        disclaimers: this.disclaimers.versionFor({ client, tenant }),
        lifetimeSeconds: parseLifetime(client.settings.consentLifetime),
        now: new Date(),
      }),
    );
  }

  /** Forgets the decision; returns it if there was one. */
  forget(accountId: string, clientId: string): Promise<RemovedConsent | undefined> {
    return this.consents.remove(accountId, clientId);
  }
}
