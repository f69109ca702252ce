import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { CurrentUser, UserType } from '../../contract/session.js';
import { BrowserSessions } from '../../oidc/application/browser-sessions.js';
import { Audit } from '../../platform/audit/audit.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import type { SignedInUser } from '../../platform/http/signed-in.js';
import { requestContext } from '../../platform/logging/log.js';
import { SecondFactors } from '../../two-factor/application/second-factors.js';
import { SecondStep } from '../../two-factor/application/second-step.js';
import { type AccountFacts, Accounts } from '../../users/application/accounts.js';

/** Who is signed in in a browser, and what that lets them do. */
@Injectable()
export class Sessions {
  constructor(
    private readonly browserSessions: BrowserSessions,
    private readonly accounts: Accounts,
    private readonly secondFactors: SecondFactors,
    private readonly secondStep: SecondStep,
    private readonly audit: Audit,
    private readonly database: Database,
  ) {}

  /** Whoever is signed in here, if the account is of one of these types. */
  async admit(
    request: IncomingMessage,
    response: ServerResponse,
    types: readonly UserType[],
    { extend }: { extend: boolean },
  ): Promise<SignedInUser> {
    const { id, userType } = await this.account(request, response, extend);
    const context = requestContext.getStore();
    if (context) context.userId = id;
    if (!types.includes(userType)) {
      await this.audit.recordRefusal({ type: 'access.refused', detail: { path: request.url?.split('?', 1)[0] } });
      throw new Problem('forbidden', 'Your account may not do this.');
    }
    return { id, userType };
  }

  async current(request: IncomingMessage, response: ServerResponse): Promise<CurrentUser> {
    const { id, fullName, email, isExternal, userType, claims } = await this.account(request, response, true);
    const is2faEnabled = await this.secondFactors.isActive(id);
    return { fullName, email, isExternal, is2faEnabled, userType, claims: [...claims] };
  }

  async signOut(request: IncomingMessage, response: ServerResponse): Promise<void> {
    await this.database.transaction(async () => {
      const userId = await this.browserSessions.signOut(request, response);
      if (userId !== undefined) await this.audit.record({ type: 'logout', outcome: 'success', userId });
      await this.secondStep.abandon(request, response);
    });
  }

  private async account(request: IncomingMessage, response: ServerResponse, extend: boolean): Promise<AccountFacts> {
    const id = await this.browserSessions.current(request, response, extend);
    const account = id === undefined ? undefined : await this.accounts.find(id);
    if (!account) throw new Problem('unauthenticated', 'Please sign in.');
    return account;
  }
}
