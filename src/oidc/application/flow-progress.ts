import { Injectable } from '@nestjs/common';
import { RegisteredClients } from '../../clients/application/registered-clients.js';
import type { AuthorizationPlace, EndedAuthorization } from '../../contract/authorization.js';
import { message } from '../../contract/messages/message.js';
import { note } from '../../platform/activity/launch-notes.js';
import { Audit } from '../../platform/audit/audit.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import { Steps } from '../domain/steps.js';
import { shownIn } from '../engine/authorization/interaction-binding.js';
import { Interactions, type OwnRequest, type PendingRequest } from './interactions.js';

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

  /** Progress without the sign-in step: the user is not known before it, and so neither are the steps after it. */
  async forRequest(request: OwnRequest): Promise<AuthorizationPlace> {
    const { step, passedPages, authorization } = await this.interactions.waiting(request);
    const ahead = await this.steps.pagesFrom(step, authorization);
    return { clientName: authorization.client.clientName, step: passedPages + 1, total: passedPages + ahead };
  }

  /**
   * Starting point after a request has ended: the client's `initiate_login_uri`, else the origin of its registered redirect URI.
   * The client data in the URL count only if they name a registered redirect URI, and no other address in it is
   * followed.
   */
  async ended({ returnUrl, browser }: PendingRequest): Promise<EndedAuthorization> {
    const { clientId, redirectUri } = shownIn(returnUrl);
    const client = await this.clients.find(clientId);
    if (!client?.settings.redirectUris.includes(redirectUri)) {
      throw new Problem('not-found', message('request-outdated'));
    }
    const goesOnAt = (await this.interactions.pendingOf(clientId, browser)) ?? null;
    // The URI as registered: a SMART client would take an added `iss` for a FHIR server.
    const startUrl = client.settings.initiateLoginUri || homeOf(redirectUri);
    return { clientName: client.clientName, startUrl, goesOnAt };
  }

  /** Cancels at any step: the client gets `access_denied` and nothing else. */
  async leave(request: OwnRequest): Promise<void> {
    await this.database.transaction(async () => {
      const { step, authorization } = await this.interactions.waiting(request);
      await this.interactions.decline(request);
      const { clientId } = authorization.client;
      await this.audit.record({ type: 'authorization.left', outcome: 'success', clientId, detail: { step } });
      this.database.afterCommit(() => note(step === 'disclaimers' ? 'disclaimers-declined' : 'left', { page: step }));
    });
  }
}

/** Home page of the client; null for a private-use URI scheme, which has no page. */
function homeOf(registeredUri: string): string | null {
  const home = new URL('.', registeredUri);
  home.pathname = '';
  return /^https?:$/.test(home.protocol) ? home.href : null;
}
