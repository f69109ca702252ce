import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { TwoFactorSetup } from '../../contract/two-factor.js';
import { BrowserSessions, type SessionFacts } from '../../oidc/application/browser-sessions.js';
import { Config } from '../../platform/config/config.js';
import { Secrets } from '../../platform/crypto/secrets.js';
import { Database } from '../../platform/database/database.js';
import { PendingSignIns } from '../domain/pending-sign-in.js';
import { StepUp } from './step-up.js';
import { authenticatorUri, base32, keyBytes, stepOf } from './totp.js';
import { TwoFactorChangeGuard, type TwoFactorOwner } from './two-factor-change-guard.js';
import { alreadyActive, type Proof, TwoFactorProofs, wrongCode } from './two-factor-proofs.js';

export interface Confirmation {
  currentPassword?: string | null;
  returnUrl?: string | null;
}

/**
 * Users switch their second factor on and off. Either needs a recent sign-in or the password once more, besides the
 * code; either ends the account's other sessions in the same transaction.
 */
@Injectable()
export class TwoFactorSettings {
  constructor(
    private readonly guard: TwoFactorChangeGuard,
    private readonly factors: TwoFactorProofs,
    private readonly pending: PendingSignIns,
    private readonly sessions: BrowserSessions,
    private readonly stepUp: StepUp,
    private readonly secrets: Secrets,
    private readonly database: Database,
    private readonly config: Config,
  ) {}

  /**
   * Returns the key for setting up an authenticator. It stays the same until the user signs in again or changes the
   * password.
   */
  async setup(
    request: IncomingMessage,
    response: ServerResponse,
    returnUrl: string | undefined,
  ): Promise<TwoFactorSetup> {
    const owner = await this.guard.find(request, response, returnUrl);
    if (await this.factors.isActive(owner.account.id)) throw alreadyActive();
    const sharedKey = this.pendingKey(owner);
    const issuer = this.config.branding.organizationTitle ?? 'Gatehouse';
    return {
      authenticatorUri: authenticatorUri(sharedKey, issuer, owner.account.email ?? owner.account.fullName),
      sharedKey,
      currentPasswordRequired: !this.guard.isRecent(owner),
    };
  }

  /** Returns the recovery codes. */
  async enable(
    request: IncomingMessage,
    response: ServerResponse,
    code: string,
    { currentPassword, returnUrl }: Confirmation,
  ): Promise<string[]> {
    const owner = await this.guard.find(request, response, returnUrl);
    const { account, session, waiting } = owner;
    if (await this.factors.isActive(account.id)) throw alreadyActive();
    await this.guard.assertRecent(owner, currentPassword);
    const key = this.pendingKey(owner);
    const step = stepOf(code, key, new Date());
    if (step === undefined) throw wrongCode('authenticator');
    return this.database.transaction(async () => {
      const recoveryCodes = await this.factors.activate(account.id, key, step);
      await this.endWhatWasBefore(session);
      await this.stepUp.strengthen(request, response, { session, returnUrl: waiting }, 'authenticator');
      return recoveryCodes;
    });
  }

  /** A recovery code that does it is used up. */
  async disable(
    request: IncomingMessage,
    response: ServerResponse,
    proof: Proof,
    { currentPassword }: Pick<Confirmation, 'currentPassword'>,
  ): Promise<void> {
    const owner = await this.guard.find(request, response, undefined);
    const { account, session } = owner;
    await this.guard.assertRecent(owner, currentPassword);
    const proven = await this.factors.prove(account.id, proof, async (accepted) => {
      await this.factors.deactivate(account.id);
      await this.endWhatWasBefore(session);
      const weaker = session.amr.filter((method) => method !== 'otp' && method !== 'mfa');
      await this.sessions.changeMethods(request, response, weaker);
      return accepted;
    });
    if (!proven) throw wrongCode(proof.kind);
  }

  private async endWhatWasBefore({ accountId, uid }: SessionFacts): Promise<void> {
    await this.pending.removeOfAccount(accountId);
    await this.sessions.endOthers(accountId, uid);
  }

  /**
   * Derived, so that showing the QR code stores nothing. Bound to this sign-in: a person who saw it in another
   * session, or before the password was changed, does not know the key that is activated here.
   */
  private pendingKey({ account, session }: TwoFactorOwner): string {
    const { id, securityStamp } = account;
    const bound = JSON.stringify([id, securityStamp, session.uid, session.authenticatedAt]);
    const derived = Buffer.from(this.secrets.hmac('totp-setup', bound), 'base64url');
    return base32(derived.subarray(0, keyBytes));
  }
}
