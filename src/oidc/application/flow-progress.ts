import { Injectable } from '@nestjs/common';
import { RegisteredClients } from '../../clients/application/registered-clients.js';
import type { AuthorizationPlace, EndedAuthorization } from '../../contract/authorization.js';
import { isRegisteredAt } from '../../contract/rules/web-address.js';
import { note } from '../../platform/activity/launch-notes.js';
import { Audit } from '../../platform/audit/audit.js';
import { Database } from '../../platform/database/database.js';
import { flowAppOf } from '../domain/flow-app.js';
import { type StepName, Steps } from '../domain/steps.js';
import { shownIn } from '../engine/authorization/interaction-binding.js';
import { passkeyReason } from '../engine/authorization/two-factor-prompt.js';
import { Interactions, type OwnRequest, type PendingRequest } from './interactions.js';
import { unknownInteraction } from './pending-interactions.js';

/** Progress of a user through an authorization (step n of m), and cancelling it. */
@Injectable()
export class FlowProgress {
  constructor(
    private readonly interactions: Interactions,
    private readonly steps: Steps,
    private readonly clients: RegisteredClients,
    private readonly database: Database,
    private readonly audit: Audit,
  ) {}

  /**
   * Progress without the sign-in step: the user is not known before it, and so neither are the steps after it. The page
   * of each step asks for it, and counts as shown with that.
   */
  async forRequest(asked: OwnRequest): Promise<AuthorizationPlace> {
    const request = await this.interactions.atCurrentStep(asked);
    const { step, passedPages, reasons, isTrial, authorization } = await this.interactions.waiting(request);
    const ahead = await this.steps.pagesFrom(step, authorization);
    const app = flowAppOf({ ...authorization, isTrial });
    if (!app) throw unknownInteraction();
    note('page-shown', { page: step });
    return {
      ...app,
      step: passedPages + 1,
      total: passedPages + ahead,
      ...(reasons.includes(passkeyReason) && { needsPasskey: true }),
    };
  }

  /**
   * Starting point after a request has ended: the registered `initiate_login_uri` of the client, and no address of the
   * request. The client data in the URL count only if they name a registered redirect URI.
   */
  async endedAuthorization({ returnUrl, browser }: PendingRequest): Promise<EndedAuthorization> {
    const { clientId, redirectUri } = shownIn(returnUrl);
    const client = await this.clients.findByClientId(clientId);
    const end = (await this.interactions.endOf({ returnUrl, browser })) ?? null;
    const reason = client || clientId === '' ? end : 'client';
    if (!client || !isRegisteredAt(redirectUri, client.settings)) {
      return { clientName: null, startUrl: null, goesOnAt: null, reason };
    }
    const goesOnAt = (await this.interactions.pendingOf(clientId, browser)) ?? null;
    // The URI as registered: a SMART client would take an added `iss` for a FHIR server.
    const startUrl = client.settings.initiateLoginUri || null;
    return { clientName: client.clientName, startUrl, goesOnAt, reason };
  }

  /** Cancels at any step: the client gets `access_denied` and nothing else. */
  async cancel(asked: OwnRequest): Promise<void> {
    await this.database.transaction(async () => {
      const request = await this.interactions.lock(asked);
      const { step, authorization } = await this.interactions.waiting(request);
      await this.decline(request, step, authorization.client.clientId);
    });
  }

  /** The same at the sign-in step, where the request has no account yet: it needs the browser's binding alone. */
  async cancelSignIn(request: PendingRequest): Promise<void> {
    await this.database.transaction(async () => {
      const { step, client } = await this.interactions.open(request);
      if (step !== 'login') throw unknownInteraction();
      await this.decline(request, step, client.clientId);
    });
  }

  private async decline(request: PendingRequest, step: StepName, clientId: string): Promise<void> {
    await this.interactions.decline(request);
    await this.audit.record({ type: 'authorization.left', outcome: 'success', clientId, detail: { step } });
    this.database.afterCommit(() => note(step === 'disclaimers' ? 'disclaimers-declined' : 'left', { page: step }));
  }
}
