import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import { Interactions } from '../../oidc/application/interactions.js';
import { SignIns } from '../../oidc/application/sign-ins.js';
import { allowedSignInMethods } from '../../oidc/domain/sign-in-methods.js';
import { Audit } from '../../platform/audit/audit.js';
import { Config, type IdentityProvider } from '../../platform/config/config.js';
import { randomId, Secrets, sha256 } from '../../platform/crypto/secrets.js';
import { asUnavailable } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import { insidePath } from '../../platform/http/base-path.js';
import { ClientAddress } from '../../platform/http/client-address.js';
import { cookieNames, readCookie, setCookie } from '../../platform/http/cookies.js';
import { OutboundError } from '../../platform/http/outbound.js';
import { type Limit, Limits } from '../../platform/limits/limits.js';
import { StartLimits } from '../../platform/limits/start-limits.js';
import { log } from '../../platform/logging/log.js';
import { type ExternalAttempt, ExternalAttempts } from '../domain/external-attempt.js';
import { ExternalClaims } from '../domain/external-claims.js';
import { ExternalAdmission } from './external-admission.js';
import { type ConnectedProvider, IdentityProviders } from './identity-providers.js';
import { ProviderLogout } from './provider-logout.js';
import { type Proven, ProviderStrategy, type Question, UnusableAnswer } from './provider-strategy.js';
import { SignInRefused } from './sign-in-refused.js';

/** A hospital may be behind one address. */
const failed: Limit = { name: 'external-failed', points: 100, seconds: 300 };
/** Clocks differ. */
const toleranceSeconds = 60;

/** One authentication at another provider, from here and back. */
export interface ExternalAuthentication {
  provider: ConnectedProvider;
  attempt: ExternalAttempt;
  strategy: ProviderStrategy;
}

export type Query = Readonly<Record<string, unknown>>;

/**
 * Signing in at another OpenID provider.
 *
 * A random `state` goes there and comes back. The attempt is a row, found by the hashes of the state and of this
 * browser's cookie, and removed by the first request that comes back, on any node: an answer that is forged, another
 * browser's, another provider's, repeated or ten minutes old finds nothing (security K-01). Nonce and PKCE verifier
 * are keyed hashes of the state, so that nothing has to be stored that would let another party finish.
 */
@Injectable()
export class ExternalSignIns {
  private readonly cookies: ReturnType<typeof cookieNames>;

  constructor(
    private readonly providers: IdentityProviders,
    private readonly attempts: ExternalAttempts,
    private readonly admission: ExternalAdmission,
    private readonly interactions: Interactions,
    private readonly signIns: SignIns,
    private readonly logout: ProviderLogout,
    private readonly limits: Limits,
    private readonly starts: StartLimits,
    private readonly addresses: ClientAddress,
    private readonly secrets: Secrets,
    private readonly audit: Audit,
    private readonly config: Config,
  ) {
    this.cookies = cookieNames(config.server.issuer);
  }

  /** Starts the attempt. Throws `invalid` for a provider that is not allowed for this sign-in (security K-10, A-32). */
  async begin(
    request: IncomingMessage,
    response: ServerResponse,
    { scheme, returnUrl: wanted, code, error }: Query,
  ): Promise<ExternalAuthentication> {
    // With these parameters the strategy would take the start for the provider's answer.
    if (code !== undefined || error !== undefined) throw notProcessed();
    const retryAfterSeconds = await this.starts.secondsToWait('external-sign-in', request);
    if (retryAfterSeconds !== undefined)
      throw new Problem('throttled', message('external-sign-ins-throttled'), { retryAfterSeconds });
    const browser = this.browserOf(request);
    const asked = typeof wanted === 'string' ? wanted : '';
    const interaction = asked === '' ? undefined : await this.interactions.find(asked, browser);
    const settings = allowedSignInMethods(this.config, interaction?.client.settings).providers.find(
      (one) => one.scheme === scheme,
    );
    if (!settings) throw notProcessed();
    const returnUrl = interaction || isOwnPage(asked) ? asked : null;
    const attempt: ExternalAttempt = {
      scheme: settings.scheme,
      returnUrl,
      reauthenticate: interaction?.reauthenticate ?? false,
      begunAt: new Date(),
    };
    const provider = await this.connect(request, settings, attempt);
    const state = randomId();
    const bound = browser ?? this.bind(response);
    const key = { stateHash: sha256(state), browserHash: sha256(bound), scheme: settings.scheme };
    await this.attempts.add(key, attempt);
    const question = {
      ...this.questionOf(settings, state),
      prompt: attempt.reauthenticate ? 'login' : undefined,
      loginHint: interaction?.loginHint,
    };
    return { provider, attempt, strategy: new ProviderStrategy(provider, question) };
  }

  /** Resumes the attempt when the browser comes back. Throws `invalid` for an answer without a pending attempt. */
  async resume(request: IncomingMessage, scheme: string, query: Query): Promise<ExternalAuthentication> {
    const address = this.addresses.limitKey(request);
    await this.limits.check(failed, address);
    const { state, code, error, iss } = query;
    const browser = this.browserOf(request);
    const settings = this.providers.settingsOf(scheme);
    const attempt =
      settings && typeof state === 'string' && browser !== undefined
        ? await this.attempts.take({ stateHash: sha256(state), browserHash: sha256(browser), scheme })
        : undefined;
    if (!settings || !attempt) {
      await this.count(request, settings?.scheme, 'unknown-state');
      throw notProcessed();
    }
    const provider = await this.connect(request, settings, attempt);
    const { issuer, authorization_response_iss_parameter_supported: saysWho = false } = provider.metadata;
    // RFC 9207 §2.4: another provider's answer must not be taken to this one (mix-up).
    if (iss === undefined ? saysWho : iss !== issuer) {
      throw await this.refuse(request, attempt, new UnusableAnswer('the answer names another issuer'));
    }
    if (error !== undefined) {
      const refused = error === 'access_denied' ? new SignInRefused('access-denied') : undefined;
      throw await this.refuse(
        request,
        attempt,
        refused ?? new UnusableAnswer(`answered ${String(error).slice(0, 50)}`),
      );
    }
    if (typeof code !== 'string') throw await this.refuse(request, attempt, new UnusableAnswer('there is no code'));
    return { provider, attempt, strategy: new ProviderStrategy(provider, this.questionOf(settings, String(state))) };
  }

  /**
   * Called once the provider has identified the user: begins a session, and returns the next address of the browser.
   */
  async finish(
    request: IncomingMessage,
    response: ServerResponse,
    { provider: { settings, metadata }, attempt }: Omit<ExternalAuthentication, 'strategy'>,
    { claims, subject, idToken }: Proven,
  ): Promise<string> {
    try {
      const said = new ExternalClaims(claims);
      const earliest = attempt.begunAt.getTime() / 1000 - toleranceSeconds;
      if (attempt.reauthenticate && said.authenticatedAt !== undefined && said.authenticatedAt < earliest) {
        throw new UnusableAnswer('the provider did not authenticate the user again');
      }
      const account = await this.admission.admit(settings, { issuer: metadata.issuer, subject }, said);
      if (account.userType === 'Incomplete') throw new SignInRefused('incomplete');
      const { returnUrl } = attempt;
      await this.signIns.complete(request, response, {
        account,
        remembered: false,
        amr: said.provesSecondFactor(settings.secondFactor) ? ['external', 'mfa'] : ['external'],
        elsewhere: this.logout.remember(settings, idToken),
        returnUrl,
      });
      return (returnUrl === null ? undefined : insidePath(returnUrl)) ?? '/';
    } catch (error) {
      throw await this.refuse(request, attempt, error);
    }
  }

  /** Returns the refusal for the user; the details for the operator are logged and recorded here. */
  async refuse(request: IncomingMessage, attempt: ExternalAttempt, error: unknown): Promise<unknown> {
    const away = asUnavailable(error);
    if (away) return away;
    const { scheme, returnUrl } = attempt;
    const reason =
      error instanceof SignInRefused
        ? error.reason
        : error instanceof OutboundError
          ? 'provider-unavailable'
          : 'provider-failed';
    const { cause = error } = error instanceof SignInRefused ? error.options : {};
    const why = cause instanceof Error ? cause.message : 'unknown';
    log.warn({ identityProvider: scheme, reason, why }, 'external sign-in failed');
    await this.count(request, scheme, reason);
    return new SignInRefused(reason, { returnUrl, cause });
  }

  private async connect(
    request: IncomingMessage,
    settings: IdentityProvider,
    attempt: ExternalAttempt,
  ): Promise<ConnectedProvider> {
    return this.providers.connect(settings).catch(async (error: unknown) => {
      throw await this.refuse(request, attempt, error);
    });
  }

  private async count(request: IncomingMessage, identityProvider: string | undefined, reason: string): Promise<void> {
    await this.limits.count(failed, this.addresses.limitKey(request));
    await this.audit.recordRefusal({ type: 'login', detail: { identityProvider, reason } });
  }

  private questionOf({ scheme }: IdentityProvider, state: string): Question {
    const verifier = this.secrets.hmac('federation', `verifier ${state}`);
    return {
      state,
      nonce: this.secrets.hmac('federation', `nonce ${state}`),
      verifier,
      challenge: createHash('sha256').update(verifier).digest('base64url'),
      callback: `${this.config.server.issuer}/federation/${scheme}/signin`,
    };
  }

  private browserOf(request: IncomingMessage): string | undefined {
    return readCookie(request, this.cookies.browser);
  }

  private bind(response: ServerResponse): string {
    const value = randomId();
    setCookie(response, this.cookies.browser, value, this.cookies);
    return value;
  }
}

function notProcessed(): Problem {
  return new Problem('invalid', message('request-invalid'));
}

/** A page that the user had open when the session ended. */
function isOwnPage(address: string): boolean {
  return /^\/(admin|user)\/[a-z-]+$/.test(insidePath(address) ?? '');
}
