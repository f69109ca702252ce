import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { Database } from '../../platform/database/database.js';
import { insidePath } from '../../platform/http/base-path.js';
import { cookieNames, readCookie } from '../../platform/http/cookies.js';
import { BrowserSessions } from './browser-sessions.js';
import { Interactions, type OpenInteraction } from './interactions.js';

export interface AccountQuestion {
  /** Origin of the client's redirect URI. */
  appOrigin: string;
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
  async question(request: IncomingMessage, returnUrl: string): Promise<AccountQuestion | undefined> {
    const interaction = await this.waiting(request, returnUrl);
    if (!interaction) return undefined;
    const { redirectUri, reasons, tenant } = interaction;
    return {
      appOrigin: new URL(redirectUri).origin,
      isAdministrator: reasons.includes('admin'),
      tenantName: this.config.fhir.tenants.find(({ id }) => id === tenant)?.name,
    };
  }

  /** Returns the path to which the browser continues; undefined when no request waits for this choice. */
  async choose(
    request: IncomingMessage,
    response: ServerResponse,
    returnUrl: string,
    other: boolean,
  ): Promise<string | undefined> {
    return this.database.transaction(async () => {
      if (!(await this.waiting(request, returnUrl))) return undefined;
      const browser = this.browserOf(request);
      if (!other) {
        await this.interactions.decline(returnUrl, browser);
        return insidePath(returnUrl);
      }
      await this.interactions.restart(returnUrl, browser);
      await this.sessions.signOut(request, response);
      return `/login?returnUrl=${encodeURIComponent(returnUrl)}`;
    });
  }

  private async waiting(request: IncomingMessage, returnUrl: string): Promise<OpenInteraction | undefined> {
    const interaction = await this.interactions.find(returnUrl, this.browserOf(request));
    return interaction?.step === 'account' ? interaction : undefined;
  }

  private browserOf(request: IncomingMessage): string | undefined {
    return readCookie(request, cookieNames(this.config.server.issuer).browser);
  }
}
