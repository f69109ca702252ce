import Provider, { errors, type Grant, type Interaction } from 'oidc-provider';
import { message } from '../../../contract/messages/message.js';
import type { Payload } from '../../../oidc-store/infrastructure/oidc-record.js';
import type { OidcRecords } from '../../../oidc-store/infrastructure/oidc-records.js';
import type { Revocations } from '../../../oidc-store/infrastructure/revocations.js';
import { Problem } from '../../../platform/errors.js';

const asRead = Symbol('as read');

/** Undeclared members of the engine's models. */
interface Stored {
  [asRead]?: Payload;
  jti: string;
  getValueAndPayload(): Promise<{ value: string; payload: Payload }>;
}

interface Model {
  instantiate(payload: Payload): object;
}

/**
 * The engine stores a model whole, including members as they were when the request read it. This remembers the model as
 * read, to store only the changes.
 */
export function rememberAsRead(model: unknown): void {
  const { instantiate } = model as Model;
  Object.defineProperty(model, 'instantiate', {
    value(this: Model, payload: Payload) {
      const instance = instantiate.call(this, payload);
      // The engine creates an empty instance for a record that was not found.
      if (payload?.exp !== undefined) Object.defineProperty(instance, asRead, { value: structuredClone(payload) });
      return instance;
    },
  });
}

/** Payload as read, and payload to store. */
export async function beforeAndAfter(model: object): Promise<{ before: Payload; after: Payload }> {
  const stored = model as Stored;
  const { payload } = await stored.getValueAndPayload();
  return { before: stored[asRead] ?? {}, after: payload };
}

/**
 * An interaction or Grant that was read is updated in place, only in the members that changed, or not at all: one that
 * was finished or revoked meanwhile is not restored. Sessions: {@link ./session-storage.js}.
 */
export function installChangesOnly(provider: Provider, records: OidcRecords, revocations: Revocations): void {
  rememberAsRead(provider.Interaction);
  rememberAsRead(provider.Grant);
  const { save: saveInteraction } = provider.Interaction.prototype;
  Object.defineProperty(provider.Interaction.prototype, 'save', {
    async value(this: Interaction & Stored, ttl: number): Promise<string> {
      if (!this[asRead]) return saveInteraction.call(this, ttl);
      if (await records.change('Interaction', { from: this.jti }, await beforeAndAfter(this), ttl)) return this.jti;
      if (Provider.ctx) throw new errors.SessionNotFound('the authorization request is gone');
      throw new Problem('invalid', message('request-invalid'));
    },
  });
  const { save: saveGrant } = provider.Grant.prototype;
  Object.defineProperty(provider.Grant.prototype, 'save', {
    async value(this: Grant & Stored & { remainingTTL: number; clean(): void }): Promise<string> {
      if (!this[asRead]) return saveGrant.call(this);
      this.clean();
      await records.change('Grant', { from: this.jti }, await beforeAndAfter(this), this.remainingTTL);
      await revocations.grantChanged(this.jti);
      return this.jti;
    },
  });
}
