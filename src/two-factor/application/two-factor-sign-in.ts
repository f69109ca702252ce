import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import { SignIns } from '../../oidc/application/sign-ins.js';
import { Config } from '../../platform/config/config.js';
import { randomId, sha256 } from '../../platform/crypto/secrets.js';
import { Problem } from '../../platform/errors.js';
import { clearCookie, cookieNames, readCookie, setCookie } from '../../platform/http/cookies.js';
import { UserDirectory, type UserFacts } from '../../users/application/user-directory.js';
import { PendingSignIn, PendingSignIns, pendingSeconds, pendingTries } from '../domain/pending-sign-in.js';
import { StepUp } from './step-up.js';
import { methodsOf, type Proof, TwoFactorProofs, wrongCode } from './two-factor-proofs.js';

export interface Verification {
  returnUrl?: string | null;
  rememberMe?: boolean;
}

/**
 * The second step of signing in. A right password is remembered for five minutes and five tries, under a random value
 * that only this browser has (a cookie); a session begins when the second factor is proven, and not before.
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
    private readonly config: Config,
  ) {}

  /** Called after the right password; returns true if the account needs a second step, which is then pending. */
  async beginIfNeeded(response: ServerResponse, account: UserFacts, remembered: boolean): Promise<boolean> {
    const { id: accountId, securityStamp } = account;
    if (!(await this.factors.isActive(accountId))) return false;
    await this.factors.assertOpen(accountId);
    const id = randomId();
    const now = new Date();
    await this.pending.add(PendingSignIn.begin({ idHash: sha256(id), accountId, securityStamp, remembered, now }));
    const { secure, path, secondStep } = cookieNames(this.config.server.issuer);
    setCookie(response, secondStep, id, { secure, path, maxAgeSeconds: pendingSeconds });
    return true;
  }

  /** Proves the second factor, of a sign-in that waits for it or of the session that an app's request found too weak. */
  async verify(
    request: IncomingMessage,
    response: ServerResponse,
    proof: Proof,
    verification: Verification,
  ): Promise<number | undefined> {
    const { returnUrl } = verification;
    const weak = await this.stepUp.sessionOf(request, response, returnUrl);
    if (weak) return this.stepUp.prove(request, response, weak, proof);
    return this.verifyPending(request, response, proof, verification);
  }

  /** Signing out ends this pending sign-in, too. */
  async abandon(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const id = this.idOf(request);
    if (id === undefined) return;
    await this.pending.finish(sha256(id));
    this.forget(response);
  }

  private async verifyPending(
    request: IncomingMessage,
    response: ServerResponse,
    proof: Proof,
    { returnUrl, rememberMe }: Verification,
  ): Promise<number | undefined> {
    const id = this.idOf(request);
    const waiting = id === undefined ? undefined : await this.pending.takeTry(sha256(id));
    if (!waiting) throw this.over(response);
    const account = await this.accounts.find(waiting.accountId);
    if (!account) throw new Problem('not-found', message('current-user-gone'));
    if (account.securityStamp !== waiting.securityStamp) throw this.over(response);
    const remembered = rememberMe ?? waiting.remembered;
    const proven = await this.factors.prove(account.id, proof, async (accepted) => {
      if (!(await this.pending.finish(waiting.idHash))) throw this.over(response);
      const amr = ['pwd', ...methodsOf[proof.kind]];
      await this.signIns.complete(request, response, { account, remembered, amr, returnUrl });
      return accepted;
    });
    if (!proven) {
      if (waiting.tries < pendingTries) throw wrongCode(proof.kind);
      await this.pending.finish(waiting.idHash);
      throw this.over(response, message('two-factor-codes-throttled'));
    }
    this.forget(response);
    return proven.recoveryCodesLeft;
  }

  private over(response: ServerResponse, reason = message('sign-in-expired')): Problem {
    this.forget(response);
    return new Problem('unauthenticated', reason);
  }

  private idOf(request: IncomingMessage): string | undefined {
    return readCookie(request, cookieNames(this.config.server.issuer).secondStep);
  }

  private forget(response: ServerResponse): void {
    const { secure, path, secondStep } = cookieNames(this.config.server.issuer);
    clearCookie(response, secondStep, { secure, path });
  }
}
