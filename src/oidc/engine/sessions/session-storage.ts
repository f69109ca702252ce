import Provider, { errors, type Session } from 'oidc-provider';
import type { EndCode } from '../../../contract/activity/end-causes.js';
import { message } from '../../../contract/messages/message.js';
import type { OidcRecords } from '../../../oidc-store/infrastructure/oidc-records.js';
import type { Revocations } from '../../../oidc-store/infrastructure/revocations.js';
import { sha256 } from '../../../platform/crypto/secrets.js';
import { Problem } from '../../../platform/errors.js';
import { nowSeconds } from '../shared/lifetimes.js';
import { beforeAndAfter, rememberAsRead } from './stored-changes.js';

/** Marks a request whose changes must all be rolled back. */
export interface UndoState {
  undone?: boolean;
}

/** Undeclared members of the engine's sessions. */
type StoredSession = Session & {
  oldId?: string;
  destroyed?: boolean;
  touched?: boolean;
  endedBy?: EndCode;
};

/**
 * A session that has ended stays ended. The engine stores a session that it has read as if it were new, so that a
 * request that runs while a password is changed, an account deleted or a user signed out would restore it, or keep it
 * under its new id (security E-09, E-10). Here a session that was read is updated in place, or not at all, and is
 * destroyed by its uid, which never changes.
 *
 * Concurrent requests of one browser share its session: each changes its own members of it, and its own client.
 */
export function installSessionStorage(provider: Provider, records: OidcRecords, revocations: Revocations): void {
  rememberAsRead(provider.Session);
  const { save, resetIdentifier, loginAccount } = provider.Session.prototype;
  Object.defineProperty(provider.Session.prototype, 'save', {
    async value(this: StoredSession, ttl: number): Promise<string> {
      if (this.exp === undefined) return save.call(this, ttl);
      const storedId = this.oldId ?? this.jti;
      this.exp = nowSeconds() + ttl;
      const ids = { from: storedId, to: this.jti };
      const contents = await beforeAndAfter(this);
      const isThere = isLastStep()
        ? await records.changeAndCommit('Session', ids, contents, ttl)
        : await records.change('Session', ids, contents, ttl);
      if (!isThere) throw sessionEnded(this);
      this.oldId = undefined;
      this.touched = false;
      return this.jti;
    },
  });
  Object.defineProperty(provider.Session.prototype, 'destroy', {
    async value(this: StoredSession): Promise<void> {
      await revocations.endSession(this.uid, this.endedBy ?? 'ended-by-sign-out');
      this.destroyed = true;
    },
  });
  // The `sid` of a client in a session is the same in all requests, also in concurrent ones.
  Object.defineProperty(provider.Session.prototype, 'ensureClientContainer', {
    value(this: Session, clientId: string): void {
      if (!this.sidFor(clientId)) this.sidFor(clientId, sha256(`${this.uid} ${clientId}`));
    },
  });
  // The page that signed the user in has changed the session and its id already. When the request continues, that
  // change is out of date: another tab may have changed the session since, or be about to use it under its id.
  Object.defineProperty(provider.Session.prototype, 'resetIdentifier', {
    value(this: Session): void {
      if (!isResuming()) resetIdentifier.call(this);
    },
  });
  Object.defineProperty(provider.Session.prototype, 'loginAccount', {
    value(this: Session, facts: Parameters<typeof loginAccount>[0]): void {
      if (!isResuming() || this.accountId !== facts.accountId) loginAccount.call(this, facts);
    },
  });
}

function isResuming(): boolean {
  return Provider.ctx?.oidc?.route === 'resume';
}

/** The engine stores the session last of all; it does so also after an error, to which it has not responded yet. */
function isLastStep(): boolean {
  const { ctx } = Provider;
  return ctx !== undefined && ctx.status < 400;
}

function sessionEnded(session: StoredSession): Error {
  // The engine must not retry.
  session.destroyed = true;
  const { ctx } = Provider;
  if (!ctx) return new Problem('unauthenticated', message('sign-in-needed'));
  (ctx.state as UndoState).undone = true;
  return new errors.LoginRequired('the session has ended');
}
