import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { Session } from 'oidc-provider';
import type { UserType } from '../../contract/session.js';
import { OidcRecords } from '../../oidc-store/application/oidc-records.js';
import { Revocations } from '../../oidc-store/application/revocations.js';
import { Config } from '../../platform/config/config.js';
import { cookieNames } from '../../platform/http/cookies.js';
import { Engine } from './engine.js';
import type { SessionExtras } from './engine-models.js';
import { nowSeconds, sessionSeconds } from './lifetimes.js';

export interface SignInFacts {
  accountId: string;
  userType: UserType;
  remembered: boolean;
  /** RFC 8176 method names, such as `pwd`. */
  amr: string[];
}

/** A session that is being used is extended at most this often. */
const extendEverySeconds = 60;

/** The one session of a browser: the engine's, used by the portal's own pages as well. */
@Injectable()
export class BrowserSessions {
  private readonly cookies: ReturnType<typeof cookieNames>;

  constructor(
    private readonly engine: Engine,
    private readonly records: OidcRecords,
    private readonly revocations: Revocations,
    private readonly config: Config,
  ) {
    this.cookies = cookieNames(config.server.issuer);
  }

  /** The account this browser is signed in with. `extend` says that a person, not a timer, is using it. */
  async current(request: IncomingMessage, response: ServerResponse, extend: boolean): Promise<string | undefined> {
    const session = await this.load(request, response);
    if (session.accountId === undefined) return undefined;
    const seconds = sessionSeconds(this.config.account, { ...(session as SessionExtras), loginTs: session.loginTs });
    const left = (session.exp ?? 0) - nowSeconds();
    if (extend && seconds - left >= extendEverySeconds) await this.records.extendSession(session.uid, seconds);
    return session.accountId;
  }

  /** The id changes with each sign-in, so that one planted before is worthless (security E-02). Gives the session's uid. */
  async signIn(request: IncomingMessage, response: ServerResponse, facts: SignInFacts): Promise<string> {
    const before = await this.load(request, response);
    const same = before.accountId === facts.accountId;
    if (!same && before.accountId !== undefined) await this.end(before);
    const session = same ? before : new this.engine.provider.Session();
    if (same) session.resetIdentifier();
    const remembered = facts.remembered && facts.userType !== 'Admin';
    session.loginAccount({ accountId: facts.accountId, amr: facts.amr, loginTs: nowSeconds(), transient: !remembered });
    Object.assign(session, { userType: facts.userType, remembered, transient: !remembered } satisfies SessionExtras & {
      transient: boolean;
    });
    const seconds = sessionSeconds(this.config.account, { ...facts, remembered });
    await session.save(seconds);
    const context = this.engine.provider.createContext(request, response);
    context.cookies.secure = this.cookies.secure;
    context.cookies.set(this.cookies.session, session.jti, {
      httpOnly: true,
      sameSite: 'lax',
      path: '/',
      ...(remembered ? { expires: new Date((nowSeconds() + seconds) * 1000) } : {}),
    });
    return session.uid;
  }

  /** Ends the session and what was granted only for its duration. */
  async signOut(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const session = await this.load(request, response);
    if (session.accountId === undefined) return;
    await this.end(session);
    const context = this.engine.provider.createContext(request, response);
    context.cookies.secure = this.cookies.secure;
    context.cookies.set(this.cookies.session, null, { path: '/' });
  }

  private async end(session: Session): Promise<void> {
    for (const { grantId, persistsLogout } of Object.values(session.authorizations ?? {})) {
      if (grantId !== undefined && !persistsLogout) await this.revocations.revokeGrant(grantId);
    }
    await session.destroy();
  }

  private load(request: IncomingMessage, response: ServerResponse): Promise<Session> {
    return this.engine.provider.Session.get(this.engine.provider.createContext(request, response) as never);
  }
}
