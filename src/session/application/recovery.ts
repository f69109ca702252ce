import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { type Choice, PasswordLinks } from '../../users/application/password-links.js';
import { LoginLimits } from './login-limits.js';
import { Sessions } from './sessions.js';

export type { Choice };

/**
 * The ways into an account by mail. Nobody is signed in by them; who follows a link in a browser where somebody is signed
 * in, be it the same person, goes on with the account of the link, so that one is signed out.
 */
@Injectable()
export class Recovery {
  constructor(
    private readonly links: PasswordLinks,
    private readonly limits: LoginLimits,
    private readonly sessions: Sessions,
  ) {}

  requestReset(email: string, caller: string): Promise<void> {
    return this.links.requestReset(email, caller);
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
