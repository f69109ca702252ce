import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { sha256 } from '../../../platform/crypto/secrets.js';
import { Problem } from '../../../platform/errors.js';
import { ClientAddress } from '../../../platform/http/client-address.js';
import { type Limit, Limits } from '../../../platform/limits/limits.js';

/** Limit on wrong secrets of one client from one address. */
const wrongSecrets: Limit = { name: 'client-secret', points: 50, seconds: 60 };
const mostSuspects = 10_000;

/** Facts about a request that presented a wrong secret. */
interface GuessState {
  guess?: { retryAfterSeconds?: number };
}

/**
 * Limits guesses of client secrets (security C-02). Wrong secrets are counted by client and address, in PostgreSQL for
 * all nodes, so that an attacker cannot lock a client out at the addresses it works from. A correct secret costs
 * nothing, unless this node has just seen a wrong one from the same address: then it is counted before the check, and
 * the count is taken back. So many parallel guesses gain nothing, and neither does a correct guess when the limit is
 * exhausted.
 */
@Injectable()
export class SecretGuesses {
  /** Expiry by address, in milliseconds since 1970; the newest last. */
  private readonly suspects = new Map<string, number>();

  constructor(
    private readonly limits: Limits,
    private readonly addresses: ClientAddress,
  ) {}

  /** Checks the secret under the guessing limit. Synchronous when the address has no recent failures. */
  admit(
    ctx: KoaContextWithOIDC,
    clientId: string,
    isRight: () => boolean | Promise<boolean>,
  ): boolean | Promise<boolean> {
    if (this.isSuspect(ctx, clientId)) return this.admitSuspect(ctx, clientId, isRight);
    const right = isRight();
    return right === true || this.admitUnlessWrong(ctx, clientId, right);
  }

  /** True if this node has just seen a wrong secret for the client from the address of the request. */
  isSuspect({ req }: KoaContextWithOIDC, clientId: string): boolean {
    return this.suspects.size > 0 && (this.suspects.get(this.keyOf(req, clientId)) ?? 0) > Date.now();
  }

  private async admitSuspect(
    ctx: KoaContextWithOIDC,
    clientId: string,
    isRight: () => boolean | Promise<boolean>,
  ): Promise<boolean> {
    const key = this.keyOf(ctx.req, clientId);
    if (!(await this.takePoint(ctx, key))) return false;
    const right = await isRight();
    if (right) await this.limits.giveBack(wrongSecrets, key);
    return right;
  }

  private async admitUnlessWrong(
    ctx: KoaContextWithOIDC,
    clientId: string,
    right: boolean | Promise<boolean>,
  ): Promise<boolean> {
    if (await right) return true;
    await this.takePoint(ctx, this.keyOf(ctx.req, clientId));
    return false;
  }

  /**
   * Runs after a refused request: secrets for clients that do not exist, or have none, count alike, so that the
   * response does not distinguish them (security C-01). An exceeded limit responds 429 instead of 401.
   */
  async afterRefusal(ctx: KoaContextWithOIDC): Promise<void> {
    const clientId = clientWithSecret(ctx);
    const state: GuessState = ctx.state;
    if (clientId !== undefined && !state.guess) await this.takePoint(ctx, this.keyOf(ctx.req, clientId));
    const { retryAfterSeconds } = state.guess ?? {};
    if (retryAfterSeconds === undefined) return;
    ctx.status = 429;
    ctx.remove('WWW-Authenticate');
    ctx.set('Retry-After', String(retryAfterSeconds));
    ctx.body = { error: 'temporarily_unavailable', error_description: 'too many wrong secrets, please wait' };
  }

  private keyOf(request: IncomingMessage, clientId: string): string {
    return sha256(`${this.addresses.limitKey(request)} ${clientId}`);
  }

  /** Takes a point; false when none is left. */
  private async takePoint({ state }: KoaContextWithOIDC, key: string): Promise<boolean> {
    this.addSuspect(key);
    const guess: GuessState['guess'] = {};
    Object.assign(state, { guess });
    try {
      await this.limits.takePoint(wrongSecrets, key);
      return true;
    } catch (error) {
      if (!(error instanceof Problem) || error.kind !== 'throttled') throw error;
      guess.retryAfterSeconds = error.options.retryAfterSeconds;
      return false;
    }
  }

  private addSuspect(key: string): void {
    this.suspects.delete(key);
    this.suspects.set(key, Date.now() + wrongSecrets.seconds * 1000);
    const [oldest] = this.suspects.size > mostSuspects ? this.suspects.keys() : [];
    if (oldest !== undefined) this.suspects.delete(oldest);
  }
}

/** The client id for which a secret was presented, in the header or in the body. */
function clientWithSecret({ headers, oidc }: KoaContextWithOIDC): string | undefined {
  const { client_id: clientId, client_secret: secret } = oidc?.params ?? {};
  if (secret !== undefined) return String(clientId);
  const [, credentials] = /^basic (.+)$/i.exec(headers.authorization ?? '') ?? [];
  return credentials && Buffer.from(credentials, 'base64').toString('utf8').split(':', 1)[0];
}
