import { Injectable } from '@nestjs/common';
import { message } from '../../../contract/messages/message.js';
import type { LinkProof } from '../../../contract/users/account.js';
import { PasskeyProofs } from '../../../passkeys/application/passkey-proofs.js';
import { Database } from '../../../platform/database/database.js';
import { Problem } from '../../../platform/errors.js';
import type { Browser } from '../../../platform/request/browser.js';
import { type Proof, TwoFactorProofs } from '../../../two-factor/application/two-factor-proofs.js';
import { TwoFactorReset } from '../../../two-factor/application/two-factor-reset.js';
import { Recoveries } from '../../../users/application/recoveries.js';

/** The proof of the holder of a link next to it. */
export interface RecoveryProof {
  verificationCode?: string | null;
  recoveryCode?: string | null;
  /** The answer of an authenticator. */
  passkey?: Record<string, unknown> | null;
}

const purpose = 'recover';

/**
 * The proof that an account with a passkey needs besides a mailed link, so that a mailbox alone does not open it: a
 * recovery code, a code of the authenticator app, a passkey, or the waiting time.
 */
@Injectable()
export class RecoveryProofs {
  constructor(
    private readonly passkeys: PasskeyProofs,
    private readonly factors: TwoFactorProofs,
    private readonly recoveries: Recoveries,
    private readonly reset: TwoFactorReset,
    private readonly database: Database,
  ) {}

  /** Null where the link is enough. */
  async neededBy(accountId: string): Promise<LinkProof | null> {
    if (!(await this.passkeys.has(accountId))) return null;
    const recovery = await this.recoveries.ofAccount(accountId);
    if (recovery && recovery.readyAt <= new Date()) return null;
    const authenticator = await this.factors.isActive(accountId);
    return {
      authenticator,
      recoveryCodes: ((await this.factors.recoveryCodesLeft(accountId)) ?? 0) > 0,
      waitHours: this.recoveries.hours,
      waitEndsTwoFactor: authenticator && (await this.recoveries.coversSecondFactor(accountId)),
      readyAt: recovery?.readyAt.toISOString() ?? null,
    };
  }

  /** True if the account has an authenticator app or a passkey. */
  async hasFactor(accountId: string): Promise<boolean> {
    return (await this.passkeys.has(accountId)) || this.factors.isActive(accountId);
  }

  /** True if a link used now removes the authenticator app: a recovery has waited. */
  async endsTwoFactor(accountId: string): Promise<boolean> {
    const recovery = await this.recoveries.ofAccount(accountId);
    if (!recovery || recovery.readyAt > new Date()) return false;
    return (await this.recoveries.coversSecondFactor(accountId)) && this.factors.isActive(accountId);
  }

  passkeyOptions(browser: Browser, accountId: string) {
    return this.passkeys.options(browser, { purpose, accountId });
  }

  /**
   * Runs `then` in the transaction that uses the proof up, or without one. `then` calls `entitle` with the account
   * locked, which throws where no proof was given and the account needs one.
   */
  async prove<T>(
    browser: Browser,
    accountId: string,
    { verificationCode, recoveryCode, passkey }: RecoveryProof,
    then: (entitle: () => Promise<void>) => Promise<T>,
  ): Promise<T> {
    let isProven = false;
    const proven = () => {
      isProven = true;
      return then(() => this.recoveries.withdraw(accountId));
    };
    if (passkey) {
      return this.passkeys.prove(browser, { purpose, accountId }, passkey, proven).catch((error: unknown) => {
        throw isProven ? error : atField('passkey', error);
      });
    }
    if (recoveryCode) return this.proveCode(accountId, { kind: 'recovery', code: recoveryCode }, proven);
    if (verificationCode) return this.proveCode(accountId, { kind: 'authenticator', code: verificationCode }, proven);
    return this.database.transaction(async () => {
      await this.reset.hold(accountId);
      return then(() => this.assertWaited(accountId));
    });
  }

  private async proveCode<T>(accountId: string, proof: Proof, then: () => Promise<T>): Promise<T> {
    const factor = this.factors.factorOf(proof);
    const result = await factor.prove(accountId, async () => ({ value: await then() }));
    if (!result) throw factor.refusal();
    return result.value;
  }

  private async assertWaited(accountId: string): Promise<void> {
    if (await this.recoveries.takeReady(accountId)) {
      if (await this.recoveries.coversSecondFactor(accountId)) await this.reset.resetByRecovery(accountId);
      return;
    }
    if (!(await this.passkeys.has(accountId))) return;
    throw Problem.invalid([{ field: 'recoveryCode', messages: [message('recovery-proof-needed')] }]);
  }
}

/** Names what is refused: on the same page, the link and the password can be refused as well. */
export function atField(field: 'passkey' | 'response', error: unknown): unknown {
  if (!(error instanceof Problem && error.kind === 'invalid')) return error;
  return Problem.invalid([{ field, messages: [error.userMessage] }]);
}
