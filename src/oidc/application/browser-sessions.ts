import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { Session } from 'oidc-provider';
import type { TimeLeft, UserType } from '../../contract/session.js';
import { OidcRecords } from '../../oidc-store/application/oidc-records.js';
import { Revocations } from '../../oidc-store/application/revocations.js';
import { Config } from '../../platform/config/config.js';
import { randomId } from '../../platform/crypto/secrets.js';
import { cookieNames } from '../../platform/http/cookies.js';
import { Engine } from './engine.js';
import type { SessionExtras } from './engine-models.js';
import { extensionPause, nowSeconds, sessionSeconds, warningSeconds } from './lifetimes.js';
import { acrOf, hasTwoFactors } from './second-factor.js';

export interface SignInFacts {
  accountId: string;
  userType: UserType;
  remembered: boolean;
  /** RFC 8176 method names, such as `pwd`. */
  amr: string[];
  elsewhere?: Elsewhere | undefined;
}

/** Another provider at which the person signed in. */
export interface Elsewhere {
  /** Its scheme. */
  identityProvider: string;
  /** For signing out there as well; sealed, for nobody but whoever made it. */
  logoutHint?: string | undefined;
}

/** What a session says of its person's sign-in. */
export interface SessionFacts {
  /** Stays the same as long as the session lives, other than its secret id. */
  uid: string;
  accountId: string;
  amr: string[];
  /** Seconds since 1970. */
  authenticatedAt: number;
}

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
    const { full, left, pause } = this.timesOf(session);
    // The end of a remembered one stands still: only its row knows when it was used.
    if (extend && ((session as SessionExtras).remembered || full - left >= pause)) {
      await this.records.extendSession(session.uid, full, pause);
    }
    return session.accountId;
  }

  /** When the session will have ended by itself; does not count as using it. */
  async timeLeft(request: IncomingMessage, response: ServerResponse): Promise<TimeLeft | undefined> {
    const session = await this.load(request, response);
    if (session.accountId === undefined) return undefined;
    const { full, left, pause } = this.timesOf(session);
    const warnAt = warningSeconds(this.config.account, (session as SessionExtras).userType);
    return { secondsLeft: left, warnAt, extendable: full - left >= pause };
  }

  /** The id changes with each sign-in, so that one planted before is worthless (security E-02). Gives the session's uid. */
  async signIn(request: IncomingMessage, response: ServerResponse, facts: SignInFacts): Promise<string> {
    const before = await this.load(request, response);
    const same = before.accountId === facts.accountId;
    if (!same && before.accountId !== undefined) await before.destroy();
    const session = same ? before : new this.engine.provider.Session();
    if (same) session.resetIdentifier();
    const remembered = facts.remembered && facts.userType !== 'Admin';
    session.loginAccount({ accountId: facts.accountId, loginTs: nowSeconds(), transient: !remembered });
    Object.assign(session, {
      ...methods(facts.amr),
      userType: facts.userType,
      identityProvider: facts.elsewhere?.identityProvider,
      logoutHint: facts.elsewhere?.logoutHint,
      signIn: randomId(),
      remembered,
      transient: !remembered,
    } satisfies SessionExtras & { transient: boolean });
    await this.save(request, response, session);
    return session.uid;
  }

  async describe(request: IncomingMessage, response: ServerResponse): Promise<SessionFacts | undefined> {
    const { uid, accountId, amr = [], loginTs = 0 } = await this.load(request, response);
    return accountId === undefined ? undefined : { uid, accountId, amr, authenticatedAt: loginTs };
  }

  /** The person has proven more, or what was proven no longer counts; the id changes (security E-02). */
  async changeMethods(request: IncomingMessage, response: ServerResponse, amr: string[]): Promise<void> {
    const session = await this.load(request, response);
    session.resetIdentifier();
    Object.assign(session, methods(amr));
    await this.save(request, response, session);
  }

  /** The password was changed: the id changes (security E-02), and what was granted only for its duration ends. */
  async renew(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const session = await this.load(request, response);
    await this.revocations.endOnlineGrants([session.uid]);
    session.resetIdentifier();
    await this.save(request, response, session);
  }

  /** All sessions of an account but this one. */
  endOthers(accountId: string, uid: string): Promise<void> {
    return this.revocations.endSessions(accountId, uid);
  }

  /** Ends the session and what was granted only for its duration; says whose it was, and where they signed in. */
  async signOut(
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<{ accountId: string; elsewhere: Elsewhere | undefined } | undefined> {
    const session = await this.load(request, response);
    if (session.accountId === undefined) return undefined;
    await session.destroy();
    const context = this.engine.provider.createContext(request, response);
    context.cookies.secure = this.cookies.secure;
    context.cookies.set(this.cookies.session, null, { path: this.cookies.path });
    const { identityProvider, logoutHint } = session as SessionExtras;
    const elsewhere = identityProvider === undefined ? undefined : { identityProvider, logoutHint };
    return { accountId: session.accountId, elsewhere };
  }

  /** In seconds: how long it lives if used now, how long if not, and how often using it is noted. */
  private timesOf(session: Session): { full: number; left: number; pause: number } {
    const facts = { ...(session as SessionExtras), loginTs: session.loginTs };
    const full = sessionSeconds(this.config.account, facts);
    const pause = extensionPause(this.config.account, facts.userType);
    return { full, left: (session.exp ?? 0) - nowSeconds(), pause };
  }

  private async save(request: IncomingMessage, response: ServerResponse, session: Session): Promise<void> {
    const facts = { ...(session as SessionExtras), loginTs: session.loginTs };
    const seconds = sessionSeconds(this.config.account, facts);
    await session.save(seconds);
    const context = this.engine.provider.createContext(request, response);
    context.cookies.secure = this.cookies.secure;
    context.cookies.set(this.cookies.session, session.jti, {
      httpOnly: true,
      sameSite: 'lax',
      path: this.cookies.path,
      ...(facts.remembered ? { expires: new Date((nowSeconds() + seconds) * 1000) } : {}),
    });
  }

  private load(request: IncomingMessage, response: ServerResponse): Promise<Session> {
    return this.engine.provider.Session.get(this.engine.provider.createContext(request, response) as never);
  }
}

/** How the person proved who they are, in the members that the engine puts into codes and tokens, and since when. */
function methods(amr: string[]) {
  return { amr, acr: acrOf(amr), secondFactorAt: hasTwoFactors(amr) ? nowSeconds() : undefined };
}
