import { Injectable } from '@nestjs/common';
import { BrowserSessions, type SessionFacts } from '../../oidc/application/browser-sessions.js';
import { Interactions } from '../../oidc/application/interactions.js';
import { note } from '../../platform/activity/launch-notes.js';
import { Database } from '../../platform/database/database.js';
import type { Browser } from '../../platform/request/browser.js';
import { PendingSignIns } from '../domain/pending-sign-in.js';
import type { SecondFactor } from './two-factor-proofs.js';

/** A session that an app's request waits for to become stronger. */
export interface WeakSession {
  session: SessionFacts;
  returnUrl: string;
  /** True if a setting of the client demands it, and not the request. */
  isDemandedByClient: boolean;
}

/** Adds the second factor to a session that began without it, where a client requires one (security A-28, K-15). */
@Injectable()
export class StepUp {
  constructor(
    private readonly sessions: BrowserSessions,
    private readonly interactions: Interactions,
    private readonly pending: PendingSignIns,
    private readonly database: Database,
  ) {}

  /** The session of this browser, if the request behind `returnUrl` waits for exactly its second factor. */
  async sessionOf(browser: Browser, returnUrl: string | null | undefined): Promise<WeakSession | undefined> {
    if (!returnUrl) return undefined;
    const interaction = await this.interactions.findOpen({ returnUrl, browser });
    if (interaction?.step !== 'two-factor') return undefined;
    const session = await this.sessions.describe(browser);
    const { require2fa: isDemandedByClient } = interaction.client.settings;
    return session && session.accountId === interaction.accountId
      ? { session, returnUrl, isDemandedByClient }
      : undefined;
  }

  /** Returns the number of recovery codes left when one was used. */
  async prove(browser: Browser, weak: WeakSession, factor: SecondFactor): Promise<number | undefined> {
    const proven = await factor.prove(weak.session.accountId, async (accepted) => {
      await this.recordFactor(browser, weak, accepted.methods);
      return accepted;
    });
    if (!proven) throw factor.refusal();
    return proven.recoveryCodesLeft;
  }

  /** Records the proven factor in the session, and in the request that waited for it, if there is one. */
  async recordFactor(
    browser: Browser,
    { session, returnUrl }: Pick<WeakSession, 'session'> & { returnUrl: string | undefined },
    methods: readonly string[],
  ): Promise<void> {
    const { accountId, amr } = session;
    const stronger = [...new Set([...amr, ...methods])];
    await this.database.transaction(async () => {
      await this.sessions.changeMethods(browser, stronger);
      if (returnUrl) await this.interactions.steppedUp({ returnUrl, browser, accountId }, stronger);
      this.database.afterCommit(() => note('second-factor-proven'));
    });
  }

  /**
   * Removes the authenticator app from the session, whose proof no longer counts; a passkey is two factors by itself.
   */
  async removeAuthenticator(browser: Browser, { amr }: SessionFacts): Promise<void> {
    const byPasskey = amr.includes('hwk') || amr.includes('swk');
    const weaker = amr.filter((method) => method !== 'otp' && (byPasskey || method !== 'mfa'));
    await this.sessions.changeMethods(browser, weaker);
  }

  /** Ends every other session of the account, and its pending sign-ins. */
  async endOthers({ accountId, uid }: SessionFacts): Promise<void> {
    await this.pending.removeOfAccount(accountId);
    await this.sessions.endOthers(accountId, uid, 'ended-by-sign-in-methods');
  }
}
