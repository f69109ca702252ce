import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Authorization } from '../../oidc/domain/authorization.js';
import { type Step, Steps } from '../../oidc/domain/steps.js';
import { GrantedApps } from '../../oidc-store/infrastructure/granted-apps.js';
import { note } from '../../platform/activity/launch-notes.js';
import { PatientNotices } from '../../representation/application/patient-notices.js';
import { ConsentDecisions } from './consent-decisions.js';

/**
 * Due unless an earlier decision of the user answers the request, or the client needs no consent and the user has taken
 * no permission back from it.
 */
@Injectable()
export class ConsentStep implements Step, OnModuleInit {
  readonly name = 'consent';

  constructor(
    private readonly decisions: ConsentDecisions,
    private readonly apps: GrantedApps,
    private readonly notices: PatientNotices,
    private readonly steps: Steps,
  ) {}

  onModuleInit(): void {
    this.steps.register(this);
  }

  async isDue(authorization: Authorization): Promise<boolean> {
    if (authorization.consentRequested) return true;
    return (
      this.decisions.agreedBy(await this.decisions.findForAuthorization(authorization), authorization) === undefined
    );
  }

  /** The scopes of the request that the user agreed to earlier; undefined if consent is due. */
  async agreedScopes(authorization: Authorization): Promise<string[] | undefined> {
    const { client, scopes, consentRequested } = authorization;
    if (consentRequested) return undefined;
    const decision = await this.decisions.findForGrant(authorization);
    const agreed = this.decisions.agreedBy(decision, authorization);
    const { acting } = authorization.launch;
    if (agreed && acting && !decision) await this.noteConnected(authorization, acting.relationship);
    const isAnswered = client.settings.requireConsent || decision?.refuses(scopes);
    if (agreed && isAnswered) note('consent-remembered', { granted: agreed.length, offered: scopes.length });
    return agreed;
  }

  /** The app of a client that needs no consent is connected when it gets its first access. */
  private async noteConnected({ accountId, client }: Authorization, relationship: string): Promise<void> {
    const all = await this.apps.ofAccount(accountId);
    const isKnown = all.some((one) => one.clientId === client.clientId && one.representation === relationship);
    if (!isKnown) await this.notices.appConnected(relationship);
  }
}
