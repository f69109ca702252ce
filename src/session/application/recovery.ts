import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { LinkFacts } from '../../contract/account.js';
import { Interactions } from '../../oidc/application/interactions.js';
import { type Choice, type Link, PasswordLinks } from '../../users/application/password-links.js';
import { Sessions } from './sessions.js';
import { SignInLimits } from './sign-in-limits.js';

export type { Choice, Link };

/**
 * The ways into an account by mail. Nobody is signed in by them; who follows a link in a browser where somebody is signed
 * in, be it the same person, goes on with the account of the link, so that one is signed out.
 */
@Injectable()
export class Recovery {
  constructor(
    private readonly links: PasswordLinks,
    private readonly limits: SignInLimits,
    private readonly sessions: Sessions,
    private readonly interactions: Interactions,
  ) {}

  requestReset(email: string, caller: string): Promise<void> {
    return this.links.requestReset(email, caller);
  }

  /** What the page of a link shows; the request that waits is this very browser's, whatever the link says. */
  async check(
    purpose: Parameters<PasswordLinks['check']>[0],
    link: Link,
    browser: string | undefined,
  ): Promise<LinkFacts> {
    const email = await this.links.check(purpose, link);
    return { email, returnUrl: (await this.interactions.pendingOf(undefined, browser)) ?? null };
  }

  async activate(request: IncomingMessage, response: ServerResponse, choice: Choice): Promise<void> {
    await this.links.activate(choice);
    await this.sessions.signOut(request, response);
  }

  /** Also lets somebody in again who was kept out because others guessed (security F-03). */
  async reset(request: IncomingMessage, response: ServerResponse, choice: Choice): Promise<void> {
    await this.limits.forgive(await this.links.reset(choice));
    await this.sessions.signOut(request, response);
  }
}
