import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import { Interactions, type OwnRequest } from '../../oidc/application/interactions.js';
import { PausedApps } from '../../oidc-store/infrastructure/paused-apps.js';
import { note } from '../../platform/activity/launch-notes.js';
import { Audit } from '../../platform/audit/audit.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import { AppPresence } from './app-presence.js';

/** A user stops an app for a while, and lets it go on. */
@Injectable()
export class AppPauses {
  constructor(
    private readonly paused: PausedApps,
    private readonly access: AppPresence,
    private readonly interactions: Interactions,
    private readonly audit: Audit,
    private readonly database: Database,
  ) {}

  /** Pausing twice is no error: the answer to the first call may have been lost. */
  async pause(accountId: string, clientId: string): Promise<void> {
    await this.database.repeatableTransaction(async () => {
      if (!(await this.access.has(accountId, clientId))) throw new Problem('not-found', message('app-gone'));
      if (!(await this.paused.pause(accountId, clientId))) return;
      await this.audit.record({ type: 'app.paused', outcome: 'success', clientId });
    });
  }

  async resume(accountId: string, clientId: string): Promise<void> {
    await this.database.repeatableTransaction(async () => {
      if (!(await this.paused.resume(accountId, clientId))) return;
      await this.audit.record({ type: 'app.resumed', outcome: 'success', clientId });
    });
  }

  /** Resumes the app whose request waits for it. */
  async resumeFor(request: OwnRequest): Promise<void> {
    await this.database.repeatableTransaction(async () => {
      const { authorization } = await this.interactions.waiting(request);
      await this.interactions.goOnAfter(request, 'paused');
      await this.resume(request.accountId, authorization.client.clientId);
      this.database.afterCommit(() => note('app-resumed'));
    });
  }
}
