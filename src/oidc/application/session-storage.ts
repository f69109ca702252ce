import Provider, { errors, type Session } from 'oidc-provider';
import type { OidcRecords, Payload } from '../../oidc-store/application/oidc-records.js';
import { Problem } from '../../platform/errors.js';
import { nowSeconds } from './lifetimes.js';

/** Nothing of the request at hand may be kept. */
export interface UndoState {
  undone?: boolean;
}

/** What the engine's sessions have beyond their declared members. */
type StoredSession = Session & {
  oldId?: string;
  destroyed?: boolean;
  touched?: boolean;
  getValueAndPayload(): Promise<{ value: string; payload: Payload }>;
};

/**
 * A session that has ended stays ended. The engine stores a session that it has read as if it were new, so that a request
 * under way while a password is changed, an account deleted or a person signed out would bring it back, or let it live on
 * under the id that it just got (security E-09, E-10). Here a session that was read is changed in place, or not at all, and
 * is destroyed by what never changes of it.
 */
export function installSessionStorage(provider: Provider, records: OidcRecords): void {
  const { save } = provider.Session.prototype;
  Object.defineProperty(provider.Session.prototype, 'save', {
    async value(this: StoredSession, ttl: number): Promise<string> {
      if (this.exp === undefined) return save.call(this, ttl);
      const storedId = this.oldId ?? this.jti;
      this.exp = nowSeconds() + ttl;
      const { value, payload } = await this.getValueAndPayload();
      const isThere = await records.replace('Session', { from: storedId, to: this.jti }, payload, ttl);
      if (!isThere) throw ended(this);
      this.oldId = undefined;
      this.touched = false;
      return value;
    },
  });
  Object.defineProperty(provider.Session.prototype, 'destroy', {
    async value(this: StoredSession): Promise<void> {
      await records.destroyByUid('Session', this.uid);
      this.destroyed = true;
    },
  });
}

function ended(session: StoredSession): Error {
  // The engine must not try once more.
  session.destroyed = true;
  const { ctx } = Provider;
  if (!ctx) return new Problem('unauthenticated', 'Please sign in.');
  (ctx.state as UndoState).undone = true;
  return new errors.LoginRequired('the session has ended');
}
