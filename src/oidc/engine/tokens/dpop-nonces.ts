import { Injectable } from '@nestjs/common';
import { decodeJwt } from 'jose';
// @ts-expect-error: the engine has no types for its own classes.
import ServerChallenge from 'oidc-provider/lib/helpers/challenge.js';
import { Config } from '../../../platform/config/config.js';
import { Secrets } from '../../../platform/crypto/secrets.js';

/** The engine's class for values that follow from a secret and the minute. */
interface EngineChallenge {
  nextChallenge(): string;
  checkChallenge(value: string): boolean;
}

/**
 * The nonces of DPoP proofs (RFC 9449 §8, §9), computed as by the engine: clients keep nonces by origin, so its
 * endpoints and the gateway accept those of each other. They follow from the master key, the issuer and the minute, so
 * that all nodes accept them and nothing is stored. Each is accepted for three to four minutes after it was given.
 */
@Injectable()
export class DpopNonces {
  /** For the engine: 32 bytes. */
  readonly secret: Buffer;
  private readonly challenge: EngineChallenge;

  constructor(secrets: Secrets, config: Config) {
    this.secret = Buffer.from(secrets.hmac('dpop-nonces', config.server.issuer), 'base64url');
    // The second argument is the engine's name for these nonces, which its own instance has, too.
    this.challenge = new ServerChallenge(this.secret, 'DPoP') as EngineChallenge;
  }

  get newest(): string {
    return this.challenge.nextChallenge();
  }

  accepts(nonce: string): boolean {
    return this.challenge.checkChallenge(nonce);
  }

  /**
   * The nonce that the answer to a request with this proof gives to the client (RFC 9449 §8.2). Undefined if the proof
   * has the newest one, or none: a client that needs no nonce shall not have to renew one.
   */
  renewed(proof: string): string | undefined {
    return hasNonce(proof) && claimsOf(proof).nonce !== this.newest ? this.newest : undefined;
  }
}

/** True if a proof, which is not verified here, names a nonce. */
export function hasNonce(proof: string): boolean {
  const { nonce } = claimsOf(proof);
  return nonce !== undefined && nonce !== '';
}

function claimsOf(proof: string): Record<string, unknown> {
  try {
    return decodeJwt(proof);
  } catch {
    return {};
  }
}
