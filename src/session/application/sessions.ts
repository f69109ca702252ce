import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import type { CurrentUser, TimeLeft, UserType } from '../../contract/session.js';
import { BrowserSessions } from '../../oidc/application/browser-sessions.js';
import { AccessTokens } from '../../oidc/domain/access-tokens.js';
import { managementAudience, managementScope } from '../../oidc/domain/management-access.js';
import { Audit } from '../../platform/audit/audit.js';
import { Config } from '../../platform/config/config.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import { cookieNames, readCookie } from '../../platform/http/cookies.js';
import type { SignedInUser } from '../../platform/http/signed-in.js';
import { requestContext } from '../../platform/scope.js';
import { TwoFactorProofs } from '../../two-factor/application/two-factor-proofs.js';
import { TwoFactorSignIn } from '../../two-factor/application/two-factor-sign-in.js';
import { UserDirectory, type UserFacts } from '../../users/application/user-directory.js';
import { ProviderLogout } from './provider-logout.js';

/** The signed-in user of a browser, and their rights. */
@Injectable()
export class Sessions {
  constructor(
    private readonly browserSessions: BrowserSessions,
    private readonly accounts: UserDirectory,
    private readonly secondFactors: TwoFactorProofs,
    private readonly secondStep: TwoFactorSignIn,
    private readonly tokens: AccessTokens,
    private readonly providerLogout: ProviderLogout,
    private readonly audit: Audit,
    private readonly database: Database,
    private readonly config: Config,
  ) {}

  /** Returns the session of the signed-in user, if the account is of one of these types. */
  async admit(
    request: IncomingMessage,
    response: ServerResponse,
    types: readonly UserType[],
    { extend }: { extend: boolean },
  ): Promise<SignedInUser> {
    const caller = (await this.service(request)) ?? (await this.account(request, response, extend));
    const { id, userType, isService } = { isService: false, ...caller };
    const context = requestContext.getStore();
    if (context) context.userId = id;
    if (!types.includes(userType)) {
      await this.audit.recordRefusal({ type: 'access.refused', detail: { path: request.url?.split('?', 1)[0] } });
      throw new Problem('forbidden', message('access-forbidden'));
    }
    return { id, userType, isService };
  }

  async current(request: IncomingMessage, response: ServerResponse): Promise<CurrentUser> {
    const { id, fullName, email, isExternal, userType, claims } = await this.account(request, response, true);
    const is2faEnabled = await this.secondFactors.isActive(id);
    return { id, fullName, email, isExternal, is2faEnabled, userType, claims: [...claims] };
  }

  async timeLeft(request: IncomingMessage, response: ServerResponse): Promise<TimeLeft> {
    const left = await this.browserSessions.timeLeft(request, response);
    if (!left) throw notSignedIn();
    return left;
  }

  /**
   * Returns the next address of the browser: the provider at which the user signed in, if they sign out there as well.
   */
  async signOut(request: IncomingMessage, response: ServerResponse): Promise<string> {
    const ended = await this.database.transaction(async () => {
      const session = await this.browserSessions.signOut(request, response);
      if (session) await this.audit.record({ type: 'logout', outcome: 'success', userId: session.accountId });
      await this.secondStep.abandon(request, response);
      return session;
    });
    const elsewhere = ended?.elsewhere && (await this.providerLogout.addressFor(ended.elsewhere));
    return elsewhere ?? '/login?loggedOut=true';
  }

  /** A management token calls what lies under `/api/admin`, unless a browser's session stands beside it. */
  private async service(request: IncomingMessage): Promise<SignedInUser | undefined> {
    const token = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    const { issuer } = this.config.server;
    const isBrowser = readCookie(request, cookieNames(issuer).session) !== undefined;
    if (token === undefined || isBrowser || !request.url?.startsWith('/api/admin/')) return undefined;
    const facts = await this.tokens.verify(token);
    const mayManage = facts?.audience === managementAudience(issuer) && facts.scopes.includes(managementScope);
    if (!mayManage) throw new Problem('unauthenticated', message('access-token-invalid'));
    return { id: `client ${facts.clientId}`, userType: 'Admin', isService: true };
  }

  private async account(request: IncomingMessage, response: ServerResponse, extend: boolean): Promise<UserFacts> {
    const id = await this.browserSessions.current(request, response, extend);
    const account = id === undefined ? undefined : await this.accounts.find(id);
    if (!account) throw notSignedIn();
    return account;
  }
}

function notSignedIn(): Problem {
  return new Problem('unauthenticated', message('sign-in-needed'));
}
