import { Injectable } from '@nestjs/common';
import { SignIns } from '../../../oidc/application/sign-ins.js';
import { insidePath } from '../../../platform/http/base-path.js';
import type { Browser } from '../../../platform/request/browser.js';
import { ExternalClaims } from '../../domain/external-claims.js';
import { SignInRefused } from '../sign-in-refused.js';
import { ExternalAdmission } from './external-admission.js';
import { ExternalSignInFailures } from './external-sign-in-failures.js';
import type { ExternalAuthentication } from './external-sign-ins.js';
import { UnusableAnswer } from './identity-providers.js';
import { ProviderLogout } from './provider-logout.js';
import type { Proven } from './provider-strategy.js';

/** Clocks differ. */
const toleranceSeconds = 60;

/** The end of a sign-in at another provider. */
@Injectable()
export class ExternalSignInCompletion {
  constructor(
    private readonly admission: ExternalAdmission,
    private readonly signIns: SignIns,
    private readonly logout: ProviderLogout,
    private readonly failures: ExternalSignInFailures,
  ) {}

  /**
   * Called once the provider has identified the user: begins a session, and returns the next address of the browser.
   */
  async finish(
    browser: Browser,
    { provider: { settings, metadata }, attempt }: Omit<ExternalAuthentication, 'strategy'>,
    { claims, subject, idToken }: Proven,
  ): Promise<string> {
    try {
      await this.failures.forget(attempt);
      const externalClaims = new ExternalClaims(claims);
      const earliest = attempt.begunAt.getTime() / 1000 - toleranceSeconds;
      if (
        attempt.reauthenticate &&
        externalClaims.authenticatedAt !== undefined &&
        externalClaims.authenticatedAt < earliest
      ) {
        throw new UnusableAnswer('the provider did not authenticate the user again');
      }
      const identity = { issuer: metadata.issuer, subject };
      const account = await this.admission.admit(browser, settings, identity, externalClaims);
      if (account.userType === 'Incomplete') throw new SignInRefused('incomplete');
      const { returnUrl } = attempt;
      const keepPage = await this.signIns.complete(browser, {
        account,
        remembered: false,
        amr: externalClaims.provesSecondFactor(settings.secondFactor) ? ['external', 'mfa'] : ['external'],
        elsewhere: this.logout.remember(settings, idToken),
        returnUrl,
        confirmed: attempt.reauthenticate,
      });
      if (keepPage !== undefined) {
        return returnUrl === null ? keepPage : `${keepPage}&${new URLSearchParams({ returnUrl })}`;
      }
      return (returnUrl === null ? undefined : insidePath(returnUrl)) ?? '/';
    } catch (error) {
      throw await this.failures.refuse(browser, attempt, error);
    }
  }
}
