import { Injectable } from '@nestjs/common';
import type { EndCode } from '../../contract/activity/end-causes.js';
import type { Acr } from '../../contract/rules/acr.js';
import type { TimeLeft, UserType } from '../../contract/session.js';
import { OidcRecords } from '../../oidc-store/infrastructure/oidc-records.js';
import { Revocations } from '../../oidc-store/infrastructure/revocations.js';
import { Config } from '../../platform/config/config.js';
import { randomId } from '../../platform/crypto/secrets.js';
import type { Browser } from '../../platform/request/browser.js';
import { EngineSessions } from '../engine/sessions/engine-sessions.js';
import type { Session, SessionExtras } from '../engine/shared/engine-models.js';
import { extensionPause, nowSeconds, sessionSeconds, warningSeconds } from '../engine/shared/lifetimes.js';
import { acrOf, hasTwoFactors } from '../engine/shared/second-factor.js';

export interface SignInFacts {
  accountId: string;
  userType: UserType;
  remembered: boolean;
  /** RFC 8176 method names, such as `pwd`. */
  amr: string[];
  elsewhere?: ExternalSession | undefined;
  /** True if the other provider has asked the user again who they are, for this sign-in. */
  confirmed?: boolean;
  /** Id of the passkey of the sign-in. */
  passkeyId?: string | undefined;
}

/** The proof of a passkey in a session that has begun. */
export interface Confirmation {
  /** RFC 8176 method names. */
  methods: readonly string[];
  passkeyId: string;
}

/** The other provider at which the user signed in. */
export interface ExternalSession {
  /** The provider's scheme. */
  identityProvider: string;
  /** Data for signing out at the provider, sealed; only the code that created it can read it. */
  logoutHint?: string | undefined;
}

/** Facts of the sign-in of a session. */
export interface SessionFacts {
  /** Stays the same as long as the session lives, unlike its secret id. */
  uid: string;
  accountId: string;
  amr: string[];
  acr: Acr;
  /** Seconds since 1970. */
  authenticatedAt: number;
  /** The same for a proof after it: by a passkey, or at another provider that has asked the user again who they are. */
  confirmedAt: number | undefined;
  /** Scheme of the other provider at which the user signed in. */
  identityProvider: string | undefined;
  /** Id of the passkey of the sign-in; it may have been removed since. */
  passkeyId: string | undefined;
}

/** The one session of a browser: the engine's, also used by the portal's own pages. */
@Injectable()
export class BrowserSessions {
  constructor(
    private readonly sessions: EngineSessions,
    private readonly records: OidcRecords,
    private readonly revocations: Revocations,
    private readonly config: Config,
  ) {}

  /** The account that is signed in in this browser. `extend` means that a user, not a timer, uses the session. */
  async current(browser: Browser, extend: boolean): Promise<string | undefined> {
    const session = await this.sessions.load(browser);
    if (session.accountId === undefined) return undefined;
    const { full, left, pause } = this.timesOf(session);
    // A remembered session has a fixed end in the model: only its row knows when it was used.
    if (extend && ((session as SessionExtras).remembered || full - left >= pause)) {
      await this.records.extendSession(session.uid, full, pause);
    }
    return session.accountId;
  }

  /** Seconds until the session expires from inactivity; asking does not count as use. */
  async timeLeft(browser: Browser): Promise<TimeLeft | undefined> {
    const session = await this.sessions.load(browser);
    if (session.accountId === undefined) return undefined;
    const { full, left, pause } = this.timesOf(session);
    const warnAt = warningSeconds(this.config.account, (session as SessionExtras).userType);
    return { secondsLeft: left, warnAt, extendable: full - left >= pause };
  }

  /**
   * Signs in. The id changes with each sign-in, so that one planted before is worthless (security E-02). Returns the
   * session's uid.
   */
  async signIn(browser: Browser, facts: SignInFacts): Promise<string> {
    const before = await this.sessions.load(browser);
    const same = before.accountId === facts.accountId;
    if (!same && before.accountId !== undefined) {
      await Object.assign(before, { endedBy: 'ended-by-other-sign-in' satisfies EndCode }).destroy();
    }
    const session = same ? before : this.sessions.create();
    if (same) session.resetIdentifier();
    const remembered = facts.remembered && facts.userType !== 'Admin';
    session.loginAccount({ accountId: facts.accountId, loginTs: nowSeconds(), transient: !remembered });
    Object.assign(session, {
      ...methods(facts.amr),
      userType: facts.userType,
      identityProvider: facts.elsewhere?.identityProvider,
      logoutHint: facts.elsewhere?.logoutHint,
      signIn: randomId(),
      confirmedAt: facts.confirmed ? nowSeconds() : undefined,
      family: browser.family,
      passkeyId: facts.passkeyId,
      remembered,
      transient: !remembered,
    } satisfies SessionExtras & { transient: boolean });
    await this.save(browser, session);
    return session.uid;
  }

  async describe(browser: Browser): Promise<SessionFacts | undefined> {
    const session = await this.sessions.load(browser);
    const { uid, accountId, amr = [], loginTs = 0 } = session;
    const { confirmedAt, identityProvider, passkeyId } = session as SessionExtras;
    if (accountId === undefined) return undefined;
    return { uid, accountId, amr, acr: acrOf(amr), authenticatedAt: loginTs, confirmedAt, identityProvider, passkeyId };
  }

  /**
   * Changes the authentication methods: the user has proven more, or a proof no longer counts. The id changes (security
   * E-02).
   */
  async changeMethods(browser: Browser, amr: string[]): Promise<void> {
    const session = await this.sessions.load(browser);
    session.resetIdentifier();
    Object.assign(session, methods(amr));
    await this.save(browser, session);
  }

  /** The user has proven once more who they are, by a passkey. The id changes (security E-02). */
  async confirm(browser: Browser, { methods: proven, passkeyId }: Confirmation): Promise<void> {
    const session = await this.sessions.load(browser);
    session.resetIdentifier();
    const amr = [...new Set([...(session.amr ?? []), ...proven])];
    Object.assign(session, { ...methods(amr), confirmedAt: nowSeconds(), passkeyId } satisfies SessionExtras);
    await this.save(browser, session);
  }

  /**
   * Renews the session after a change of the password: the id changes (security E-02), and grants that last no longer
   * than the session end.
   */
  async renew(browser: Browser): Promise<void> {
    const session = await this.sessions.load(browser);
    await this.revocations.endOnlineGrants([session.uid], 'ended-by-password-change');
    session.resetIdentifier();
    await this.save(browser, session);
  }

  /** Ends all sessions of an account except this one. */
  async endOthers(accountId: string, uid: string, by: EndCode): Promise<void> {
    await this.revocations.endSessions(accountId, uid, by);
  }

  /** Ends all sessions of an account; returns their number. */
  endAll(accountId: string, by: EndCode): Promise<number> {
    return this.revocations.endSessions(accountId, undefined, by);
  }

  /** Ends one session of an account; returns false if it has ended, or is of another account. */
  endOne(accountId: string, uid: string): Promise<boolean> {
    return this.revocations.endSessionOf(accountId, uid, 'ended-with-session-by-administrator');
  }

  /**
   * Ends the session and the grants that last no longer than it; returns its account and the provider of its sign-in.
   */
  async signOut(browser: Browser): Promise<{ accountId: string; elsewhere: ExternalSession | undefined } | undefined> {
    const session = await this.sessions.load(browser);
    if (session.accountId === undefined) return undefined;
    await this.sessions.destroy(browser, session);
    const { identityProvider, logoutHint } = session as SessionExtras;
    const elsewhere = identityProvider === undefined ? undefined : { identityProvider, logoutHint };
    return { accountId: session.accountId, elsewhere };
  }

  /** Lifetime in seconds if used now, remaining lifetime if not, and interval at which use is recorded. */
  private timesOf(session: Session): { full: number; left: number; pause: number } {
    const facts = { ...(session as SessionExtras), loginTs: session.loginTs };
    const full = sessionSeconds(this.config.account, facts);
    const pause = extensionPause(this.config.account, facts.userType);
    return { full, left: (session.exp ?? 0) - nowSeconds(), pause };
  }

  private async save(browser: Browser, session: Session): Promise<void> {
    const facts = { ...(session as SessionExtras), loginTs: session.loginTs };
    const seconds = sessionSeconds(this.config.account, facts);
    await this.sessions.save(browser, session, seconds, facts.remembered === true);
  }
}

/** Authentication methods and time, in the members that the engine copies into codes and tokens. */
function methods(amr: string[]) {
  return { amr, acr: acrOf(amr), secondFactorAt: hasTwoFactors(amr) ? nowSeconds() : undefined };
}
