import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { Database } from '../../platform/database/database.js';
import { insidePath } from '../../platform/http/base-path.js';
import { cookieNames, readCookie } from '../../platform/http/cookies.js';
import { BrowserSessions } from './browser-sessions.js';
import { Interactions, type OpenInteraction } from './interactions.js';

export interface AccountQuestion {
  /** Where the app lives. */
  appOrigin: string;
  /** Otherwise the account is of another tenant than the app asked for. */
  isAdministrator: boolean;
  /** Whose FHIR base the app asked for. */
  tenantName: string | undefined;
}

/** What somebody does whose account cannot authorize apps, or not this one: signs in as somebody else, or goes back to the app. */
@Injectable()
export class AccountChoice {
  constructor(
    private readonly interactions: Interactions,
    private readonly sessions: BrowserSessions,
    private readonly database: Database,
    private readonly config: Config,
  ) {}

  /** What this browser's request asks; undefined when it waits for no such choice. */
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

  /** Says where the browser goes on; undefined when there is nothing to choose. */
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
