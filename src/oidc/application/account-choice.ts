import { Injectable } from '@nestjs/common';
import type { FlowApp } from '../../contract/authorization.js';
import { note } from '../../platform/activity/launch-notes.js';
import { Config } from '../../platform/config/config.js';
import { Database } from '../../platform/database/database.js';
import { insidePath } from '../../platform/http/base-path.js';
import { flowAppOf } from '../domain/flow-app.js';
import { BrowserSessions } from './browser-sessions.js';
import { Interactions, type OpenInteraction, type PendingRequest } from './interactions.js';

export interface AccountQuestion {
  /** Undefined if the redirect URI is not registered any more. */
  app: FlowApp | undefined;
  /** True for an administrator; otherwise the account belongs to another tenant than the client requested. */
  isAdministrator: boolean;
  /** Name of the tenant whose FHIR base the client requested. */
  tenantName: string | undefined;
}

/**
 * The step of a user whose account cannot authorize clients, or not this one: sign in with another account, or return
 * to the client.
 */
@Injectable()
export class AccountChoice {
  constructor(
    private readonly interactions: Interactions,
    private readonly sessions: BrowserSessions,
    private readonly database: Database,
    private readonly config: Config,
  ) {}

  /** The question of this browser's request; undefined when no request waits for this choice. */
  async question(request: PendingRequest): Promise<AccountQuestion | undefined> {
    const interaction = await this.openInteraction(request);
    if (!interaction) return undefined;
    const { reasons, tenant } = interaction;
    note('page-shown', { page: 'account' });
    return {
      app: flowAppOf(interaction),
      isAdministrator: reasons.includes('admin'),
      tenantName: this.config.fhir.tenants.find(({ id }) => id === tenant)?.name,
    };
  }

  /** Returns the path to which the browser continues; undefined when no request waits for this choice. */
  async choose(request: PendingRequest, other: boolean): Promise<string | undefined> {
    return this.database.transaction(async () => {
      if (!(await this.openInteraction(request))) return undefined;
      const { returnUrl, browser } = request;
      if (!other) {
        await this.interactions.decline(request);
        this.database.afterCommit(() => note('left', { page: 'account' }));
        return insidePath(returnUrl);
      }
      await this.interactions.restart(request);
      await this.sessions.signOut(browser);
      return `/login?returnUrl=${encodeURIComponent(returnUrl)}`;
    });
  }

  private async openInteraction(request: PendingRequest): Promise<OpenInteraction | undefined> {
    const interaction = await this.interactions.findOpen(request);
    return interaction?.step === 'account' ? interaction : undefined;
  }
}
