import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { Database } from '../../platform/database/database.js';
import { cookieNames, readCookie } from '../../platform/http/cookies.js';
import { BrowserSessions } from './browser-sessions.js';
import { Interactions, type OpenInteraction } from './interactions.js';

/** What somebody does whose account cannot authorize apps: signs in as somebody else, or goes back to the app. */
@Injectable()
export class AccountChoice {
  constructor(
    private readonly interactions: Interactions,
    private readonly sessions: BrowserSessions,
    private readonly database: Database,
    private readonly config: Config,
  ) {}

  /** Where the app lives that this browser's request is of; undefined when it waits for no such choice. */
  async appOrigin(request: IncomingMessage, returnUrl: string): Promise<string | undefined> {
    const interaction = await this.waiting(request, returnUrl);
    return interaction && new URL(interaction.redirectUri).origin;
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
        return returnUrl;
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
