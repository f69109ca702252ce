import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import { SignIns } from '../../oidc/application/sign-ins.js';
import { randomId, sha256 } from '../../platform/crypto/secrets.js';
import { Problem } from '../../platform/errors.js';
import type { Browser } from '../../platform/request/browser.js';
import { UserDirectory, type UserFacts } from '../../users/application/user-directory.js';
import { PendingSignIn, PendingSignIns, pendingSeconds, pendingTries } from '../domain/pending-sign-in.js';
import { StepUp } from './step-up.js';
import { type SecondFactor, TwoFactorProofs } from './two-factor-proofs.js';

export interface Verification {
  returnUrl?: string | null;
  rememberMe?: boolean;
}

export interface Verified {
  /** The number left when one was used. */
  recoveryCodesLeft: number | undefined;
  /**
   * The page on which the user can keep the account, when no session began because they have requested its deletion.
   */
  keepPage: string | undefined;
}

/**
 * The second step of signing in. A right password is remembered for five minutes and five attempts, under a random
 * value that only this browser has (a cookie); a session begins when the second factor is proven, and not before.
 *
 * | state | ends by |
 * |---|---|
 * | pending | a proven factor (once, on whatever node), five wrong codes, five minutes, sign-out, another password, a changed second factor |
 */
@Injectable()
export class TwoFactorSignIn {
  constructor(
    private readonly factors: TwoFactorProofs,
    private readonly pending: PendingSignIns,
    private readonly accounts: UserDirectory,
    private readonly signIns: SignIns,
    private readonly stepUp: StepUp,
  ) {}

  /** Called after the right password; returns true if the account needs a second step, which is then pending. */
  async beginIfNeeded(browser: Browser, account: UserFacts, remembered: boolean): Promise<boolean> {
    const { id: accountId, securityStamp } = account;
    if (!(await this.factors.isActive(accountId))) return false;
    await this.factors.assertOpen(accountId);
    const id = randomId();
    const now = new Date();
    await this.pending.add(PendingSignIn.begin({ idHash: sha256(id), accountId, securityStamp, remembered, now }));
    browser.keep('second-step', id, pendingSeconds);
    return true;
  }

  /**
   * Proves the second factor, of a sign-in that waits for it or of the session that an app's request found too weak.
   */
  async verify(browser: Browser, factor: SecondFactor, verification: Verification): Promise<Verified> {
    const { returnUrl } = verification;
    const weak = await this.stepUp.sessionOf(browser, returnUrl);
    if (weak) return { recoveryCodesLeft: await this.stepUp.prove(browser, weak, factor), keepPage: undefined };
    return this.verifyPending(browser, factor, verification);
  }

  /** The account that waits for its second factor in this browser, or whose session an app's request found too weak. */
  async waitingAccount(browser: Browser, returnUrl: string | null | undefined): Promise<string | undefined> {
    const weak = await this.stepUp.sessionOf(browser, returnUrl);
    if (weak) return weak.session.accountId;
    const id = browser.recall('second-step');
    const waiting = id === undefined ? undefined : await this.pending.findByIdHash(sha256(id));
    const account = waiting && (await this.accounts.findById(waiting.accountId));
    return account && account.securityStamp === waiting.securityStamp ? account.id : undefined;
  }

  /** Signing out ends this pending sign-in, too. */
  async abandon(browser: Browser): Promise<void> {
    const id = browser.recall('second-step');
    if (id === undefined) return;
    await this.pending.finish(sha256(id));
    browser.forget('second-step');
  }

  private async verifyPending(
    browser: Browser,
    factor: SecondFactor,
    { returnUrl, rememberMe }: Verification,
  ): Promise<Verified> {
    const id = browser.recall('second-step');
    const waiting = id === undefined ? undefined : await this.pending.takeTry(sha256(id));
    if (!waiting) throw signInOver(browser);
    const account = await this.accounts.findById(waiting.accountId);
    if (!account) throw new Problem('not-found', message('current-user-gone'));
    if (account.securityStamp !== waiting.securityStamp) throw signInOver(browser);
    const remembered = rememberMe ?? waiting.remembered;
    const proven = await factor.prove(account.id, async (accepted) => {
      if (!(await this.pending.finish(waiting.idHash))) throw signInOver(browser);
      const amr = ['pwd', ...accepted.methods];
      const keepPage = await this.signIns.complete(browser, { account, remembered, amr, returnUrl });
      return { recoveryCodesLeft: accepted.recoveryCodesLeft, keepPage };
    });
    if (!proven) {
      if (waiting.tries < pendingTries) throw factor.refusal();
      await this.pending.finish(waiting.idHash);
      throw signInOver(browser, message('two-factor-codes-throttled'));
    }
    browser.forget('second-step');
    return proven;
  }
}

/** The password has to be entered again. */
export function signInOver(browser: Browser, reason = message('sign-in-expired')): Problem {
  browser.forget('second-step');
  return new Problem('unauthenticated', reason);
}
