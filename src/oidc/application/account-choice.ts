import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { Database } from '../../platform/database/database.js';
import { cookieNames, readCookie } from '../../platform/http/cookies.js';
import { BrowserSessions } from './browser-sessions.js';
import { Interactions } from './interactions.js';

/** What somebody does whose account cannot authorize apps: signs in as somebody else, or goes back to the app. */
@Injectable()
export class AccountChoice {
  constructor(
    private readonly interactions: Interactions,
    private readonly sessions: BrowserSessions,
    private readonly database: Database,
    private readonly config: Config,
  ) {}

  /** Says where the browser goes on. */
  async choose(request: IncomingMessage, response: ServerResponse, returnUrl: string, other: boolean): Promise<string> {
    const browser = readCookie(request, cookieNames(this.config.server.issuer).browser);
    await this.database.transaction(async () => {
      if (!other) {
        await this.interactions.decline(returnUrl, browser);
        return;
      }
      await this.interactions.restart(returnUrl, browser);
      await this.sessions.signOut(request, response);
    });
    return other ? `/login?returnUrl=${encodeURIComponent(returnUrl)}` : returnUrl;
  }
}
