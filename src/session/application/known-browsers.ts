import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { equalInConstantTime, randomId, Secrets, sha256 } from '../../platform/crypto/secrets.js';
import { cookieNames, readCookie, setCookie } from '../../platform/http/cookies.js';

const knownSeconds = 90 * 24 * 3600;

/**
 * Browsers in which the right password of an account was given before. The cookie gives no access: it only lets the
 * account owner try while others are locked out for guessing (security F-03). It names no account and is worth nothing
 * for another one.
 */
@Injectable()
export class KnownBrowsers {
  constructor(
    private readonly secrets: Secrets,
    private readonly config: Config,
  ) {}

  /** The id of this browser, if it is known for the address. */
  idFor(request: IncomingMessage, email: string): string | undefined {
    const { known } = cookieNames(this.config.server.issuer);
    const [id = '', until = '', proof = ''] = readCookie(request, known)?.split('.') ?? [];
    const isProven = equalInConstantTime(proof, this.proofOf(id, until, email));
    return isProven && Number(until) > Date.now() / 1000 ? id : undefined;
  }

  remember(response: ServerResponse, email: string): void {
    const { secure, path, known } = cookieNames(this.config.server.issuer);
    const [id, until] = [randomId(), String(Math.floor(Date.now() / 1000) + knownSeconds)];
    const value = [id, until, this.proofOf(id, until, email)].join('.');
    setCookie(response, known, value, { secure, path, maxAgeSeconds: knownSeconds });
  }

  private proofOf(id: string, until: string, email: string): string {
    return this.secrets.hmac('known-browsers', `${id} ${until} ${sha256(email)}`);
  }
}
