import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { LoginOptions, LoginResult } from '../../contract/session.js';
import { Interactions } from '../../oidc/application/interactions.js';
import { assertComplete, SignIns } from '../../oidc/application/sign-ins.js';
import { Audit } from '../../platform/audit/audit.js';
import { Config } from '../../platform/config/config.js';
import { Problem } from '../../platform/errors.js';
import { ClientAddress } from '../../platform/http/client-address.js';
import { cookieNames, readCookie } from '../../platform/http/cookies.js';
import { SecondStep } from '../../two-factor/application/second-step.js';
import { type AccountFacts, Accounts } from '../../users/application/accounts.js';
import { KnownBrowsers } from './known-browsers.js';
import { LoginLimits } from './login-limits.js';

export interface Login {
  username: string;
  password: string;
  returnUrl?: string | null;
  rememberLogin?: boolean;
}

/** Signing in to the portal with a password. */
@Injectable()
export class Logins {
  constructor(
    private readonly interactions: Interactions,
    private readonly accounts: Accounts,
    private readonly limits: LoginLimits,
    private readonly knownBrowsers: KnownBrowsers,
    private readonly secondStep: SecondStep,
    private readonly signIns: SignIns,
    private readonly addresses: ClientAddress,
    private readonly audit: Audit,
    private readonly config: Config,
  ) {}

  /** Which doors are open, for the app's request behind `returnUrl` if there is one. */
  async options(request: IncomingMessage, returnUrl: string | undefined): Promise<LoginOptions> {
    const browser = readCookie(request, cookieNames(this.config.server.issuer).browser);
    const interaction = returnUrl ? await this.interactions.find(returnUrl, browser) : undefined;
    const allowed = interaction?.client.settings.enableLocalLogin ?? true;
    return {
      enableLocalLogin: this.config.account.localLogin && allowed,
      externalProviders: [],
      loginHint: interaction?.loginHint ?? null,
    };
  }

  /** Who this password belongs to; one answer for every reason it does not open an account (security F-01). */
  async authenticate(request: IncomingMessage, { username, password, returnUrl }: Login): Promise<AccountFacts> {
    if (!(await this.options(request, returnUrl ?? undefined)).enableLocalLogin) {
      throw new Problem('forbidden', 'Signing in with a password is not possible here.');
    }
    const email = asCounted(username);
    const source = {
      email,
      address: this.addresses.limitKey(request),
      knownBrowser: this.knownBrowsers.idFor(request, email),
    };
    const account = await this.limits.guard(source, () => this.accounts.authenticate(username, password));
    if (!account) {
      await this.audit.recordRefusal({ type: 'login', userId: await this.accounts.idOf(email) });
      throw new Problem('unauthenticated', 'The email or the password is wrong.');
    }
    return account;
  }

  /** After the right password: begins a session, or the second step of an account that has one. */
  async signIn(
    request: IncomingMessage,
    response: ServerResponse,
    account: AccountFacts,
    { username, returnUrl, rememberLogin: remembered = false }: Login,
  ): Promise<LoginResult> {
    assertComplete(account);
    this.knownBrowsers.remember(response, asCounted(username));
    if (await this.secondStep.beginIfNeeded(response, account, remembered)) return { is2faEnabled: true };
    await this.signIns.complete(request, response, { account, remembered, amr: ['pwd'], returnUrl });
    return { is2faEnabled: false };
  }
}

/** The address of an account is the same in whatever case. */
function asCounted(username: string): string {
  return username.trim().toLowerCase();
}
