import { Injectable } from '@nestjs/common';
import type { ExternalSignInError } from '../../../contract/session.js';
import { Interactions } from '../../../oidc/application/interactions.js';
import { note } from '../../../platform/activity/launch-notes.js';
import { Audit } from '../../../platform/audit/audit.js';
import { asUnavailable } from '../../../platform/database/database.js';
import { OutboundError } from '../../../platform/http/outbound.js';
import { type Limit, Limits } from '../../../platform/limits/limits.js';
import { log } from '../../../platform/logging/log.js';
import type { Browser } from '../../../platform/request/browser.js';
import type { ExternalAttempt } from '../../domain/external-attempt.js';
import { ProviderFailures } from '../../domain/provider-failures.js';
import { SignInRefused } from '../sign-in-refused.js';

/** A hospital may be behind one address. */
const failed: Limit = { name: 'external-failed', points: 100, seconds: 300 };

/** Of the text that tells why, which a provider may choose in part. */
const longestReason = 200;

/** The reasons as the record of the launch tells them. */
const reasons: Record<Exclude<ExternalSignInError, 'incomplete'>, string> = {
  'access-denied': 'the user cancelled there, or was refused',
  'provider-unavailable': 'it was not available',
  'provider-failed': 'its answer could not be used',
  'account-exists': 'its user has the email address of an account that is not of this provider',
  'no-account': 'its user has no account here, or none of the groups that may sign in',
  'ambiguous-record': 'more than one FHIR record fits its user',
  'fhir-connection-required': 'the FHIR server could not be asked for the record of its user',
};

/** Failed sign-ins at other providers: counted by address, recorded, and told to the user without their details. */
@Injectable()
export class ExternalSignInFailures {
  constructor(
    private readonly limits: Limits,
    private readonly audit: Audit,
    private readonly interactions: Interactions,
    private readonly providers: ProviderFailures,
  ) {}

  /** Throws `throttled` after too many failures from one address. */
  async assertFew(browser: Browser): Promise<void> {
    await this.limits.check(failed, browser.addressKey);
  }

  /** Returns the refusal for the user; the details for the operator are logged and recorded here. */
  async refuse(browser: Browser, attempt: ExternalAttempt, error: unknown): Promise<unknown> {
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
    const why = cause instanceof Error ? cause.message.slice(0, longestReason) : 'unknown';
    const isOfProvider = reason === 'provider-unavailable' || reason === 'provider-failed';
    // An error of the code, which no answer should cause: its place says more than its message.
    const err = [TypeError, RangeError, ReferenceError].some((kind) => cause instanceof kind) ? cause : undefined;
    log.warn({ identityProvider: scheme, reason, why, err }, 'external sign-in failed');
    // The browser comes back by an address that does not name the app's request.
    if (returnUrl !== null) await this.interactions.findOpen({ returnUrl, browser });
    if (reason === 'incomplete') note('account-incomplete');
    else {
      const told = isOfProvider ? `${reasons[reason]}: ${why}` : reasons[reason];
      note('external-sign-in-refused', { provider: scheme, reason: told });
    }
    if (isOfProvider) await this.providers.note(scheme, why);
    await this.count(browser, scheme, reason, isOfProvider ? why : undefined);
    return new SignInRefused(reason, { returnUrl, cause });
  }

  /** Notes that the provider has identified a user. */
  forget({ scheme }: ExternalAttempt): Promise<void> {
    return this.providers.forget(scheme);
  }

  /** An answer for which no sign-in of this browser waits. */
  async refuseUnknown(browser: Browser, identityProvider: string | undefined): Promise<void> {
    const reason = 'unknown-state';
    const why =
      'no sign-in of this browser waits for the answer: it was answered, is older than ten minutes, or lost its cookie';
    log.warn({ identityProvider, reason, why }, 'external sign-in failed');
    await this.count(browser, identityProvider, reason);
  }

  private async count(
    browser: Browser,
    identityProvider: string | undefined,
    reason: string,
    why?: string,
  ): Promise<void> {
    await this.limits.count(failed, browser.addressKey);
    const detail = { identityProvider, reason, ...(why !== undefined && { why }) };
    await this.audit.recordRefusal({ type: 'login', detail });
  }
}
