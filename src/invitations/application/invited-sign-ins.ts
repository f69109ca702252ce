import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { Secrets } from '../../platform/crypto/secrets.js';
import type { Browser } from '../../platform/request/browser.js';
import { InvitedBrowsers, type InvitedUser } from '../../representation/application/invited-browsers.js';
import { Invitations } from '../domain/invitation.js';

const markedSeconds = 3600;
const context = 'browser';

/**
 * Remembers in a browser that the link of an invitation was opened there. A user without a record whom only another
 * provider knows could not sign in to accept it (`spec §6`); the link shows that a patient has invited them.
 */
@Injectable()
export class InvitedSignIns implements OnModuleInit {
  constructor(
    private readonly invitations: Invitations,
    private readonly browsers: InvitedBrowsers,
    private readonly secrets: Secrets,
    private readonly config: Config,
  ) {}

  onModuleInit(): void {
    this.browsers.foundBy((browser) => this.invitedUser(browser));
  }

  /** `id`: an open invitation, of which the browser has sent the token. */
  mark(browser: Browser, id: string): void {
    if (!this.config.identityProviders.some(({ autoProvision }) => autoProvision)) return;
    const until = Date.now() + markedSeconds * 1_000;
    const sealed = this.secrets.seal('invitations', JSON.stringify({ id, until }), context);
    browser.keep('invited', sealed.toString('base64url'), markedSeconds);
  }

  private async invitedUser(browser: Browser): Promise<InvitedUser | undefined> {
    const { id, until } = this.markOf(browser) ?? { id: '', until: 0 };
    const invitation = until > Date.now() ? await this.invitations.findOpen(id) : undefined;
    return invitation && { tenant: invitation.tenant };
  }

  private markOf(browser: Browser): { id: string; until: number } | undefined {
    const kept = browser.recall('invited');
    try {
      return kept && JSON.parse(this.secrets.open('invitations', Buffer.from(kept, 'base64url'), context));
    } catch {
      return undefined;
    }
  }
}
