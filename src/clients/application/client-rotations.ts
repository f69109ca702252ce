import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type {
  ClientRotations,
  RotationChange,
  RotationState,
  StartedRotation,
} from '../../contract/clients/secret-rotation.js';
import { message } from '../../contract/messages/message.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import { log } from '../../platform/logging/log.js';
import type { SignedInUser } from '../../platform/request/signed-in-user.js';
import type { Client } from '../domain/client.js';
import { ClientViews } from '../domain/client-views.js';
import { overlapEnd, replacementOf, SecretRotations, type StoredRotation } from '../domain/secret-rotation.js';
import { ClientChanges, clientGone } from './client-changes.js';
import { ClientConditions } from './client-conditions.js';
import { refuseServices } from './client-management.js';

/**
 * Administrators replace a shared secret without an interruption: a new one is made, both work until the app was seen
 * with it, and the old one ends. Where a rotation stands is stored, so that any administrator can continue. No state
 * holds the new secret.
 */
@Injectable()
export class ClientSecretRotations {
  constructor(
    private readonly changes: ClientChanges,
    private readonly rotations: SecretRotations,
    private readonly conditions: ClientConditions,
    private readonly views: ClientViews,
    private readonly database: Database,
  ) {}

  list(): Promise<ClientRotations> {
    return this.rotations.list();
  }

  async stateOf(id: string): Promise<RotationState> {
    const rotation = await this.rotations.view(id);
    if (!rotation && !(await this.views.findById(id))) throw clientGone();
    return { rotation };
  }

  /** The only answer that holds the new secret. */
  async start(id: string, replaces: string, caller: SignedInUser): Promise<StartedRotation> {
    const secret = randomBytes(32).toString('base64url');
    return this.ofClient(id, caller, async (before) => {
      if (await this.rotations.findByClient(before)) throw new Problem('conflict', message('rotation-under-way'));
      const context = this.conditions.context();
      const old = before.sharedSecrets(context.now).find((one) => one.id === replaces);
      if (!old) throw Problem.invalid([{ field: 'replaces', messages: [message('secret-gone')] }]);
      const added = before
        .withSecretEnd(old.id, overlapEnd(old, context.now), context.now)
        .withSecret(replacementOf(old, before, { secret, now: context.now }), context);
      // One step of the client's versions, however many of its secrets change.
      await this.changes.change(before, added.ofVersion(before.version + 1));
      const newSecret = added.secrets.at(-1)?.id ?? '';
      await this.rotations.add(before, { oldSecret: old.id, newSecret, oldExpiresAt: old.expiresAt });
      log.info({ client: before.clientId }, 'secret rotation started');
      const rotation = await this.rotations.view(id);
      if (!rotation) throw clientGone();
      return { rotation, secret };
    });
  }

  change(id: string, { stored, oldExpires }: RotationChange, caller: SignedInUser): Promise<RotationState> {
    return this.ofRotation(id, caller, async (before, { oldSecret }) => {
      if (stored !== undefined) await this.rotations.markStored(before, stored);
      const end = oldExpires === undefined ? undefined : new Date(oldExpires);
      if (!end) return;
      const now = new Date();
      if (end <= now) throw Problem.invalid([{ field: 'oldExpires', messages: [message('secret-end-in-past')] }]);
      await this.changes.change(before, before.withSecretEnd(oldSecret, end, now));
    });
  }

  /** Removes the new secret; the old one ends when it would have. */
  cancel(id: string, caller: SignedInUser): Promise<RotationState> {
    return this.ofRotation(id, caller, async (before, { oldSecret, newSecret, oldExpiresAt }) => {
      const now = new Date();
      await this.rotations.remove(before);
      const after = before.withSecretEnd(oldSecret, oldExpiresAt, now).withoutSecret(newSecret, now);
      await this.changes.change(before, after.ofVersion(before.version + 1));
      log.info({ client: before.clientId }, 'secret rotation cancelled');
    });
  }

  /** Removes the old secret now, or leaves it to its date. */
  end(id: string, { now }: { now: boolean }, caller: SignedInUser): Promise<RotationState> {
    return this.ofRotation(id, caller, async (before, { oldSecret }) => {
      await this.rotations.remove(before);
      if (now) await this.changes.change(before, before.withoutSecret(oldSecret, new Date()));
      log.info({ client: before.clientId, now }, 'secret rotation finished');
    });
  }

  /** A repeated call, whose first answer may have been lost, finds no rotation and changes nothing. */
  private ofRotation(
    id: string,
    caller: SignedInUser,
    work: (client: Client, rotation: StoredRotation) => Promise<void>,
  ): Promise<RotationState> {
    return this.ofClient(id, caller, async (client) => {
      const rotation = await this.rotations.findByClient(client);
      if (rotation) await work(client, rotation);
      return this.stateOf(id);
    });
  }

  private ofClient<T>(id: string, caller: SignedInUser, work: (client: Client) => Promise<T>): Promise<T> {
    return this.database.repeatableTransaction(async () => {
      const client = await this.changes.lock(id);
      refuseServices(caller, client.clientType);
      return work(client);
    });
  }
}
