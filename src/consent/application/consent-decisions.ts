import { Injectable } from '@nestjs/common';
import { parseLifetime } from '../../contract/rules/lifetime.js';
import type { SmartScope } from '../../contract/rules/scopes/smart-scope.js';
import type { Unfold } from '../../contract/rules/scopes/taken-back.js';
import { returnPlace } from '../../contract/rules/web-address.js';
import { ConfiguredDisclaimers } from '../../disclaimers/application/configured-disclaimers.js';
import type { Authorization } from '../../oidc/domain/authorization.js';
import { AppConsent, AppConsents, type RemovedConsent } from '../domain/app-consent.js';
import { isRequired } from './offer.js';

/** The part of an authorization that a decision is about. */
type Decided = Pick<Authorization, 'client' | 'accountId' | 'scopes' | 'tenant' | 'redirectUri'> & {
  /** The relationship by which the user acts for a patient. */
  representation?: string | undefined;
};
type Asked = Pick<Authorization, 'accountId' | 'client'> & { launch: Pick<Authorization['launch'], 'acting'> };

/** Earlier decisions of users about apps. */
@Injectable()
export class ConsentDecisions {
  constructor(
    private readonly consents: AppConsents,
    private readonly disclaimers: ConfiguredDisclaimers,
  ) {}

  findForAuthorization({ accountId, client, launch }: Asked): Promise<AppConsent | undefined> {
    return this.consents.findByApp(accountId, client.clientId, launch.acting?.relationship);
  }

  /** The decision that a grant is about to be based on: it does not change until the grant is stored. */
  findForGrant({ accountId, client, launch }: Asked): Promise<AppConsent | undefined> {
    return this.consents.findForGrant(accountId, client.clientId, launch.acting?.relationship);
  }

  ofAccount(accountId: string): Promise<AppConsent[]> {
    return this.consents.ofAccount(accountId);
  }

  /** The scopes that `before` grants to this authorization; undefined if the user has to be asked. */
  agreedBy(before: AppConsent | undefined, authorization: Authorization): string[] | undefined {
    const { client, scopes, tenant, redirectUri } = authorization;
    if (!client.settings.requireConsent && !before?.refuses(scopes)) return scopes;
    const disclaimers = this.disclaimers.versionFor(authorization);
    const redirectHost = returnPlace(redirectUri, client.settings.applicationType);
    if (!before?.isSufficientFor({ scopes, tenant, redirectHost, disclaimers }, new Date())) return undefined;
    const agreed = before.agreedOf(scopes);
    const lacksRequired = scopes.some((text) => isRequired(text, client.settings) && !agreed.includes(text));
    return agreed.length > 0 && !lacksRequired ? agreed : undefined;
  }

  /** Stores that the user granted these scopes of the authorization, instead of the decision before. */
  async keep(
    { client, accountId, scopes, tenant, redirectUri, representation }: Decided,
    { granted, remembered }: { granted: string[]; remembered: boolean },
  ): Promise<void> {
    const before = await this.consents.findForGrant(accountId, client.clientId, representation);
    await this.consents.keep(
      AppConsent.give({
        accountId,
        clientId: client.clientId,
        representation,
        scopes: granted,
        declined: scopes.filter((text) => !granted.includes(text)),
        narrowed: before?.narrowed ?? false,
        tenant,
        remembered,
        redirectHost: returnPlace(redirectUri, client.settings.applicationType),
        disclaimers: this.disclaimers.versionFor({ client, tenant }),
        lifetimeSeconds: parseLifetime(client.settings.consentLifetime),
        now: new Date(),
      }),
    );
  }

  /** The decision, before a permission of it is taken back by {@link keepWithout}. */
  findForChange(accountId: string, clientId: string, representation?: string): Promise<AppConsent | undefined> {
    return this.consents.findForChange(accountId, clientId, representation);
  }

  /**
   * Stores that the user took this permission back: the next request for it asks. `scopes`: what the app had so far.
   */
  async keepWithout(
    app: { accountId: string; clientId: string; representation?: string | undefined; scopes: string[] },
    { decision, taken, unfold }: { decision: AppConsent | undefined; taken: SmartScope; unfold: Unfold },
  ): Promise<void> {
    const before = decision ?? AppConsent.withoutQuestion({ ...app, now: new Date() });
    await this.consents.keep(before.takeBack(taken, unfold));
  }

  /** Forgets the decision; returns it if there was one. */
  async forget(accountId: string, clientId: string, representation?: string): Promise<RemovedConsent | undefined> {
    await this.consents.findForChange(accountId, clientId, representation);
    return this.consents.remove(accountId, clientId, representation);
  }

  /** As {@link forget}, with those for all patients for whom the user acts; returns that about the own record. */
  async forgetAll(accountId: string, clientId: string): Promise<RemovedConsent | undefined> {
    const removed = await this.forget(accountId, clientId);
    await this.consents.removeRepresented(accountId, clientId);
    return removed;
  }
}
