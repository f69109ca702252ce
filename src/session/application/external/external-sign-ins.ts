import { Injectable } from '@nestjs/common';
import { message } from '../../../contract/messages/message.js';
import type { IdentityProvider } from '../../../platform/config/config.js';
import { Problem } from '../../../platform/errors.js';
import { insidePath } from '../../../platform/http/base-path.js';
import { OutboundError } from '../../../platform/http/outbound.js';
import { StartLimits } from '../../../platform/limits/start-limits.js';
import type { Browser } from '../../../platform/request/browser.js';
import type { ExternalAttempt } from '../../domain/external-attempt.js';
import { SignInOptions } from '../sign-in-options.js';
import { SignInRefused } from '../sign-in-refused.js';
import { ExternalQuestions } from './external-questions.js';
import { ExternalSignInFailures } from './external-sign-in-failures.js';
import { type ConnectedProvider, IdentityProviders, UnusableAnswer } from './identity-providers.js';
import { ProviderStrategy } from './provider-strategy.js';

/** One authentication at another provider, from here and back. */
export interface ExternalAuthentication {
  provider: ConnectedProvider;
  attempt: ExternalAttempt;
  strategy: ProviderStrategy;
}

export type Query = Readonly<Record<string, unknown>>;

/** Signing in at another OpenID provider: the way there and back. */
@Injectable()
export class ExternalSignIns {
  constructor(
    private readonly providers: IdentityProviders,
    private readonly questions: ExternalQuestions,
    private readonly failures: ExternalSignInFailures,
    private readonly options: SignInOptions,
    private readonly starts: StartLimits,
  ) {}

  /**
   * Starts the attempt; with `confirm` the provider has to ask the user again who they are. Throws `invalid` for a
   * provider that is not allowed for this sign-in (security K-10, A-32).
   */
  async begin(
    browser: Browser,
    { scheme, returnUrl: wanted, confirm, code, error }: Query,
  ): Promise<ExternalAuthentication> {
    // With these parameters the strategy would take the start for the provider's answer.
    if (code !== undefined || error !== undefined) throw invalidRequest();
    const retryAfterSeconds = await this.starts.secondsToWait('external-sign-in', browser.addressKey);
    if (retryAfterSeconds !== undefined)
      throw new Problem('throttled', message('external-sign-ins-throttled'), { retryAfterSeconds });
    const asked = typeof wanted === 'string' ? wanted : '';
    const { provider: settings, interaction } = await this.options.providerFor({ browser, returnUrl: asked }, scheme);
    if (!settings) throw invalidRequest();
    const returnUrl = interaction || isOwnPage(asked) ? asked : null;
    const attempt: ExternalAttempt = {
      scheme: settings.scheme,
      returnUrl,
      reauthenticate: interaction ? interaction.reauthenticate : confirm === 'true',
      begunAt: new Date(),
    };
    const provider = await this.connect(browser, settings, attempt);
    const question = {
      ...(await this.questions.ask(browser, attempt)),
      prompt: attempt.reauthenticate ? 'login' : undefined,
      loginHint: interaction?.loginHint,
    };
    return { provider, attempt, strategy: new ProviderStrategy(provider, question) };
  }

  /** Resumes the attempt when the browser comes back. Throws `invalid` for an answer without a pending attempt. */
  async resume(browser: Browser, scheme: string, query: Query): Promise<ExternalAuthentication> {
    await this.failures.assertFew(browser);
    const { state, code, error, iss } = query;
    const settings = this.providers.settingsOf(scheme);
    const answered = settings && (await this.questions.takeAnswered(browser, scheme, state));
    if (!answered) {
      await this.failures.refuseUnknown(browser, settings?.scheme);
      throw invalidRequest();
    }
    const { attempt, question } = answered;
    const provider = await this.connect(browser, settings, attempt);
    const { issuer, authorization_response_iss_parameter_supported: saysWho = false } = provider.metadata;
    // RFC 9207 §2.4: another provider's answer must not be taken to this one (mix-up).
    if (iss === undefined ? saysWho : iss !== issuer) {
      throw await this.refuse(browser, attempt, new UnusableAnswer('the answer names another issuer'));
    }
    if (error !== undefined) {
      throw await this.refuse(browser, attempt, refusalFor(String(error)));
    }
    if (typeof code !== 'string') throw await this.refuse(browser, attempt, new UnusableAnswer('there is no code'));
    return { provider, attempt, strategy: new ProviderStrategy(provider, question) };
  }

  /** Returns the refusal for the user. */
  refuse(browser: Browser, attempt: ExternalAttempt, error: unknown): Promise<unknown> {
    return this.failures.refuse(browser, attempt, error);
  }

  private async connect(
    browser: Browser,
    settings: IdentityProvider,
    attempt: ExternalAttempt,
  ): Promise<ConnectedProvider> {
    return this.providers.connect(settings).catch(async (error: unknown) => {
      throw await this.refuse(browser, attempt, error);
    });
  }
}

/** OpenID Connect Core §3.1.2.6, RFC 6749 §4.1.2.1 */
function refusalFor(code: string): Error {
  if (code === 'access_denied') return new SignInRefused('access-denied');
  const text = `the provider answered ${code.slice(0, 50)}`;
  return code === 'temporarily_unavailable' ? new OutboundError(text) : new UnusableAnswer(text);
}

function invalidRequest(): Problem {
  return new Problem('invalid', message('request-invalid'));
}

/** A page that the user had open when the session ended, or that asks for a sign-in: its link stays in the tab. */
function isOwnPage(address: string): boolean {
  return /^\/(?:invitation|(?:admin|user)\/[a-z-]+(?:\?[a-z-]+=[a-z-]+)?)$/.test(insidePath(address) ?? '');
}
