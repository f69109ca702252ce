import { Injectable } from '@nestjs/common';
import type { AuthorizationPlace } from '../../contract/authorization.js';
import { Audit } from '../../platform/audit/audit.js';
import { Database } from '../../platform/database/database.js';
import { Interactions } from './interactions.js';
import { Steps } from './steps.js';

/** Where a person is on the way from an app's request to its answer, and the way out of it. */
@Injectable()
export class Place {
  constructor(
    private readonly interactions: Interactions,
    private readonly steps: Steps,
    private readonly database: Database,
    private readonly audit: Audit,
  ) {}

  /** Signing in is not counted: who signs in is not known before, and so not what comes after it. */
  async of(returnUrl: string, browser: string | undefined, accountId: string): Promise<AuthorizationPlace> {
    const { step, passedPages, authorization } = await this.interactions.waiting(returnUrl, browser, accountId);
    const ahead = await this.steps.pagesFrom(step, authorization);
    return { clientName: authorization.client.clientName, step: passedPages + 1, total: passedPages + ahead };
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
