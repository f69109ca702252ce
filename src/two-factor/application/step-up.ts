import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { BrowserSessions, type SessionFacts } from '../../oidc/application/browser-sessions.js';
import { Interactions } from '../../oidc/application/interactions.js';
import { Config } from '../../platform/config/config.js';
import { Database } from '../../platform/database/database.js';
import { cookieNames, readCookie } from '../../platform/http/cookies.js';
import { methodsOf, type Proof, TwoFactorProofs, wrongCode } from './two-factor-proofs.js';

/** A session that an app's request waits for to become stronger. */
export interface WeakSession {
  session: SessionFacts;
  returnUrl: string;
}

/** Adds the second factor to a session that began without it, where a client requires one (security A-28, K-15). */
@Injectable()
export class StepUp {
  constructor(
    private readonly factors: TwoFactorProofs,
    private readonly sessions: BrowserSessions,
    private readonly interactions: Interactions,
    private readonly database: Database,
    private readonly config: Config,
  ) {}

  /** The session of this browser, if the request behind `returnUrl` waits for exactly its second factor. */
  async sessionOf(
    request: IncomingMessage,
    response: ServerResponse,
    returnUrl: string | null | undefined,
  ): Promise<WeakSession | undefined> {
    if (!returnUrl) return undefined;
    const interaction = await this.interactions.find(returnUrl, this.browserOf(request));
    if (interaction?.step !== 'two-factor') return undefined;
    const session = await this.sessions.describe(request, response);
    return session && session.accountId === interaction.accountId ? { session, returnUrl } : undefined;
  }

  /** Returns the number of recovery codes left when one was used. */
  async prove(
    request: IncomingMessage,
    response: ServerResponse,
    weak: WeakSession,
    proof: Proof,
  ): Promise<number | undefined> {
    const proven = await this.factors.prove(weak.session.accountId, proof, async (accepted) => {
      await this.strengthen(request, response, weak, proof.kind);
      return accepted;
    });
    if (!proven) throw wrongCode(proof.kind);
    return proven.recoveryCodesLeft;
  }

  /** Records the proven factor in the session, and in the request that waited for it, if there is one. */
  async strengthen(
    request: IncomingMessage,
    response: ServerResponse,
    { session, returnUrl }: Omit<WeakSession, 'returnUrl'> & { returnUrl: string | undefined },
    kind: Proof['kind'],
  ): Promise<void> {
    const { accountId, amr } = session;
    const stronger = [...new Set([...amr, ...methodsOf[kind]])];
    await this.database.transaction(async () => {
      await this.sessions.changeMethods(request, response, stronger);
      if (returnUrl) await this.interactions.steppedUp(returnUrl, this.browserOf(request), accountId, stronger);
    });
  }

  private browserOf(request: IncomingMessage): string | undefined {
    return readCookie(request, cookieNames(this.config.server.issuer).browser);
  }
}
