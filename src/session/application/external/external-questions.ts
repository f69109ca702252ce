import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { randomId, Secrets, sha256 } from '../../../platform/crypto/secrets.js';
import type { Browser } from '../../../platform/request/browser.js';
import { type ExternalAttempt, ExternalAttempts } from '../../domain/external-attempt.js';
import type { Question } from './provider-strategy.js';

/**
 * The questions that browsers carry to other providers.
 *
 * A random `state` goes there and comes back. The attempt is a row, found by the hashes of the state and of this
 * browser's binding, and removed by the first request that comes back, on any node: an answer that is forged, another
 * browser's, another provider's, repeated or ten minutes old finds nothing (security K-01). Nonce and PKCE verifier
 * are keyed hashes of the state, so that nothing has to be stored that would let another party finish.
 */
@Injectable()
export class ExternalQuestions {
  constructor(
    private readonly attempts: ExternalAttempts,
    private readonly secrets: Secrets,
    private readonly config: Config,
  ) {}

  async ask(browser: Browser, attempt: ExternalAttempt): Promise<Question> {
    const state = randomId();
    const { scheme } = attempt;
    const key = { stateHash: sha256(state), browserHash: sha256(bindingOf(browser)), scheme };
    await this.attempts.add(key, attempt);
    return this.questionOf(scheme, state);
  }

  /** The attempt that this browser comes back from, for one caller; undefined when none is pending. */
  async takeAnswered(browser: Browser, scheme: string, state: unknown): Promise<AnsweredQuestion | undefined> {
    const binding = browser.recall('binding');
    if (typeof state !== 'string' || binding === undefined) return undefined;
    const attempt = await this.attempts.take({ stateHash: sha256(state), browserHash: sha256(binding), scheme });
    return attempt && { attempt, question: this.questionOf(scheme, state) };
  }

  private questionOf(scheme: string, state: string): Question {
    const verifier = this.secrets.hmac('federation', `verifier ${state}`);
    return {
      state,
      nonce: this.secrets.hmac('federation', `nonce ${state}`),
      verifier,
      challenge: createHash('sha256').update(verifier).digest('base64url'),
      callback: `${this.config.server.issuer}/federation/${scheme}/signin`,
    };
  }
}

export interface AnsweredQuestion {
  attempt: ExternalAttempt;
  question: Question;
}

function bindingOf(browser: Browser): string {
  const known = browser.recall('binding');
  if (known !== undefined) return known;
  const value = randomId();
  browser.keep('binding', value);
  return value;
}
