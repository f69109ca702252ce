import { Injectable } from '@nestjs/common';
import { RegisteredClients } from '../../clients/application/registered-clients.js';
import type { AuthorizationPlace, EndedAuthorization } from '../../contract/authorization.js';
import { Audit } from '../../platform/audit/audit.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import { shownIn } from './interaction-binding.js';
import { Interactions } from './interactions.js';
import { Steps } from './steps.js';

/** Where a person is on the way from an app's request to its answer, and the way out of it. */
@Injectable()
export class FlowProgress {
  constructor(
    private readonly interactions: Interactions,
    private readonly steps: Steps,
    private readonly clients: RegisteredClients,
    private readonly database: Database,
    private readonly audit: Audit,
  ) {}

  /** Signing in is not counted: who signs in is not known before, and so not what comes after it. */
  async forReturnUrl(returnUrl: string, browser: string | undefined, accountId: string): Promise<AuthorizationPlace> {
    const { step, passedPages, authorization } = await this.interactions.waiting(returnUrl, browser, accountId);
    const ahead = await this.steps.pagesFrom(step, authorization);
    return { clientName: authorization.client.clientName, step: passedPages + 1, total: passedPages + ahead };
  }

  /**
   * From where to begin again: the app's `initiate_login_uri`, else the origin of the redirect URI. What the address says of
   * the app is believed where it names a registered redirect URI, and nothing that it says is followed but that.
   */
  async ended(returnUrl: string, browser: string | undefined): Promise<EndedAuthorization> {
    const { clientId, redirectUri } = shownIn(returnUrl);
    const client = await this.clients.find(clientId);
    if (!client?.settings.redirectUris.includes(redirectUri)) {
      throw new Problem('not-found', 'The request cannot be processed. Please refresh the page and try again.');
    }
    const goesOnAt = (await this.interactions.pendingOf(clientId, browser)) ?? null;
    // As it is registered: a SMART app would take an `iss` beside it for a FHIR server.
    const startUrl = client.settings.initiateLoginUri || homeOf(redirectUri);
    return { clientName: client.clientName, startUrl, goesOnAt };
  }

  /** Whatever step it is: the app gets `access_denied` and nothing else. */
  async leave(returnUrl: string, browser: string | undefined, accountId: string): Promise<void> {
    await this.database.transaction(async () => {
      const { step, authorization } = await this.interactions.waiting(returnUrl, browser, accountId);
      await this.interactions.decline(returnUrl, browser);
      const { clientId } = authorization.client;
      await this.audit.record({ type: 'authorization.left', outcome: 'success', clientId, detail: { step } });
    });
  }
}

/** An app with a scheme of its own has no page to begin at. */
function homeOf(redirectUri: string): string | null {
  const home = new URL('.', redirectUri);
  home.pathname = '';
  return /^https?:$/.test(home.protocol) ? home.href : null;
}
