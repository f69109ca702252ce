import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import type { LoginResult } from '../../contract/session.js';
import { FhirAvailabilityCheck } from '../../launch-context/application/fhir-availability-check.js';
import { assertComplete, SignIns } from '../../oidc/application/sign-ins.js';
import { Audit } from '../../platform/audit/audit.js';
import { Config } from '../../platform/config/config.js';
import { Problem } from '../../platform/errors.js';
import { cookieNames, readCookie } from '../../platform/http/cookies.js';
import { log } from '../../platform/logging/log.js';
import { TwoFactorSignIn } from '../../two-factor/application/two-factor-sign-in.js';
import { SecurityNotices } from '../../users/application/security-notices.js';
import { UserDirectory, type UserFacts } from '../../users/application/user-directory.js';
import { KnownBrowsers } from './known-browsers.js';
import { SignInLimits } from './sign-in-limits.js';
import { SignInOptions } from './sign-in-options.js';

export interface PasswordSignInRequest {
  username: string;
  password: string;
  returnUrl?: string | null;
  rememberLogin?: boolean;
}

/** Signing in to the portal with a password. */
@Injectable()
export class PasswordSignIn {
  constructor(
    private readonly options: SignInOptions,
    private readonly accounts: UserDirectory,
    private readonly limits: SignInLimits,
    private readonly knownBrowsers: KnownBrowsers,
    private readonly secondStep: TwoFactorSignIn,
    private readonly signIns: SignIns,
    private readonly notices: SecurityNotices,
    private readonly neededRecords: FhirAvailabilityCheck,
    private readonly audit: Audit,
    private readonly config: Config,
  ) {}

  /** Returns the account of this password; one answer for every reason to refuse it (security F-01). */
  async authenticate(
    request: IncomingMessage,
    { username, password, returnUrl }: PasswordSignInRequest,
  ): Promise<UserFacts> {
    if (!(await this.options.forRequest(request, returnUrl)).enableLocalLogin) {
      throw new Problem('forbidden', message('login-not-local'));
    }
    const email = asCounted(username);
    const account = await this.limits.guard(
      request,
      email,
      () => this.accounts.authenticate(username, password),
      () => this.warn(email),
    );
    if (!account) {
      await this.audit.recordRefusal({ type: 'login', userId: await this.accounts.idOf(email) });
      throw new Problem('unauthenticated', message('login-wrong'));
    }
    return account;
  }

  /** Called after the right password: begins a session, or the second step of an account that has one. */
  async signIn(
    request: IncomingMessage,
    response: ServerResponse,
    account: UserFacts,
    { username, returnUrl, rememberLogin: remembered = false }: PasswordSignInRequest,
  ): Promise<LoginResult> {
    assertComplete(account);
    this.knownBrowsers.remember(response, asCounted(username));
    const browser = readCookie(request, cookieNames(this.config.server.issuer).browser);
    if (returnUrl) await this.neededRecords.assertAvailable(account, returnUrl, browser);
    if (await this.secondStep.beginIfNeeded(response, account, remembered)) return { is2faEnabled: true };
    await this.signIns.complete(request, response, { account, remembered, amr: ['pwd'], returnUrl });
    return { is2faEnabled: false };
  }

  /** Runs without being awaited: a longer answer would reveal that there is an account. */
  private warn(email: string): void {
    const notice = async () => {
      const id = await this.accounts.idOf(email);
      if (id !== undefined) await this.notices.send(id, { name: 'many-failures' });
    };
    notice().catch((error: unknown) => log.warn({ err: error }, 'failed to send login-failure notice'));
  }
}

/** The address of an account is the same in whatever case. */
function asCounted(username: string): string {
  return username.trim().toLowerCase();
}
