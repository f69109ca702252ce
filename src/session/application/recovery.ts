import { Injectable } from '@nestjs/common';
import type { LinkFacts } from '../../contract/account.js';
import { Interactions } from '../../oidc/application/interactions.js';
import type { Browser } from '../../platform/browser.js';
import { type Choice, type Link, PasswordLinks } from '../../users/application/passwords/password-links.js';
import { PasswordResets } from '../../users/application/passwords/password-resets.js';
import { SignInLimits } from './sign-in-limits.js';
import { SignOut } from './sign-out.js';

export type { Choice, Link };

/**
 * Account access by mailed links. A link signs no user in; a user who follows one in a browser with a session, be it
 * their own, goes on with the account of the link, so that session is signed out.
 */
@Injectable()
export class Recovery {
  constructor(
    private readonly links: PasswordLinks,
    private readonly resets: PasswordResets,
    private readonly limits: SignInLimits,
    private readonly session: SignOut,
    private readonly interactions: Interactions,
  ) {}

  requestReset(email: string, caller: string): Promise<void> {
    return this.resets.request(email, caller);
  }

  /** Returns the content of a link's page; the pending request is this very browser's, whatever the link says. */
  async check(purpose: Parameters<PasswordLinks['check']>[0], link: Link, browser: Browser): Promise<LinkFacts> {
    const email = await this.links.check(purpose, link);
    return { email, returnUrl: (await this.interactions.pendingOf(undefined, browser)) ?? null };
  }

  async activate(browser: Browser, choice: Choice): Promise<void> {
    await this.links.activate(choice);
    await this.session.signOut(browser);
  }

  /** Also ends a lock-out that the guesses of others caused (security F-03). */
  async reset(browser: Browser, choice: Choice): Promise<void> {
    await this.limits.forgive(await this.links.reset(choice));
    await this.session.signOut(browser);
  }
}
