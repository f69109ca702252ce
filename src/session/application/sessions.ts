import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { CurrentUser, LoginOptions, UserType } from '../../contract/session.js';
import { BrowserSessions } from '../../oidc/application/browser-sessions.js';
import { Interactions } from '../../oidc/application/interactions.js';
import { Config } from '../../platform/config/config.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import { ClientAddress } from '../../platform/http/client-address.js';
import { cookieNames, readCookie } from '../../platform/http/cookies.js';
import type { SignedInUser } from '../../platform/http/signed-in.js';
import { type Limit, Limits } from '../../platform/limits/limits.js';
import { type AccountFacts, Accounts } from '../../users/application/accounts.js';

export interface Login {
  username: string;
  password: string;
  returnUrl?: string | null;
  rememberLogin?: boolean;
}

/** Guesses at one account from one address, and at any account from one address. */
const perAccount: Limit = { name: 'login-account', points: 5, seconds: 300 };
const perAddress: Limit = { name: 'login-address', points: 100, seconds: 3600 };

/** Signing in and out of the portal with a password. */
@Injectable()
export class Sessions {
  constructor(
    private readonly browserSessions: BrowserSessions,
    private readonly interactions: Interactions,
    private readonly accounts: Accounts,
    private readonly database: Database,
    private readonly limits: Limits,
    private readonly addresses: ClientAddress,
    private readonly config: Config,
  ) {}

  /** Whoever is signed in here, if the account is of one of these types. */
  async admit(
    request: IncomingMessage,
    response: ServerResponse,
    types: readonly UserType[],
    { extend }: { extend: boolean },
  ): Promise<SignedInUser> {
    const { id, userType } = await this.account(request, response, extend);
    if (!types.includes(userType)) throw new Problem('forbidden', 'Your account may not do this.');
    return { id, userType };
  }

  async current(request: IncomingMessage, response: ServerResponse): Promise<CurrentUser> {
    const { fullName, email, isExternal, userType, claims } = await this.account(request, response, true);
    return { fullName, email, isExternal, is2faEnabled: false, userType, claims: [...claims] };
  }

  /** Which doors are open, for the app's request behind `returnUrl` if there is one. */
  async options(request: IncomingMessage, returnUrl: string | undefined): Promise<LoginOptions> {
    const interaction = returnUrl ? await this.interactions.find(returnUrl, this.browserOf(request)) : undefined;
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
    const address = this.addresses.limitKey(request);
    const key = `${username.trim().toLowerCase()} ${address}`;
    await this.limits.take(perAddress, address);
    await this.limits.take(perAccount, key);
    const account = await this.accounts.authenticate(username, password);
    if (!account) throw new Problem('unauthenticated', 'The email or the password is wrong.');
    await this.limits.forget(perAccount, key);
    return account;
  }

  /** Begins a session, and goes on with the app's request that asked for it. */
  async signIn(request: IncomingMessage, response: ServerResponse, account: AccountFacts, login: Login): Promise<void> {
    if (account.userType === 'Incomplete') {
      throw new Problem('forbidden', 'Your account setup has not been completed yet. Please try again later.');
    }
    const remembered = login.rememberLogin === true && account.userType !== 'Admin';
    const amr = ['pwd'];
    await this.database.transaction(async () => {
      const { id: accountId, userType } = account;
      const facts = { accountId, userType, remembered, amr };
      const sessionUid = await this.browserSessions.signIn(request, response, facts);
      const browser = this.browserOf(request);
      // A returnUrl that is not of a request of this browser is no reason to refuse the person; it is just not followed.
      if (login.returnUrl && (await this.interactions.find(login.returnUrl, browser))) {
        await this.interactions.signedIn(login.returnUrl, browser, { accountId, remembered, amr, sessionUid });
      }
    });
  }

  async signOut(request: IncomingMessage, response: ServerResponse): Promise<void> {
    await this.database.transaction(() => this.browserSessions.signOut(request, response));
  }

  private async account(request: IncomingMessage, response: ServerResponse, extend: boolean): Promise<AccountFacts> {
    const id = await this.browserSessions.current(request, response, extend);
    const account = id === undefined ? undefined : await this.accounts.find(id);
    if (!account) throw new Problem('unauthenticated', 'Please sign in.');
    return account;
  }

  private browserOf(request: IncomingMessage): string | undefined {
    return readCookie(request, cookieNames(this.config.server.issuer).browser);
  }
}
