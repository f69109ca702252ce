import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ConsentDecisions } from '../../consent/application/consent-decisions.js';
import { message } from '../../contract/messages/message.js';
import { Interactions, type OwnRequest } from '../../oidc/application/interactions.js';
import type { Authorization } from '../../oidc/domain/authorization.js';
import { type Step, Steps } from '../../oidc/domain/steps.js';
import { GrantedApps } from '../../oidc-store/infrastructure/granted-apps.js';
import { PausedApps } from '../../oidc-store/infrastructure/paused-apps.js';
import { note } from '../../platform/activity/launch-notes.js';
import { Audit } from '../../platform/audit/audit.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';

/** A user stops an app for a while, and lets it continue. A new request of a paused app asks whether to resume it. */
@Injectable()
export class AppPauses implements Step, OnModuleInit {
  readonly name = 'paused';

  constructor(
    private readonly paused: PausedApps,
    private readonly apps: GrantedApps,
    private readonly consents: ConsentDecisions,
    private readonly interactions: Interactions,
    private readonly steps: Steps,
    private readonly audit: Audit,
    private readonly database: Database,
  ) {}

  onModuleInit(): void {
    this.steps.register(this);
  }

  async isDue({ accountId, client }: Authorization): Promise<boolean> {
    return this.paused.isPaused(accountId, client.clientId);
  }

  /** Pausing twice is not an error: the answer to the first call may have been lost. */
  async pause(accountId: string, clientId: string): Promise<void> {
    await this.database.repeatableTransaction(async () => {
      if (!(await this.hasAccess(accountId, clientId))) throw new Problem('not-found', message('app-gone'));
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

  /** True if the app has access now, or gets it without a question. */
  private async hasAccess(accountId: string, clientId: string): Promise<boolean> {
    const granted = await this.apps.ofAccount(accountId);
    if (granted.some((one) => one.clientId === clientId)) return true;
    const decisions = await this.consents.ofAccount(accountId);
    return decisions.some((one) => one.clientId === clientId && one.isInForce(new Date()));
  }
}
