import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import { codeEmpty, formatRecoveryCode, normaliseRecoveryCode } from '../../contract/rules/users/two-factor-code.js';
import { note } from '../../platform/activity/launch-notes.js';
import { Secrets } from '../../platform/crypto/secrets.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import { type Limit, Limits } from '../../platform/limits/limits.js';
import { recoveryCodeBytes, recoveryCodesFrom } from '../domain/recovery-codes.js';
import { TwoFactor, TwoFactors } from '../domain/two-factor.js';
import { stepOf } from './totp.js';
import { TwoFactorEvents } from './two-factor-events.js';

/** A user's proof of the second factor. */
export interface Proof {
  kind: 'authenticator' | 'recovery';
  code: string;
}

/** The authentication methods that each kind adds to the sign-in (RFC 8176). */
const methodsOf: Record<Proof['kind'], string[]> = { authenticator: ['otp', 'mfa'], recovery: ['mfa'] };

/** An accepted proof; for recovery codes with the number left. */
export interface Accepted {
  /** The authentication methods that it adds to the sign-in (RFC 8176). */
  methods: readonly string[];
  recoveryCodesLeft?: number | undefined;
}

/** A second factor as a sign-in sees it, whether it is a code or a passkey. */
export interface SecondFactor {
  /** Runs `then` in the transaction that uses up the proof; undefined for one that is not accepted. */
  prove<T>(accountId: string, then: (accepted: Accepted) => Promise<T>): Promise<T | undefined>;
  /** The refusal of a proof that is not accepted. */
  refusal(): Problem;
}

/**
 * Wrong codes per account; apart from those of its password, and not forgotten when that was right (security G-03,
 * G-04).
 */
const wrongCodes: Record<Proof['kind'], Limit> = {
  authenticator: { name: 'two-factor-codes', points: 10, seconds: 3600 },
  recovery: { name: 'two-factor-recovery', points: 5, seconds: 3600 },
};

/** The second factors of accounts: their existence, and the check of a user's proof. */
@Injectable()
export class TwoFactorProofs {
  constructor(
    private readonly twoFactors: TwoFactors,
    private readonly database: Database,
    private readonly limits: Limits,
    private readonly secrets: Secrets,
    private readonly events: TwoFactorEvents,
  ) {}

  async isActive(accountId: string): Promise<boolean> {
    return (await this.twoFactors.findByAccount(accountId)) !== undefined;
  }

  /** The second factor without its secrets; undefined if there is none. */
  async describe(accountId: string): Promise<{ enabledAt: Date; recoveryCodesLeft: number } | undefined> {
    const twoFactor = await this.twoFactors.findByAccount(accountId);
    return twoFactor && { enabledAt: twoFactor.enabledAt, recoveryCodesLeft: twoFactor.recoveryCodes.length };
  }

  /** Throws `throttled` while no code may be tried for this account. */
  assertOpen(accountId: string): Promise<void> {
    return this.limits.check(wrongCodes.authenticator, accountId).catch(noteLock);
  }

  /** The time until which no code is tried for this account; undefined if one may be tried now. */
  lockOf(accountId: string): Promise<Date | undefined> {
    return this.limits.exhaustedUntil(wrongCodes.authenticator, accountId);
  }

  /** Resets the counts of wrong codes, in the caller's transaction. Returns true if there were any. */
  async unlock(accountId: string): Promise<boolean> {
    const codes = await this.limits.release(wrongCodes.authenticator, accountId);
    return (await this.limits.release(wrongCodes.recovery, accountId)) || codes;
  }

  /** The code as a second factor. */
  factorOf(proof: Proof): SecondFactor {
    return {
      prove: (accountId, then) => this.prove(accountId, proof, then),
      refusal: () => wrongCode(proof.kind),
    };
  }

  /**
   * Runs `then` in the transaction that consumes the code, which happens once, on any node; returns undefined for a
   * proof that is not accepted. Each attempt is counted before the code is checked, so that many at once gain nothing.
   */
  async prove<T>(accountId: string, proof: Proof, then: (accepted: Accepted) => Promise<T>): Promise<T | undefined> {
    const limit = wrongCodes[proof.kind];
    const tries = await this.limits.takePoint(limit, accountId).catch(noteLock);
    const outcome = await this.database.transaction(async () => {
      const accepted = await this.accept(accountId, proof);
      return accepted && { value: await then(accepted) };
    });
    if (!outcome) {
      note('second-factor-wrong');
      await this.events.recordRefusal(accountId, proof.kind, tries === limit.points);
      return undefined;
    }
    await this.limits.giveBack(limit, accountId);
    return outcome.value;
  }

  /**
   * Stores the key whose code was just shown, and gives the recovery codes; throws `conflict` when there is one
   * already.
   */
  async activate(accountId: string, base32Key: string, step: number): Promise<string[]> {
    const { codes, hashes } = this.makeRecoveryCodes(accountId);
    const twoFactor = TwoFactor.activate({
      accountId,
      sealedKey: this.secrets.seal('totp', base32Key, accountId),
      keyId: this.secrets.keyId,
      step,
      recoveryCodes: hashes,
      now: new Date(),
    });
    if (!(await this.twoFactors.add(twoFactor))) throw alreadyActive();
    await this.events.recordChange(accountId, true);
    return codes;
  }

  /**
   * Recovery codes in place of those that the account has, with or without an authenticator app; in the caller's
   * transaction.
   */
  async replaceRecoveryCodes(accountId: string): Promise<string[]> {
    const { codes, hashes } = this.makeRecoveryCodes(accountId);
    await this.twoFactors.replaceRecoveryCodes(accountId, hashes);
    await this.events.codesMade(accountId);
    return codes;
  }

  /** Undefined for an account for which none were made. */
  recoveryCodesLeft(accountId: string): Promise<number | undefined> {
    return this.twoFactors.recoveryCodesLeft(accountId);
  }

  async deactivate(accountId: string): Promise<void> {
    await this.twoFactors.remove(accountId);
    await this.events.recordChange(accountId, false);
  }

  private makeRecoveryCodes(accountId: string): { codes: string[]; hashes: string[] } {
    const codes = recoveryCodesFrom(randomBytes(recoveryCodeBytes));
    return { codes: codes.map(formatRecoveryCode), hashes: codes.map((code) => this.hashOf(accountId, code)) };
  }

  private async accept(accountId: string, { kind, code }: Proof): Promise<Accepted | undefined> {
    const left = kind === 'recovery' ? await this.useRecoveryCode(accountId, code) : undefined;
    const accepted = kind === 'recovery' ? left !== undefined : await this.useAuthenticationCode(accountId, code);
    if (!accepted) return undefined;
    await this.events.recordProof(accountId, kind, left);
    return { methods: methodsOf[kind], recoveryCodesLeft: left };
  }

  private async useRecoveryCode(accountId: string, code: string): Promise<number | undefined> {
    const normalised = normaliseRecoveryCode(code);
    if (normalised === undefined) return undefined;
    return this.twoFactors.useRecoveryCode(accountId, this.hashOf(accountId, normalised));
  }

  private async useAuthenticationCode(accountId: string, code: string): Promise<boolean> {
    const twoFactor = await this.twoFactors.findByAccount(accountId);
    const step = twoFactor && stepOf(code, this.keyOf(twoFactor), new Date());
    return step !== undefined && (await this.twoFactors.acceptStep(accountId, step));
  }

  private keyOf({ accountId, sealedKey, keyId }: TwoFactor): string {
    if (keyId !== this.secrets.keyId) {
      throw new Error(`the authenticator of account ${accountId} was encrypted under the master key ${keyId}`);
    }
    return this.secrets.open('totp', sealedKey, accountId);
  }

  private hashOf(accountId: string, recoveryCode: string): string {
    return this.secrets.hmac('recovery-codes', `${accountId} ${recoveryCode}`);
  }
}

function noteLock(error: unknown): never {
  if (error instanceof Problem && error.kind === 'throttled') note('second-factor-locked');
  throw error;
}

export function alreadyActive(): Problem {
  return new Problem('conflict', message('two-factor-active'));
}

/** A code that was not accepted, at the field it was typed into. */
export function wrongCode(kind: Proof['kind']): Problem {
  return kind === 'recovery'
    ? Problem.invalid([{ field: 'recoveryCode', messages: [message('recovery-code-wrong')] }])
    : Problem.invalid([
        {
          field: 'verificationCode',
          messages: [message('two-factor-code-wrong')],
        },
      ]);
}

/** The code of a form that confirms an action; throws if it has none. */
export function proofIn(form: { verificationCode?: string | null; recoveryCode?: string | null }): Proof {
  const { verificationCode, recoveryCode } = form;
  if (recoveryCode) return { kind: 'recovery', code: recoveryCode };
  if (verificationCode) return { kind: 'authenticator', code: verificationCode };
  throw Problem.invalid([{ field: 'verificationCode', messages: [codeEmpty] }]);
}
